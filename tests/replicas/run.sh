#!/usr/bin/env bash
# Three replicas, a store and a proxy without stickiness, while replicas are killed and the store is restarted (K2).
#
#   SECONDS_OF_PLAY     how long; else 60
#   KILL_EVERY          seconds between kills; else 10
#   MCP_DISCLOSURE_BIN  the gateway; else the debug build
#   INTEROP_CACHE       where the official clients are installed, once; else target/interop
#   SESSION_STORE_SERVER  the store's server, of Redis or Valkey; else redis-server
#   PYTHON              a Python 3.11 or later; else python3 (Node 20 or later, redis-server and haproxy are needed too)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=$(cd "$here/../.." && pwd)/target
for program in "${SESSION_STORE_SERVER:-redis-server}" haproxy; do
  if ! command -v "$program" > /dev/null; then
    echo "tests/replicas needs $program: apt-get install -y redis-server haproxy" >&2
    exit 2
  fi
done
cache=${INTEROP_CACHE:-$target/interop}
mkdir -p "$cache" "$target/replicas"
cache=$(cd "$cache" && pwd)
here_interop=$(cd "$here/../interop" && pwd)
(here=$here_interop; . "$here/python.sh"; . "$here/node.sh"; install_python 1; install_node)
# Modules are looked for upwards only.
cp "$here/play.mjs" "$cache/node/typescript/"
export MCP_DISCLOSURE_BIN=${MCP_DISCLOSURE_BIN:-$target/debug/mcp-disclosure}
export ODD_UPSTREAM=${ODD_UPSTREAM:-$target/debug/odd-upstream}
export REPLICAS_WORK=$target/replicas PLAY_MJS=$cache/node/typescript/play.mjs PYTHONDONTWRITEBYTECODE=1
SECONDS=0
exec env SECONDS="${SECONDS_OF_PLAY:-60}" KILL_EVERY="${KILL_EVERY:-10}" "$cache/python-1/bin/python" "$here/play.py"
