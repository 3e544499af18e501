#!/usr/bin/env bash
# What operators are given, checked by the programs that they use: the metrics by promtool and by a Prometheus that scrapes
# them, the alerts by promtool, and the unit by systemd-analyze.
#
#   MCP_DISCLOSURE_BIN  the gateway; else the debug build of this repository
#   PROMTOOL, PROMETHEUS, SYSTEMD_ANALYZE  else those in PATH; else Debian's packages are installed, which takes root
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

gateway=${MCP_DISCLOSURE_BIN:-${CARGO_TARGET_DIR:-$PWD/target}/debug/mcp-disclosure}
gateway=$(cd "$(dirname "$gateway")" && pwd)/$(basename "$gateway")
[ -x "$gateway" ] || { echo "no gateway: build it, or name it in MCP_DISCLOSURE_BIN" >&2; exit 2; }

# The path of a program, which this package has if it is not there.
program() {
  if ! command -v "$1" > /dev/null; then
    echo "installing $2, for $1" >&2
    local apt
    apt="$(command -v sudo || true) apt-get -o Acquire::Retries=3"
    { $apt update || true; $apt install -y --no-install-recommends "$2"; } > /dev/null \
      || { echo "no $1: install it, or name it" >&2; exit 2; }
  fi
  command -v "$1"
}
promtool=${PROMTOOL:-$(program promtool prometheus)}
prometheus=${PROMETHEUS:-$(program prometheus prometheus)}
analyze=${SYSTEMD_ANALYZE:-$(program systemd-analyze systemd)}

folder=$(mktemp -d)
serving='' scraping=''
trap 'exec 9>&-; [ -z "$scraping" ] || kill "$scraping"; wait; rm -rf "$folder"' EXIT
checked=0
ok() { checked=$((checked + 1)); echo "ok   $*"; }
fail() { echo "FAIL $*" >&2; exit 1; }

# A session with calls, refusals and fetches, over a pipe that stays open.
mkfifo "$folder/in"
"$gateway" --log-format json serve --strategy resource --admin 127.0.0.1:0 --audit "$folder/audit.jsonl" \
  < "$folder/in" > "$folder/out" 2> "$folder/err" &
serving=$!
exec 9> "$folder/in"
cat docs/conversation.jsonl >&9
for _ in $(seq 200); do
  admin=$(sed -n 's|.*operators find http://\([^/]*\)/status.*|\1|p' "$folder/err")
  [ -n "$admin" ] && grep -q solutions "$folder/out" && break
  kill -0 "$serving" || fail "the gateway ended: $(cat "$folder/err")"
  sleep 0.1
done
[ -n "$admin" ] || fail "no address for operators"

curl -fsS "http://$admin/metrics" > "$folder/metrics"
said=$("$promtool" check metrics < "$folder/metrics" 2>&1) || fail "promtool check metrics: $said"
[ -z "$said" ] || fail "promtool check metrics: $said"
ok "promtool has no objection to $(grep -c '^mcp_' "$folder/metrics") samples"
grep -q 'calls_total{outcome="ok",strategy="resource"} 1$' "$folder/metrics" || fail "the call is not counted"
ok "the call is counted"

# Every metric is documented, and none that is not there. There is no store of sessions here.
served=$({ sed -n 's/^# TYPE \([a-z_]*\) .*/\1/p' "$folder/metrics"; echo mcp_disclosure_session_store_up; } | sort)
documented=$(sed -n 's/^| `\(mcp_disclosure_[a-z_]*\|process_[a-z_]*\)[`{].*/\1/p' docs/operating.md | sort)
difference=$(diff <(echo "$served") <(echo "$documented")) || fail "docs/operating.md has other metrics: $difference"
ok "docs/operating.md has each metric"

"$promtool" check rules packaging/operating/rules.yml > /dev/null || fail "the alerts"
"$promtool" test rules packaging/operating/rules.test.yml > "$folder/rules" || fail "the alerts: $(cat "$folder/rules")"
ok "the alerts"
for metric in $(grep -oh 'mcp_disclosure_[a-z_]*' packaging/operating/{rules.yml,dashboard.json} | sed 's/_bucket$//' | sort -u); do
  grep -qx "$metric" <<< "$served" || fail "the alerts or the dashboard use $metric, which is not there"
done
ok "the alerts and the dashboard use metrics that are there"

# A Prometheus with the configuration that is shipped, at this address, every second.
sed "s/127.0.0.1:9090/$admin/; s/15s/1s/" packaging/operating/prometheus.yml > "$folder/prometheus.yml"
cp packaging/operating/rules.yml "$folder"
"$promtool" check config "$folder/prometheus.yml" > "$folder/config" || fail "the configuration: $(cat "$folder/config")"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$prometheus" --config.file="$folder/prometheus.yml" --storage.tsdb.path="$folder/data" \
  --web.listen-address="127.0.0.1:$port" > "$folder/prometheus.log" 2>&1 9>&- &
scraping=$!
for _ in $(seq 200); do
  found=$(curl -fsS "http://127.0.0.1:$port/api/v1/query" --data-urlencode \
    'query=sum(mcp_disclosure_calls_total) + sum(up{job="mcp-disclosure"})' 2> /dev/null || true)
  grep -q '"value":\[[^,]*,"3"\]' <<< "$found" && break
  kill -0 "$scraping" || fail "Prometheus ended: $(tail -3 "$folder/prometheus.log")"
  sleep 0.2
done
grep -q '"value":\[[^,]*,"3"\]' <<< "$found" || fail "Prometheus has not scraped two calls: $found"
ok "Prometheus scrapes it"

sdk=${CARGO_TARGET_DIR:-$PWD/target}/operating
[ -x "$sdk/bin/python" ] || "${PYTHON:-python3}" -m venv "$sdk"
"$sdk/bin/pip" install --quiet --disable-pip-version-check "grafana-foundation-sdk==1769699998!10.1.0"
"$sdk/bin/python" tests/operating/dashboard.py packaging/operating/dashboard.json "127.0.0.1:$port" || fail "the dashboard"
ok "Grafana's models know all of the dashboard, and Prometheus its queries"

# The unit, with the program where it is.
sed "s|/usr/local/bin/mcp-disclosure|$gateway|" packaging/operating/mcp-disclosure.service > "$folder/mcp-disclosure.service"
said=$("$analyze" verify "$folder/mcp-disclosure.service" 2>&1) || fail "systemd-analyze: $said"
! grep -q mcp-disclosure.service <<< "$said" || fail "systemd-analyze: $said"
ok "systemd has no objection to the unit"

# Every line of the log and of the audit log is an object.
exec 9>&-
wait "$serving"
python3 - "$folder/err" "$folder/audit.jsonl" << 'PYTHON'
import json, sys
for name in sys.argv[1:]:
    lines = [json.loads(line) for line in open(name)]
    assert len(lines) >= 3 and all(isinstance(line, dict) for line in lines), name
PYTHON
ok "every line is JSON"
echo "operating: $checked passed, 0 failed"
