#!/usr/bin/env bash
# Installs the eight servers of docs/eight-servers.json as pinned here, records what they list, and checks what is made of it.
#
#   RECORDINGS_CACHE  where the servers are installed, once; else target/recordings
#   BUILT             where `accuracy` and `catalogues` are; else target/debug
#   PYTHON            a Python 3.11 or later; else python3 (Node 20 or later is needed too)

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=$here/../../target
built=${BUILT:-$target/debug}
cache=${RECORDINGS_CACHE:-$target/recordings}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

if ! cmp -s "$here/package-lock.json" "$cache/installed.json"; then
  cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$cache/"
  # Tools are listed without a browser.
  (cd "$cache" && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 PUPPETEER_SKIP_DOWNLOAD=1 npm ci --loglevel=error > /dev/null)
  cp "$here/package-lock.json" "$cache/installed.json"
fi
if ! cmp -s "$here/requirements.txt" "$cache/installed.txt"; then
  rm -rf "$cache/python"
  "${PYTHON:-python3}" -m venv "$cache/python"
  "$cache/python/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
  cp "$here/requirements.txt" "$cache/installed.txt"
fi

node=$cache/node_modules/.bin python=$cache/python/bin
mkdir -p "$cache/folder"
cat > "$cache/servers.json" << JSON
{"mcpServers": {
  "everything": {"command": "$node/mcp-server-everything", "args": []},
  "filesystem": {"command": "$node/mcp-server-filesystem", "args": ["$cache/folder"]},
  "memory": {"command": "$node/mcp-server-memory", "args": [], "env": {"MEMORY_FILE_PATH": "$cache/memory.jsonl"}},
  "playwright": {"command": "$node/playwright-mcp", "args": []},
  "chrome-devtools": {"command": "$node/chrome-devtools-mcp", "args": []},
  "notion": {"command": "$node/notion-mcp-server", "args": []},
  "git": {"command": "$python/mcp-server-git", "args": []},
  "time": {"command": "$python/mcp-server-time", "args": []}
}}
JSON
"$built/accuracy" record "$cache/servers.json" "$cache/lists"
