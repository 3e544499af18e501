#!/usr/bin/env bash
# Runs the official MCP conformance suite against one upstream: directly, and through the gateway. In the arrangement
# `upstream` the suite is the upstream of the gateway, and a client of ours uses it through that. In those whose names begin
# with `own-` the upstream is the suite's own server, of the folder upstream.
#
#   CONFORMANCE_UPSTREAM  the upstream; else the release build of this repository, else the debug build
#   CONFORMANCE_CLIENT    the client of the arrangement `upstream`; likewise
#   MCP_DISCLOSURE_BIN    the gateway; likewise
#   CONFORMANCE_CACHE     where the suite and its Node are installed, once; else target/conformance
#   CONFORMANCE_ONLY      arrangements to run, separated by spaces; else all
#
# What fails must stand in expected.yaml, and what stands there must fail.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=${CARGO_TARGET_DIR:-$here/../../target}
cache=${CONFORMANCE_CACHE:-$target/conformance}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
suite=$cache/node_modules/@modelcontextprotocol/conformance/dist/index.js
node=$cache/node_modules/.bin/node
revisions=(2025-11-25 2026-07-28)

# The program named by a variable, or the newest one built in this repository.
program() {
  local named=$1 folder
  for folder in release debug; do
    if [ -z "$1" ] && [ "$target/$folder/$2" -nt "$named" ]; then named=$target/$folder/$2; fi
  done
  if ! [ -x "$named" ]; then
    echo "no $2: build it with cargo build --workspace --bins" >&2
    exit 2
  fi
  echo "$(cd "$(dirname "$named")" && pwd)/$(basename "$named")"
}

# The packages of package-lock.json; one of them is the Node that the suite needs.
install() {
  if ! cmp -s "$here/package-lock.json" "$cache/installed.json"; then
    cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$cache/"
    (cd "$cache" && npm ci --loglevel=error > /dev/null)
    cp "$here/package-lock.json" "$cache/installed.json"
  fi
  if ! cmp -s "$here/upstream/package-lock.json" "$cache/own/installed.json"; then
    mkdir -p "$cache/own"
    cp "$here/upstream/package.json" "$here/upstream/package-lock.json" "$here/.npmrc" "$cache/own/"
    (cd "$cache/own" && npm ci --loglevel=error > /dev/null)
    cp "$here/upstream/package-lock.json" "$cache/own/installed.json"
  fi
  # Modules are looked for upwards only.
  cp "$here/upstream/everything-server.ts" "$cache/own/"
  cp "$here/report.mjs" "$here/findings.mjs" "$here/requirements.mjs" "$cache/"
}

# Of this run alone: others may use the same cache.
results=$(mktemp -d "$cache/results.XXXXXX")
server= own=
stop() {
  local process
  for process in $server $own; do
    kill "$process" 2> /dev/null || true
    wait "$process" 2> /dev/null || true
  done
  server= own=
}
end() {
  local status=$?
  stop
  if [ "$status" -eq 0 ]; then rm -rf "$results"; else echo "what was found is in $results" >&2; fi
}
trap end EXIT

# Starts the suite's own server at a port that is free, and waits until it listens there; sets $url.
start_own() {
  local log=$1 port tries
  : > "$log"
  port=$("$node" -e 'const s = require("net").createServer().listen(0, () => { console.log(s.address().port); s.close(); })')
  (cd "$cache/own" && PORT=$port exec "$node" --import tsx everything-server.ts) > "$log" 2>&1 < /dev/null &
  own=$!
  url=http://localhost:$port/mcp
  for ((tries = 0; tries < 300; tries++)); do
    grep -q "MCP endpoint" "$log" && return
    kill -0 "$own" 2> /dev/null || break
    sleep 0.1
  done
  echo "the suite's own server did not start" >&2
  cat "$log" >&2
  return 1
}

