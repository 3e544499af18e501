#!/usr/bin/env bash
# Runs the official Python and TypeScript clients, frameworks for agents, Delta-MCP's messages, the Inspector and our own
# client against real servers: directly and through the gateway.
#
#   MCP_DISCLOSURE_BIN  the gateway; else the release build of this repository, else the debug build
#   INTEROP_CLIENT      our own client's example, use_a_tool; else its debug build
#   INTEROP_OWN_SERVER  the example own-server, with own-server-http beside it; else its debug build beside the others
#   INTEROP_SITE        the built site of the documentation; else target/site
#   INTEROP_ERAS        what is tried across eras: `direct` alone, or with the `gateway` between; else direct
#   INTEROP_ONLY        programs to run, separated by spaces; else all
#   INTEROP_AT_ONCE     how many programs run at the same time; else 2
#   INTEROP_CACHE       where clients and servers are installed, once; else target/interop
#   CHROMIUM            a Chromium or Chrome; else the one in PATH
#   PYTHON              a Python 3.11 or later; else python3 (Node 20 or later and git are needed too)

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=$here/../../target
cache=${INTEROP_CACHE:-$target/interop}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
. "$here/python.sh"
. "$here/node.sh"

gateway() {
  for folder in release debug; do
    local built=$target/$folder/mcp-disclosure
    MCP_DISCLOSURE_BIN=${MCP_DISCLOSURE_BIN:-$([ -x "$built" ] && echo "$built")}
  done
  if ! [ -x "${MCP_DISCLOSURE_BIN:-}" ]; then
    echo "no gateway: build it, or name it in MCP_DISCLOSURE_BIN" >&2
    exit 2
  fi
  # Absolute, because the servers under test may be started elsewhere.
  echo "$(cd "$(dirname "$MCP_DISCLOSURE_BIN")" && pwd)/$(basename "$MCP_DISCLOSURE_BIN")"
}

# Whether this program is run.
wanted() { [[ -z ${INTEROP_ONLY:-} || " $INTEROP_ONLY " == *" $1 "* ]]; }

started=() at_once=${INTEROP_AT_ONCE:-2}
if ! [ "$at_once" -ge 1 ]; then
  echo "INTEROP_AT_ONCE=$at_once: at least 1" >&2
  exit 2
fi
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
trap 'exit 130' INT TERM

# Runs one program beside others.
run() {
  wanted "$1" || return 0
  while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do wait -n || true; done
  started+=("$1")
  alone "$@" &
}

# Runs one program, and shows what it says when it has ended.
alone() {
  export INTEROP_LOG=$cache/$1.log
  : > "$INTEROP_LOG"
  # Which is looked for where caches are.
  export PLAYWRIGHT_BROWSERS_PATH=${PLAYWRIGHT_BROWSERS_PATH:-${XDG_CACHE_HOME:-$HOME/.cache}/ms-playwright}
  # What gateways remember of clients (docs/CONTRACT.md R8) is of this run of this program.
  export XDG_CACHE_HOME=$cache/remembered/$1
  rm -rf "$XDG_CACHE_HOME"
  # Longer than the programs' own limits. One that fails after its closing line has failed.
  timeout --kill-after=30 1900 "${@:2}" > "$cache/$1.out" 2>> "$INTEROP_LOG" &
  trap "kill $! 2> /dev/null; exit 1" INT TERM
  wait $! || echo "ended with exit code $?" >> "$cache/$1.out"
  { flock 9 && echo "== $1" && cat "$cache/$1.out"; } 9> "$cache/shown.lock"
}

MCP_DISCLOSURE_BIN=$(gateway)
export MCP_DISCLOSURE_BIN
# The absolute path of a file that a program needs; how to make it is said where it is missing.
needed() {
  if wanted "$1" && ! [ -f "$2" ]; then
    echo "no $2: $3" >&2
    exit 2
  fi
  realpath -m "$2"
}
INTEROP_CLIENT=$(needed our-client "${INTEROP_CLIENT:-$target/debug/examples/use_a_tool}" \
  "cargo build -p mcp-disclosure-client --example use_a_tool")
INTEROP_OWN_SERVER=$(needed own-server "${INTEROP_OWN_SERVER:-$target/debug/own-server}" \
  "CARGO_TARGET_DIR=$target cargo build --manifest-path examples/own-server/Cargo.toml")
first_page=$(needed site "${INTEROP_SITE:-$target/site}/index.html" "bash .ci/site")
INTEROP_SITE=$(dirname "$first_page")
export INTEROP_CLIENT INTEROP_OWN_SERVER INTEROP_SITE
export INTEROP_CACHE=$cache INTEROP_HERE=$here
export INTEROP_EVERYTHING=$cache/node/node_modules/.bin/mcp-server-everything
export INTEROP_PLAYWRIGHT=$cache/node/node_modules/.bin/playwright-mcp
export INTEROP_GIT=$cache/python-git/bin/mcp-server-git
export PYTHONDONTWRITEBYTECODE=1

