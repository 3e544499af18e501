#!/usr/bin/env bash
# Runs deploy/compose by the container engine that is installed: a session outlives a replica, and the store comes back.
#
#   bash deploy/run.sh             builds the image mcp-disclosure first
#   bash deploy/run.sh --no-build  uses the image mcp-disclosure that is there
#
#   COMPOSE  the command; else "docker compose", or podman-compose 1.6
#
# Port 8848 and the network 10.89.48.0/24 have to be free. Password, key and configuration are in a temporary folder.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
url=http://localhost:8848/mcp
project=mcp-disclosure-run
export STORE_PASSWORD

fail() {
  echo "run: FAIL $*" >&2
  exit 1
}

case ${1-} in
  '' | --no-build) ;;
  *) sed -n '2,/^set /s/^# \{0,1\}//p' "$0" && exit 64 ;;
esac
if [ -z "${COMPOSE-}" ]; then
  if docker compose version > /dev/null 2>&1 && docker info > /dev/null 2>&1; then
    COMPOSE='docker compose'
  elif command -v podman-compose > /dev/null; then
    COMPOSE=podman-compose
  else
    fail 'neither docker compose nor podman-compose is here'
  fi
fi
case $COMPOSE in
  *podman*) engine=podman ;;
  *) engine=docker ;;
esac

folder=$(mktemp -d)
# Says what a command said only if it fails.
quietly() {
  "$@" > "$folder/said" 2>&1 || { cat "$folder/said" >&2 && fail "$*"; }
}
compose() {
  # Without quotes: a command of two words.
  $COMPOSE -p "$project" -f "$folder/deploy/compose/compose.yaml" "$@"
}
finish() {
  local code=$?
  [ "$code" = 0 ] || compose logs --tail 30 >&2 || true
  compose down -v > "$folder/down" 2>&1 || cat "$folder/down" >&2
  rm -rf "$folder"
  exit "$code"
}
STORE_PASSWORD=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
mkdir "$folder/deploy"
cp -R "$here/compose" "$folder/deploy"
(
  cd "$folder/deploy/compose"
  rm -f receipt.key
  head -c 32 /dev/urandom > receipt.key
  echo '# No upstreams: the demonstration.' > disclosure.toml
  # Containers have users of their own. Others are kept out by the folder above, which has mode 700.
  chmod 755 . .. && chmod 644 ./*
)
trap finish EXIT

if [ "${1-}" != --no-build ]; then
  "$engine" build -t mcp-disclosure -f "$here/../packaging/Containerfile" "$here/.."
fi
started=$SECONDS
quietly compose up -d --no-build

containers() {
  "$engine" ps -q --filter "label=com.docker.compose.project=$project" --filter "label=com.docker.compose.service=$1"
}
# Sends a message, in the session if there is one. Sets status and seconds.
send() {
  local flags=(--header 'Content-Type: application/json' --header 'Accept: application/json, text/event-stream')
  [ -z "$session" ] || flags+=(--header "Mcp-Session-Id: $session" --header 'MCP-Protocol-Version: 2025-11-25')
  read -r status seconds < <(curl --silent --max-time 10 --output "$folder/body" --dump-header "$folder/head" \
    --write-out '%{http_code} %{time_total}\n' "${flags[@]}" --data "$1" "$url")
}
open_session() {
  session=
  send '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"run","version":"1"}}}'
  [ "$status" = 200 ] || return
  session=$(tr -d '\r' < "$folder/head" | sed -n 's/^mcp-session-id: //Ip')
  send '{"jsonrpc":"2.0","method":"notifications/initialized"}'
  [ "$status" = 202 ]
}
list() {
  send '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
}
listed() {
  list
  [ "$status" = 200 ] || fail "tools/list: $status after $seconds s: $(cat "$folder/body")"
  grep -q '"inputSchema"' "$folder/body" || fail "no tools: $(cat "$folder/body")"
}
# Until a command succeeds; at most a minute.
until_it() {
  local end=$((SECONDS + 60))
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || fail "$* does not succeed: last status $status"
    sleep 0.2
  done
}
# The replicas that served the last requests, by the proxy's log.
servers() {
  "$engine" logs "$(containers proxy)" 2>&1 | grep -o 'clients replicas/gateway[0-9]*' | tail -n "$1" | sort -u | wc -l
}

until_it open_session
count=$(containers gateway | wc -l)
[ "$count" = 3 ] || fail "$count replicas"
# The proxy finds the others by the engine's names.
all_serve() {
  for _ in 1 2 3; do listed; done
  [ "$(servers 3)" = 3 ]
}
until_it all_serve
echo "run: $((SECONDS - started)) s after the start, three replicas serve one session, and list $(grep -o '"inputSchema"' "$folder/body" | wc -l) tools"

victim=$(containers gateway | tail -n 1)
quietly "$engine" kill "$victim"
slowest=0
for _ in 1 2 3 4 5 6; do
  listed
  slowest=$(printf '%s\n' "$slowest" "$seconds" | sort -g | tail -n 1)
done
[ "$(servers 6)" = 2 ] || fail "$(servers 6) replicas served"
echo "run: a replica was killed; the next six requests of the session were served by two others, the slowest in $slowest s"

store=$(containers store)
quietly "$engine" stop -t 1 "$store"
for _ in 1 2 3 4; do
  list
  [ "$status" = 503 ] || fail "without the store: $status"
  awk "BEGIN { exit !($seconds < 1.5) }" || fail "without the store: 503 after $seconds s"
done
echo "run: the store was stopped: $status in the session, after $seconds s"

began=$SECONDS
quietly "$engine" start "$store"
# An empty store does not have the session.
unknown() { list && [ "$status" = 404 ]; }
until_it unknown
until_it open_session
for _ in 1 2 3 4; do listed; done
[ "$(servers 4)" = 2 ] || fail "$(servers 4) replicas served"
echo "run: the store is back: 404, since it is empty, and after $((SECONDS - began)) s a new session is served by both replicas"
echo "run: done, by $COMPOSE"