# Starts a server and waits until its log says where it listens; sets $url.
start() {
  local log=$1 tries
  shift
  : > "$log"
  "$@" > /dev/null 2> "$log" < /dev/null &
  server=$!
  for ((tries = 0; tries < 200; tries++)); do
    url=$(grep -o 'http://[0-9.:]*/mcp' "$log" | head -n 1) && return
    kill -0 "$server" 2> /dev/null || break
    sleep 0.1
  done
  echo "the server did not start: $*" >&2
  cat "$log" >&2
  return 1
}

# The command of an arrangement. `across` is before an upstream that does not speak the suite's era.
arrangement() {
  local other=stateless
  [ "$2" = 2025-11-25 ] || other=session
  # One address plays hundreds of clients, and leaves most of what it begins unfinished.
  local serve="$gateway serve --transport http --listen 127.0.0.1:0 --upstream-scope session --limit upstreams_per_peer=1000 --strategy"
  case $1 in
    direct) echo "$upstream http 127.0.0.1:0" ;;
    full | resource | describe | info | groups) echo "$upstream gateway 127.0.0.1:0 $1" ;;
    full-child) echo "$serve full -- $upstream stdio" ;;
    across) echo "$upstream gateway 127.0.0.1:0 full $other" ;;
    across-child) echo "$serve full -- $upstream stdio $other" ;;
    own-*) echo "$serve ${1#own-} --upstream-url $url" ;;
    *) echo "no arrangement $1" >&2 && return 1 ;;
  esac
}

upstream=$(program "${CONFORMANCE_UPSTREAM:-}" conformance-upstream)
gateway=$(program "${MCP_DISCLOSURE_BIN:-}" gateway)
client=$(program "${CONFORMANCE_CLIENT:-}" conformance-client)
install

# Has the suite play the client of $url, with these options.
be_client() {
  # Its own verdict does not count: it knows nothing of what is expected.
  timeout 300 "$node" "$suite" server --url "$url" "${@:3}" \
    --output-dir "$results/$1/$2" >> "$results/$1/$2.log" 2>&1 || true
}

# Has the suite play the upstream of a gateway, scenario by scenario.
be_upstream() {
  local scenario
  for scenario in $("$node" "$cache/requirements.mjs" "$2" client); do
    # A panic of the client is one line.
    RUST_BACKTRACE=0 timeout 120 "$node" "$suite" client --command "$client $gateway" --scenario "$scenario" \
      --spec-version "$2" --output-dir "$results/$1/$2" >> "$results/$1/$2.log" 2>&1 || true
  done
}

# Has the suite play once more, alone, what may only have been late, at most twice: what is wrong fails each time.
again() {
  local scenario
  for _ in 1 2; do
    for scenario in $("$node" "$cache/findings.mjs" "$results" "$here/expected.yaml" "$1" "$2"); do
      # As the requirements of a revision have it: at that revision's wire, wherever the scenario comes from.
      be_client "$1" "$2" --scenario "$scenario" --spec-version "$2" --force
    done
  done
}

all="direct full full-child across across-child resource describe info groups upstream"
all+=" own-direct own-full own-resource own-info own-search"
read -ra arrangements <<< "${CONFORMANCE_ONLY:-$all}"
for name in "${arrangements[@]}"; do
  mkdir -p "$results/$name"
  for revision in "${revisions[@]}"; do
    echo "== $name, $revision"
    if [ "$name" = upstream ]; then
      be_upstream "$name" "$revision"
      continue
    fi
    case $name in own-*) start_own "$results/$name/own.log" ;; esac
    if [ "$name" != own-direct ]; then
      read -ra command <<< "$(arrangement "$name" "$revision")"
      start "$results/$name/server.log" "${command[@]}"
    fi
    be_client "$name" "$revision" --requirements "$revision"
    again "$name" "$revision"
    stop
  done
done

"$node" "$cache/report.mjs" "$results" "$here/expected.yaml" "${arrangements[@]}"
