"""What a store costs: the time of a call, calls in a second of one to four processes, bytes of a session (docs/scaling.md).

    python3 tests/replicas/figures.py [latency] [throughput] [sessions]

MCP_DISCLOSURE_BIN and ODD_UPSTREAM name the programs; else the release builds are used.
Arrangements are measured in turns, so that what else the machine does falls on all of them. It needs redis-server (or what
SESSION_STORE_SERVER names), redis-cli and wrk, which sends what clients would: requests in several sessions, each of which is served by
all processes.
"""

import http.client
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "interop" / "python"))

from ports import held_port  # noqa: E402 - from the folder above

BUILT = Path(__file__).parents[2] / "target/release"
GATEWAY = os.environ.get("MCP_DISCLOSURE_BIN", BUILT / "mcp-disclosure")
ODD = os.environ.get("ODD_UPSTREAM", BUILT / "odd-upstream")
STORE = os.environ.get("SESSION_STORE_SERVER", "redis-server")

# Latency: calls in a turn, and turns.
CALLS, TURNS = 200, 20
# Throughput: seconds of a turn, turns, connections in all, and sessions.
SECONDS, ROUNDS, CONNECTIONS, SHARED = 4, int(os.environ.get("ROUNDS", 5)), 24, 12
# Bytes: sessions in the store.
MANY = int(os.environ.get("SESSIONS", 100_000))

# Requests with ids of their own in one session after the other.
LUA = """
local sessions, number = { %s }, %d
function request()
  number = number + 1
  wrk.headers["mcp-session-id"] = sessions[number %% #sessions + 1]
  local body = '{"jsonrpc":"2.0","id":' .. number .. ',"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}'
  return wrk.format("POST", "/mcp", wrk.headers, body)
end
wrk.headers["content-type"] = "application/json"
wrk.headers["accept"] = "application/json"
"""


def ready(port):
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.05)


