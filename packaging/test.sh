#!/usr/bin/env bash
# Packs the program, and installs and runs it as a stranger does: from the packed files alone, in empty folders, with a
# home of its own and without Rust.
#
#   packaging/test.sh [--binary PATH]
#
#   --binary       what is packed; else the debug build. The release workflow gives the released one
#   INTEROP_CACHE  where the official Python client and uv are installed, once; else target/interop
#   PYTHON         a Python 3.11 or later; else python3 (Node 20 or later and npm are needed too)

set -euo pipefail
packaging=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$packaging")
built=${CARGO_TARGET_DIR:-$root/target}
binary=$built/debug/mcp-disclosure
[ "${1:-}" != --binary ] || binary=$2
here=$root/tests/interop cache=${INTEROP_CACHE:-$built/interop}
mkdir -p "$cache"
. "$here/python.sh"

work=$(mktemp -d)
registry=''
finish() {
  # Where it has ended already, the run has not failed by that.
  [ -z "$registry" ] || kill "$registry" || true
  rm -rf "$work"
}
trap finish EXIT

python=$("${PYTHON:-python3}" -c 'import sys; print(sys.executable)')
stranger_path=$(dirname "$(command -v node)"):/usr/bin:/bin

# Runs a command in an empty folder, with an empty home.
stranger() {
  mkdir -p "$work/home" "$work/empty"
  (cd "$work/empty" && env -i HOME="$work/home" PATH="$stranger_path" "$@")
}

# Everything about the program as one command starts it.
check() {
  local version
  version=$(stranger "$@" --version)
  [ "$version" = "mcp-disclosure $released" ] || { echo "FAIL $*: '$version'" >&2; return 1; }
  # Its messages only if something is wrong.
  stranger "$cache/python-1/bin/python" "$packaging/test/client.py" "$@" serve --strategy resource 2> "$work/stderr" ||
    { cat "$work/stderr" >&2; return 1; }
}

# From nothing to a host that uses it, and back: as the program is started by these words.
in_and_out() {
  stranger "$@" 2> "$work/stderr" || { cat "$work/stderr" >&2; return 1; }
}

! stranger sh -c 'command -v cargo' || { echo "FAIL cargo is in $stranger_path" >&2; exit 1; }
released=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)
install_python 1
install_uv
client=("$cache/python-1/bin/python" "$packaging/test/stranger.py")

echo "== packages of $binary"
cp "$binary" "$work/mcp-disclosure"
# A debug build is mostly symbols.
strip "$work/mcp-disclosure"
"$packaging/build.sh" --binary "$work/mcp-disclosure" --out "$work/packages"
ls -l "$work/packages"

echo "== npm"
node "$packaging/test/registry.mjs" "$work/packages" > "$work/registry" &
registry=$!
until [ -s "$work/registry" ]; do kill -0 "$registry" || exit 1; sleep 0.1; done
mkdir -p "$work/home"
printf 'registry=%s\naudit=false\nfund=false\nupdate-notifier=false\n' "$(cat "$work/registry")" > "$work/home/.npmrc"
check npx -y "mcp-disclosure@$released"
in_and_out "${client[@]}" npx -y "mcp-disclosure@$released"
stranger npm install --silent --prefix "$work/installed" mcp-disclosure
check "$work/installed/node_modules/.bin/mcp-disclosure"

echo "== wheel"
wheel=("$work"/packages/*.whl)
stranger "$python" -m venv "$work/venv"
stranger "$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-index "${wheel[0]}"
check "$work/venv/bin/mcp-disclosure"
check "$work/venv/bin/python" -m mcp_disclosure
in_and_out "${client[@]}" "$work/venv/bin/mcp-disclosure"
check "$cache/uv/bin/uvx" --quiet --python "$python" --offline --no-index --find-links "$work/packages" \
  "mcp-disclosure==$released"
# The entry that is written finds these packages by the variables that uv reads.
in_and_out PATH="$cache/uv/bin:$stranger_path" UV_PYTHON="$python" UV_OFFLINE=1 UV_NO_INDEX=1 \
  UV_FIND_LINKS="$work/packages" "${client[@]}" uvx --quiet "mcp-disclosure==$released"

echo "== launcher"
"$packaging/build.sh" --binary "$packaging/test/stand-in" --out "$work/stand-in" > /dev/null
for folder in installed _npx; do
  mkdir -p "$work/launcher/$folder"
  npm install --silent --offline --omit=optional --prefix "$work/launcher/$folder" "$work/stand-in/"*.tgz
done
LAUNCHER=$work/launcher/installed/node_modules/mcp-disclosure/bin/mcp-disclosure.js \
  CACHED=$work/launcher/_npx/node_modules/mcp-disclosure/bin/mcp-disclosure.js \
  node --test --test-reporter spec "$packaging/test/launcher.test.mjs"
