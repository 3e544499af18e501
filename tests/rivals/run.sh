#!/usr/bin/env bash
# Asks the labelled queries of four searches in front of the same recorded tools, in one run: FastMCP's BM25 transform, the
# mcp-proxy crate's search mode, bm25s and our own. Prints a table for each set for docs/BENCHMARKS.md, first those that our own
# was not tuned on: tests/data/search, and LiveMCPBench, which is fetched.
#
#   UPDATE=1            writes the table into docs/BENCHMARKS.md
#   RECORDINGS          recorded lists (tests/recordings/run.sh); else target/recordings/lists
#   TASKS               labelled queries; else tests/data/tasks.jsonl
#   ONLY                sets by name, with commas; else all
#   MISSES=1            lists the misses of every row on our own queries, not only of ours
#   MCP_DISCLOSURE_BIN  the gateway; else the release build of this repository, else the debug build
#   ACCURACY            the program that serves recorded lists and counts tokens; else the same builds' `accuracy`
#   RIVALS_CACHE        where rivals are installed, once; else target/rivals
#   PYTHON              a Python 3.11 or later; else python3 (cargo is needed too)

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
cache=${RIVALS_CACHE:-$target/rivals}
mcp_proxy=0.6.0
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

# The absolute path of a program: as given, or of a build that is there.
program() {
  local found=$2
  for folder in release debug; do
    if [ -z "$found" ] && [ -x "$target/$folder/$1" ]; then found=$target/$folder/$1; fi
  done
  if ! [ -x "$found" ]; then
    echo "no $1${found:+ at $found}: cargo build --workspace --bins, or name it in $3" >&2
    exit 2
  fi
  echo "$(cd "$(dirname "$found")" && pwd)/$(basename "$found")"
}

MCP_DISCLOSURE_BIN=$(program mcp-disclosure "${MCP_DISCLOSURE_BIN:-}" MCP_DISCLOSURE_BIN)
ACCURACY=$(program accuracy "${ACCURACY:-}" ACCURACY)
RECORDINGS=${RECORDINGS:-$target/recordings/lists}
if ! [ -d "$RECORDINGS" ]; then
  echo "no recorded lists at $RECORDINGS: run tests/recordings/run.sh, or name them in RECORDINGS" >&2
  exit 2
fi

if ! cmp -s "$here/requirements.txt" "$cache/installed.txt"; then
  rm -rf "$cache/python"
  "${PYTHON:-python3}" -m venv "$cache/python"
  "$cache/python/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
  cp "$here/requirements.txt" "$cache/installed.txt"
fi
# Of its features the search alone: metrics, tracing and authentication take no part in it.
if ! [ -x "$cache/bin/mcp-proxy" ] || [ "$(cat "$cache/mcp-proxy.version" 2> /dev/null)" != "$mcp_proxy" ]; then
  cargo install mcp-proxy --version "=$mcp_proxy" --locked --force --root "$cache" --no-default-features --features discovery
  echo "$mcp_proxy" > "$cache/mcp-proxy.version"
fi

"$cache/python/bin/python" "$here/sets.py" "$cache/sets"
export MCP_DISCLOSURE_BIN ACCURACY RECORDINGS SETS=$cache/sets
export MCP_PROXY_BIN=$cache/bin/mcp-proxy MCP_PROXY_VERSION=$mcp_proxy PYTHONDONTWRITEBYTECODE=1
export TASKS=${TASKS:-$root/tests/data/tasks.jsonl} BENCHMARKS=$root/docs/BENCHMARKS.md
exec "$cache/python/bin/python" "$here/measure.py"
