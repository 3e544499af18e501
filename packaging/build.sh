#!/usr/bin/env bash
# Packs the program for npm and PyPI: the launcher's package, the binary's package, and a wheel. Prints their paths.
#
#   packaging/build.sh [--binary PATH] [--target TRIPLE] [--out FOLDER]
#
#   --binary   a program that was built before; else the profile `dist` is built, which takes minutes
#   --target   what it was built for, one of platforms.json; else this machine
#   --out      where the packages go; else target/packages
#
# Needs Node 18 with npm, and Python 3.10; without --binary, Rust and a C compiler as well.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
built=${CARGO_TARGET_DIR:-$root/target}

usage() { echo "$*; usage: packaging/build.sh [--binary PATH] [--target TRIPLE] [--out FOLDER]" >&2; exit 2; }

binary='' target='' out=$built/packages
while [ $# -gt 0 ]; do
  [ $# -gt 1 ] || usage "$1 needs a value"
  case $1 in
    --binary) binary=$2 ;;
    --target) target=$2 ;;
    --out) out=$2 ;;
    *) usage "unknown argument $1" ;;
  esac
  shift 2
done

target=${target:-$(rustc -vV | sed -n 's/^host: //p')}
grep -q "\"$target\"" "$here/platforms.json" || usage "no package is made for the target '$target'"
if [ -z "$binary" ]; then
  (cd "$root" && cargo build --profile dist --locked --features redis --target "$target" --bin mcp-disclosure) >&2
  binary=$built/$target/dist/mcp-disclosure
  case $target in *windows*) binary=$binary.exe ;; esac
fi
[ -f "$binary" ] || usage "there is no binary '$binary'"

version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)
mkdir -p "$out"
node "$here/npm/pack.mjs" "$binary" "$target" "$version" "$out"
"${PYTHON:-python3}" "$here/wheel/pack.py" "$binary" "$target" "$version" "$out"