class Session:
    """A session, and the connection over which it was used last."""

    def __init__(self, port):
        self.headers = {"content-type": "application/json", "accept": "application/json"}
        self.move(port)
        self.request("initialize", {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "figures", "version": "1"}})

    def move(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.connection.connect()
        self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self

    def request(self, method, params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        self.connection.request("POST", "/mcp", body, self.headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status == 503:
            # A machine that does too much besides: it is the time of one request, and is measured as such.
            time.sleep(1)
            return self.request(method, params)
        assert answer.status == 200, text
        if session := answer.getheader("mcp-session-id"):
            self.headers["mcp-session-id"] = session
        return json.loads(text)

    def fetch(self):
        self.request("resources/read", {"uri": "resource:///tool_descriptions?tools=echo"})
        return self

    def call(self):
        begun = time.perf_counter()
        answer = self.request("tools/call", {"name": "echo", "arguments": {"text": "hello"}})
        assert not answer["result"].get("isError"), answer
        return time.perf_counter() - begun


class Stage:
    """The processes, ended together."""

    def __init__(self):
        self.processes = []

    def start(self, command, port):
        self.processes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
        ready(port)
        return port

    def store(self):
        port = held_port()
        return self.start([STORE, "--port", str(port), "--save", ""], port)

    def gateway(self, *flags, store=None):
        port = held_port()
        shared = ["--session-store", f"redis://127.0.0.1:{store}"] if store else []
        command = [GATEWAY, "--log", "error", "serve", "--transport", "http", "--listen", f"127.0.0.1:{port}", "--strategy",
                   "resource", "--fetches-per-minute", "0", *shared, *flags, "--", ODD]
        return self.start(command, port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def median_us(times):
    return statistics.median(times) * 1e6


def latency():
    """The time of a call with and without a store, and of the first one elsewhere."""
    with Stage() as stage:
        store = stage.store()
        alone, shared, other = stage.gateway(), stage.gateway(store=store), stage.gateway(store=store)
        time.sleep(1)
        sessions = {"without a store": Session(alone).fetch(), "with a store": Session(shared).fetch()}
        times = {name: [] for name in sessions}
        for _ in range(TURNS):
            for name, session in sessions.items():
                times[name] += [session.call() for _ in range(CALLS)]
        for name, taken in times.items():
            tail = statistics.quantiles(taken, n=100)[98] * 1e6
            print(f"a call {name}: {median_us(taken):.0f} µs in the median of {len(taken)}, 99th percentile {tail:.0f} µs")
        print(f"latency, with / without: {median_us(times['with a store']) / median_us(times['without a store']):.2f} (goal 1.25)")
        moved = [Session(shared).fetch().move(other).call() for _ in range(100)]
        print(f"first call at another replica, which reads the session: {median_us(moved):.0f} µs in the median of {len(moved)}")


def loaded(ports, folder):
    """Calls in a second of all these processes together."""
    sessions = [Session(ports[at % len(ports)]).fetch() for at in range(SHARED)]
    for session in sessions:
        for port in ports:
            session.move(port).call()
    ids = ", ".join(f'"{session.headers["mcp-session-id"]}"' for session in sessions)
    running = []
    for at, port in enumerate(ports):
        script = folder / f"{port}.lua"
        script.write_text(LUA % (ids, at * 100_000_000))
        command = ["wrk", "--threads", "1", "--connections", str(CONNECTIONS // len(ports)), "--duration", f"{SECONDS}s",
                   "--timeout", "30s", "--script", script, f"http://127.0.0.1:{port}"]
        running.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    reports = [process.communicate()[0] for process in running]
    for report in reports:
        assert "Non-2xx" not in report and "Socket errors" not in report, report
    calls = sum(int(re.search(r"(\d+) requests in", report)[1]) for report in reports)
    return sum(float(re.search(r"Requests/sec:\s+([0-9.]+)", report)[1]) for report in reports), calls


def processor_time(processes):
    """Seconds of the processor that these used so far, and the upstreams that they started."""
    pids = [process.pid for process in processes]
    for pid in list(pids):
        for task in Path(f"/proc/{pid}/task").iterdir():
            pids += [int(child) for child in (task / "children").read_text().split()]
    stats = [Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split() for pid in pids]
    return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")


def throughput():
    """Calls in a second of one process without a store, and of one to four with one."""
    with Stage() as stage, tempfile.TemporaryDirectory() as folder:
        store = stage.store()
        alone = stage.gateway()
        replicas = [stage.gateway(store=store) for _ in range(4)]
        time.sleep(1)
        arrangements = {"one process without a store": [alone]} | {
            f"{count} with a store": replicas[:count] for count in (1, 2, 3, 4)}
        measured, costs = ({name: [] for name in arrangements} for _ in range(2))
        for _ in range(ROUNDS):
            for name, ports in arrangements.items():
                before = processor_time(stage.processes)
                rate, calls = loaded(ports, Path(folder))
                measured[name].append(rate)
                costs[name].append((processor_time(stage.processes) - before) / calls)
        rates, costs = ({name: statistics.median(taken) for name, taken in of.items()} for of in (measured, costs))
        for name, rate in rates.items():
            print(f"{name}: {rate:,.0f} calls a second, {costs[name] * 1e6:.0f} µs of the processor a call, in the median of {ROUNDS} turns")
        one, three = "one process without a store", "3 with a store"
        print(f"throughput, three with / one without: {rates[three] / rates[one]:.2f} (goal 0.7); "
              f"where nothing else runs, by what a call takes of the processor: {costs[one] / costs[three]:.2f}")


def used(store):
    said = subprocess.run(["redis-cli", "-p", str(store), "info", "memory"], capture_output=True, text=True, check=True).stdout
    return int(re.search(r"used_memory:(\d+)", said)[1])


def in_parts(work):
    """Does this with each of the numbers below MANY, on four threads."""
    failures = []

    def part(first):
        try:
            for number in range(first, MANY, 4):
                work(number)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=part, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def sessions():
    """Bytes that a session takes of the store, its allocator included."""
    room = ["--max-sessions", str(2 * MANY), "--limit", f"sessions_per_peer={2 * MANY}", "--limit", "unused_session=7200",
            "--session-idle", "7200"]
    with Stage() as stage:
        store = stage.store()
        ports = [stage.gateway(*room, store=store) for _ in range(2)]
        time.sleep(1)
        before = used(store)
        # Each thread has a connection to each process.
        local = threading.local()

        def at(replica, headers, work):
            if not hasattr(local, "connections"):
                local.connections = [Session(port).connection for port in ports]
            session = Session.__new__(Session)
            session.connection, session.headers = local.connections[replica], headers
            work(session)

        opened = {}

        def one(number):
            def work(session):
                session.headers = {"content-type": "application/json", "accept": "application/json"}
                session.request("initialize", {
                    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "figures", "version": "1"}})
                opened[number] = session.headers
            at(0, None, work)

        def report(what):
            print(f"a session {what}: {(used(store) - before) / MANY:.0f} bytes in the mean of {MANY:,}", flush=True)

        in_parts(one)
        report("at one replica")
        in_parts(lambda number: at(1, opened[number], lambda session: session.request("ping", {})))
        report("at two replicas (goal 600)")
        in_parts(lambda number: at(1, opened[number], Session.fetch))
        report("at two replicas, with a tool learnt")


missing = [program for program in (GATEWAY, ODD, STORE, "redis-cli", "wrk") if not shutil.which(program)]
if missing:
    sys.exit(f"figures.py needs {', '.join(map(str, missing))}")
for name in sys.argv[1:] or ["latency", "throughput", "sessions"]:
    {"latency": latency, "throughput": throughput, "sessions": sessions}[name]()