for name in 1 2 git skills frameworks-1 frameworks-2 frameworks-crew frameworks-llama; do
  # What few programs need, where they are the ones that run.
  if [[ $name == [fs]* ]] && ! wanted "$name" && ! { [ "$name" = frameworks-2 ] && wanted frameworks-npm; }; then continue; fi
  install_python "$name"
done
install_node

run python-1 "$cache/python-1/bin/python" "$here/python/client_1.py"
run python-2 "$cache/python-2/bin/python" "$here/python/client_2.py"
run typescript-1 node "$cache/node/typescript/client-1.mjs"
run typescript-2 node "$cache/node/typescript/client-2.mjs"
run explained-python-1 "$cache/python-1/bin/python" "$here/python/explained_1.py"
run explained-python-2 "$cache/python-2/bin/python" "$here/python/explained_2.py"
run explained-typescript-1 node "$cache/node/typescript/explained-1.mjs"
run explained-typescript-2 node "$cache/node/typescript/explained-2.mjs"
run old-transport "$cache/python-1/bin/python" "$here/python/old_transport.py"
run own-server "$cache/python-1/bin/python" "$here/python/own_server.py"
run exported "$cache/python-1/bin/python" "$here/python/exported.py"
run concerns "$cache/python-1/bin/python" "$here/python/concerns.py"
run choosing "$cache/python-1/bin/python" "$here/python/choosing.py"
run walks "$cache/python-1/bin/python" "$here/python/walks.py"
run groups-python-1 "$cache/python-1/bin/python" "$here/python/groups_1.py"
run groups-python-2 "$cache/python-2/bin/python" "$here/python/groups_2.py"
run groups-typescript node "$cache/node/typescript/groups.mjs"
run frameworks-1 "$cache/python-frameworks-1/bin/python" "$here/python/frameworks.py" \
  mcp mcp_use langchain langchain_http langgraph
run frameworks-2 "$cache/python-frameworks-2/bin/python" "$here/python/frameworks.py" \
  mcp openai_agents pydantic_ai fastmcp agno
run frameworks-npm "$cache/python-frameworks-2/bin/python" "$here/python/frameworks.py" \
  typescript_1 typescript_2 ai_sdk mastra
run frameworks-crew "$cache/python-frameworks-crew/bin/python" "$here/python/frameworks.py" \
  crewai smolagents semantic_kernel
run frameworks-llama "$cache/python-frameworks-llama/bin/python" "$here/python/frameworks.py" llamaindex
run skills "$cache/python-skills/bin/python" "$here/python/skills.py"
run delta-mcp "$cache/python-1/bin/python" "$here/python/delta_mcp.py"
run own-roots node "$cache/node/typescript/own-roots.mjs"
run equal node "$cache/node/typescript/equal.mjs"
run apps node "$cache/node/typescript/apps.mjs"
run front-door-python "$cache/python-1/bin/python" "$here/python/front_door.py"
run front-door-typescript node "$cache/node/typescript/front-door.mjs"
run sessions node "$cache/node/typescript/sessions.mjs"
run five-at-once node "$cache/node/typescript/five-at-once.mjs"
run tasks node "$cache/node/typescript/tasks.mjs"
run circles node "$cache/node/typescript/circles.mjs"
run our-client node "$cache/node/typescript/our-client.mjs"
run sign-in node "$cache/node/typescript/sign-in.mjs"
run page node "$cache/node/typescript/page.mjs"
run status node "$cache/node/typescript/status.mjs"
run site node "$cache/node/typescript/site.mjs"
run inspector node "$cache/node/typescript/inspector.mjs"
run eras-python "$cache/python-2/bin/python" "$here/python/across_eras.py" "${INTEROP_ERAS:-gateway}"
run eras-typescript node "$cache/node/typescript/across-eras.mjs" "${INTEROP_ERAS:-gateway}"

# Their closing lines are added up; a program that ended without one has failed.
wait
for name in ${INTEROP_ONLY:-}; do
  if ! [[ " ${started[*]} " == *" $name "* ]]; then
    echo "INTEROP_ONLY: there is no program $name" >&2
    exit 2
  fi
done
passed=0 failed=0
for name in "${started[@]}"; do
  closing=$(tail -n 1 "$cache/$name.out")
  if [[ $closing =~ :\ ([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
  else
    failed=$((failed + 1))
    echo "FAIL $name: ended without a closing line; see $cache/$name.log"
  fi
done
echo "interop: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
