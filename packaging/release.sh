#!/usr/bin/env bash
# Makes everything that a release publishes of the binaries of all targets.
#
#   packaging/release.sh BINARIES FOLDER
#
#   BINARIES   has a folder for each target of platforms.json, with its mcp-disclosure or mcp-disclosure.exe
#   FOLDER     gets archives/ with SHA256SUMS, npm/ and pypi/
#
# Needs what build.sh needs with --binary, and zip.

set -euo pipefail
packaging=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$packaging")
[ $# -eq 2 ] || { echo "usage: packaging/release.sh BINARIES FOLDER" >&2; exit 2; }
binaries=$(cd "$1" && pwd)
mkdir -p "$2/archives" "$2/npm" "$2/pypi"
out=$(cd "$2" && pwd)

# Named as [package.metadata.binstall] in server/Cargo.toml expects.
archive() {
  local target=$1 binary=$2 name=mcp-disclosure-$1 folder
  folder=$(mktemp -d)
  mkdir "$folder/$name"
  cp "$binary" "$root/LICENSE-APACHE" "$root/LICENSE-MIT" "$root/CHANGELOG.md" "$packaging/ABOUT.md" "$folder/$name"
  chmod 755 "$folder/$name/$(basename "$binary")"
  case $target in
    *windows*) (cd "$folder" && zip -q -r "$out/archives/$name.zip" "$name") ;;
    *) tar -czf "$out/archives/$name.tgz" -C "$folder" "$name" ;;
  esac
  rm -r "$folder"
}

for target in $(sed -n 's/.*"target": "\([^"]*\)".*/\1/p' "$packaging/platforms.json"); do
  binary=$binaries/$target/mcp-disclosure
  case $target in *windows*) binary=$binary.exe ;; esac
  [ -f "$binary" ] || { echo "packaging/release.sh: there is no $binary" >&2; exit 1; }
  archive "$target" "$binary"
  "$packaging/build.sh" --binary "$binary" --target "$target" --out "$out/packages"
done
mv "$out"/packages/*.tgz "$out/npm"
mv "$out"/packages/*.whl "$out/pypi"
rmdir "$out/packages"
(cd "$out/archives" && sha256sum -- *.tgz *.zip > SHA256SUMS)
