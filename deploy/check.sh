#!/usr/bin/env bash
# Checks the deployments by linters that pip installs, once, and by what else is installed; says what was not checked.
#
#   MCP_DISCLOSURE_BIN  the gateway; else the debug build
#   PYTHON              a Python 3.10 or later; else python3. Linters are installed into target/deploy
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${MCP_DISCLOSURE_BIN:-$here/../target/debug/mcp-disclosure}
# The oldest Kubernetes that these manifests are for, and the newest.
kubernetes='1.30.0 1.37.0'

has() {
  command -v "$1" > /dev/null && return
  echo "deploy: not checked by $1, which is not installed"
  return 1
}

folder=$here/../target/deploy
if ! cmp -s "$here/requirements.txt" "$folder/installed.txt"; then
  rm -rf "$folder"
  "${PYTHON:-python3}" -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
  cp "$here/requirements.txt" "$folder/installed.txt"
fi
"$folder/bin/python" "$here/check.py" "$program"
# Strictly: a member that Kubernetes does not have is refused.
for version in $kubernetes; do
  "$folder/bin/kubernetes-validate" --strict --quiet -k "$version" "$here"/kubernetes/[!k]*.yaml
done
"$folder/bin/check-jsonschema" --builtin-schema vendor.compose-spec "$here/compose/compose.yaml"
# What haproxy cannot resolve here is resolved by the engine's own names.
if has haproxy; then haproxy -c -q -f "$here/compose/haproxy.cfg"; fi
if has docker; then
  if docker compose version > /dev/null 2>&1; then
    key=$here/compose/receipt.key
    if [ ! -e "$key" ]; then
      trap 'rm -f "$key"' EXIT
      touch "$key"
    fi
    STORE_PASSWORD=checked docker compose -f "$here/compose/compose.yaml" config --quiet
  else
    echo "deploy: not checked by docker compose, which is not installed"
  fi
fi
echo "deploy: checked"
