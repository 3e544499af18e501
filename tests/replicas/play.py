"""Random play against three replicas, a store and a proxy (K2).

Clients by hand and the official Python and TypeScript clients (of both eras) open sessions, list, fetch, choose, call and end
through a proxy that sends each request to another replica. Those by hand also send requests at the same time, hold a stream, and hang up
while they end a session. A model of each session says what each answer may be. Meanwhile a replica is killed every few
seconds and started again, and the store is restarted twice, empty.

The last line has the counts: what was refused, passed or unanswered wrongly. Each of them must be 0.
"""

import asyncio
import os
import random
import signal
import string
import subprocess
import sys
import time
from pathlib import Path

import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "interop" / "python"))

from ports import held_port  # noqa: E402 - from the folder above

SECONDS = float(os.environ.get("SECONDS", 60))
KILL_EVERY = float(os.environ.get("KILL_EVERY", 10))
CLIENTS = int(os.environ.get("CLIENTS", 8))
SEED = int(os.environ.get("SEED", time.time()))
GATEWAY, ODD = os.environ["MCP_DISCLOSURE_BIN"], os.environ["ODD_UPSTREAM"]
WORK, PLAY_MJS = Path(os.environ["REPLICAS_WORK"]), os.environ["PLAY_MJS"]

# Seconds after the store is back in which errors are still accepted, as measured on a busy machine.
GRACE = 4.0

# Seconds in which a program has to start, listen and serve.
START_SECONDS = 60

HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "play", "version": "1"}}

counts = {"sessions": 0, "requests": 0, "refused": 0, "passed": 0, "unanswered": 0, "lost": 0, "outages": 0, "kills": 0,
          "restarts": 0, "official": 0, "typescript": 0, "stateless": 0,
          "together": 0, "streams": 0, "hung_up": 0}
kills, outages = [], []


def wrong(kind, what):
    counts[kind] += 1
    print(f"WRONGLY {kind}: {what}", flush=True)


def overlaps(moments, begun, grace=0.0):
    """Whether one of these times (begin, end) touches a request that began then."""
    now = time.monotonic()
    return any(start <= now and end + grace >= begun for start, end in moments)


class Stage:
    """The processes."""

    def __init__(self):
        self.ports = {name: held_port() for name in ("a", "b", "c", "proxy", "store")}
        self.replicas, self.log = {}, open(WORK / "processes.log", "wb")
        config = string.Template((HERE / "haproxy.cfg").read_text()).substitute(self.ports)
        (WORK / "haproxy.cfg").write_text(config)
        subprocess.run(["haproxy", "-c", "-q", "-f", WORK / "haproxy.cfg"], check=True)
        self.receipt_key = WORK / "receipt.key"
        self.receipt_key.write_bytes(os.urandom(32))
        self.receipt_key.chmod(0o600)
        self.start_store()
        for name in "abc":
            self.start_replica(name)
        self.proxy = self.spawn(["haproxy", "-db", "-f", WORK / "haproxy.cfg"])
        self.url = f"http://127.0.0.1:{self.ports['proxy']}/mcp"

    def spawn(self, command):
        return subprocess.Popen(command, stdout=self.log, stderr=self.log, env={**os.environ, "ODD": ODD})

    def start_store(self):
        program = os.environ.get("SESSION_STORE_SERVER", "redis-server")
        self.store = self.spawn([program, "--port", str(self.ports["store"]), "--save", "", "--appendonly", "no"])

    def start_replica(self, name):
        self.replicas[name] = self.spawn([
            GATEWAY, "serve", "--config", HERE / "disclosure.toml", "--strategy", "concerns+resource", "--transport", "http",
            "--listen", f"127.0.0.1:{self.ports[name]}", "--fetches-per-minute", "0",
            "--session-store", f"redis://127.0.0.1:{self.ports['store']}", "--receipt-key-file", self.receipt_key,
            # All are of one address, and many are never ended.
            "--limit", "sessions_per_peer=100000",
        ])

    async def ready(self, name):
        """Waits until this process accepts connections."""
        process = {"store": self.store, "proxy": self.proxy, **self.replicas}[name]
        async with asyncio.timeout(START_SECONDS):
            while True:
                if process.poll() is not None:
                    raise RuntimeError(f"{name} ended with {process.returncode} before it listened")
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", self.ports[name])
                    writer.close()
                    return
                except OSError:
                    await asyncio.sleep(0.05)

    async def serving(self, name, http):
        """Waits until sessions are opened here: a replica accepts connections before the store knows it, the proxy before it
        has found a replica."""
        url = f"http://127.0.0.1:{self.ports[name]}/mcp"
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
        async with asyncio.timeout(START_SECONDS):
            while "mcp-session-id" not in (await http.post(url, json=message, headers=HEADERS)).headers:
                await asyncio.sleep(0.05)

    def end(self):
        for process in [*self.replicas.values(), self.proxy, self.store]:
            process.kill()
            process.wait()


async def killer(stage, until):
    names = iter("abc" * 10_000)
    while time.monotonic() + KILL_EVERY < until:
        await asyncio.sleep(KILL_EVERY)
        name = next(names)
        moment = [time.monotonic(), float("inf")]
        kills.append(moment)
        stage.replicas[name].send_signal(signal.SIGKILL)
        stage.replicas[name].wait()
        counts["kills"] += 1
        await asyncio.sleep(1)
        moment[1] = time.monotonic()
        stage.start_replica(name)
        await stage.ready(name)


async def restarter(stage):
    for _ in range(2):
        await asyncio.sleep(SECONDS / 3)
        moment = [time.monotonic(), float("inf")]
        outages.append(moment)
        stage.store.kill()
        stage.store.wait()
        await asyncio.sleep(1)
        stage.start_store()
        await stage.ready("store")
        moment[1] = time.monotonic()
        counts["restarts"] += 1


class Lost(Exception):
    """A request has no answer of ours, and need not have one. What it did is not known."""


class Gone(Exception):
    """The session is unknown."""


class Player:
    """One session after the other, by hand."""

    def __init__(self, http, url, dice):
        self.http, self.url, self.dice, self.stream = http, url, dice, None

    async def send(self, method, message=None):
        begun = time.monotonic()
        counts["requests"] += 1
        headers = {**HEADERS, "mcp-session-id": self.session} if self.session else HEADERS
        try:
            answer = await self.http.request(method, self.url, json=message, headers=headers)
        except httpx.HTTPError as error:
            return self.lost(begun, error)
        if answer.status_code == 404:
            raise Gone
        if answer.status_code == 204:
            return None, None
        try:
            body = answer.json()
        except ValueError:
            return self.lost(begun, f"{answer.status_code} of the proxy")
        if body.get("error", {}).get("code") == -32006:
            if not overlaps(outages, begun, GRACE):
                wrong("refused", f"{message or method}: {body['error']['message']}")
            counts["outages"] += 1
            raise Lost
        return answer, body

    def lost(self, begun, error):
        counts["lost"] += 1
        # The proxy notices a dead replica within a fifth of a second.
        if not overlaps(kills, begun, 0.5):
            wrong("unanswered", repr(error))
        raise Lost

    async def request(self, method, **params):
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        return await self.send("POST", message)

    async def play(self, until):
        while time.monotonic() < until:
            self.session, self.last, self.sure, self.maybe, self.choice = None, 0, set(), set(), "any"
            self.opened, self.ending = time.monotonic(), False
            self.let_go()
            try:
                answer, _ = await self.request("initialize", **INITIALIZE)
            except (Lost, Gone):
                await asyncio.sleep(0.1)
                continue
            self.session = answer.headers["mcp-session-id"]
            counts["sessions"] += 1
            for _ in range(self.dice.randint(5, 60)):
                moves = [self.list, self.fetch, self.call, self.choose, self.together, self.hold, self.end, self.hang_up]
                move = self.dice.choices(moves, [3, 2, 8, 2, 1, 0.3, 0.2, 0.2])[0]
                try:
                    if await move():
                        break
                except Lost:
                    continue
                except Gone:
                    # Only a store that came back empty may have lost it, or an end whose answer was lost.
                    if not self.ending and not overlaps(outages, self.opened, GRACE):
                        wrong("refused", f"404 for a session that is open, at {move.__name__}")
                    break
                if time.monotonic() > until:
                    break
        self.let_go()

    def let_go(self):
        if self.stream is not None:
            self.stream.cancel()
            self.stream = None

    def visible(self):
        return {"any": {"echo", "wait"}, "low": {"echo"}, "high": {"wait"}}.get(self.choice)

    async def list(self):
        _, body = await self.request("tools/list")
        listed = {tool["name"] for tool in body["result"]["tools"]} & {"echo", "wait"}
        expected = self.visible()
        if expected is not None and listed != expected:
            wrong("passed" if listed - expected else "refused", f"listed {listed} after the choice of {self.choice}")

    async def fetch(self):
        # A choice narrows lists. What is not listed is found by its exact name.
        tool = self.dice.choice(["echo", "wait"])
        self.maybe.add(tool)
        _, body = await self.request("resources/read", uri=f"resource:///tool_descriptions?tools={tool}")
        text = body.get("result", {}).get("contents", [{}])[0].get("text", "")
        if f'"name":"{tool}"' in text:
            self.sure.add(tool)
        else:
            wrong("refused", f"a fetch of {tool}: {body}")

    async def call(self):
        # A fetch at the same time may be answered before the call, and yet have been later.
        is_sure = "echo" in self.sure
        _, body = await self.request("tools/call", name="echo", arguments={"text": "hello"})
        passed = "error" not in body and not body.get("result", {}).get("isError")
        if passed and "echo" not in self.maybe:
            wrong("passed", "echo was never fetched")
        elif not passed and is_sure:
            wrong("refused", f"echo was fetched: {body}")
        elif not passed and "DESCRIPTION_REQUIRED" not in str(body):
            wrong("refused", f"for another reason: {body}")

    async def choose(self):
        choice = self.dice.choice(["any", "low", "high"])
        self.choice = "unknown"
        value = None if choice == "any" else choice
        _, body = await self.request("tools/call", name="choose_concerns", arguments={"concerns": {"cost": value}})
        if "error" in body or body["result"].get("isError"):
            wrong("refused", f"a choice: {body}")
        else:
            self.choice = choice

    async def together(self):
        """Some at the same time, so at several replicas."""
        counts["together"] += 1
        moves = [self.dice.choice([self.list, self.fetch, self.call])() for _ in range(4)]
        outcomes = await asyncio.gather(*moves, return_exceptions=True)
        for outcome in sorted((one for one in outcomes if one), key=lambda one: isinstance(one, Lost)):
            raise outcome

    async def hold(self):
        """Holds the general stream until its end."""
        if self.stream is not None:
            return

        async def read(headers):
            try:
                timeout = httpx.Timeout(20, read=None)
                async with self.http.stream("GET", self.url, headers=headers, timeout=timeout) as answer:
                    if answer.status_code == 200:
                        counts["streams"] += 1
                        async for _ in answer.aiter_lines():
                            pass
            except httpx.HTTPError:
                pass  # Its replica was killed.

        self.stream = asyncio.create_task(read({"accept": "text/event-stream", "mcp-session-id": self.session}))

    async def end(self):
        self.ending = True
        await self.send("DELETE")
        for _ in range(3):
            try:
                _, body = await self.request("ping")
                wrong("passed", f"a session whose end was answered: {body}")
            except Gone:
                pass
            except Lost:
                pass
        await self.is_closed()
        return True

    async def is_closed(self):
        if self.stream is not None:
            _, open_still = await asyncio.wait([self.stream], timeout=10)
            if open_still:
                self.stream.cancel()
                wrong("passed", "a stream of a session whose end was answered")

    async def hang_up(self):
        """Ends the session without waiting for the answer, and then properly."""
        counts["hung_up"] += 1
        self.ending = True
        ending = asyncio.create_task(self.send("DELETE"))
        await asyncio.wait([ending], timeout=self.dice.uniform(0, 0.01))
        ending.cancel()
        await asyncio.gather(ending, return_exceptions=True)
        try:
            return await self.end()
        except Gone:
            # The first one has begun, and is finished without its client.
            begun = time.monotonic()
            while time.monotonic() < begun + 10:
                try:
                    await self.request("ping")
                except Gone:
                    await self.is_closed()
                    return True
                except Lost:
                    pass
            wrong("passed", "a session whose end has begun")
            return True


async def official(url, until):
    """The official Python client, one conversation after the other."""
    while time.monotonic() < until:
        begun = time.monotonic()
        try:
            async with asyncio.timeout(30), streamablehttp_client(url) as (read, write, _), ClientSession(read, write) as client:
                await client.initialize()
                for _ in range(10):
                    await client.list_tools()
                    await client.read_resource("resource:///tool_descriptions?tools=echo")
                    for _ in range(3):
                        called = await client.call_tool("echo", {"text": "hello"})
                        if called.isError:
                            wrong("refused", f"the official client's call: {called}")
                    counts["official"] += 5
        except BaseException as error:  # Groups of errors, of which some are not of Exception.
            if isinstance(error, (KeyboardInterrupt, SystemExit, asyncio.CancelledError)):
                raise
            # It sends what is lost once.
            if not overlaps(kills, begun, 0.5) and not overlaps(outages, begun, GRACE):
                wrong("unanswered", f"the official client: {error!r}")
        await asyncio.sleep(0.05)


async def typescript(stage, until):
    """The official TypeScript clients: play.mjs says line by line what they begin and how it ends."""
    seconds = str(until - time.monotonic())
    node = await asyncio.create_subprocess_exec(
        "node", PLAY_MJS, stage.url, seconds, stdout=asyncio.subprocess.PIPE, stderr=stage.log)
    begun = {}
    async for line in node.stdout:
        event, _, rest = line.decode(errors="replace").rstrip().partition(" ")
        client, _, said = rest.partition(" ")
        # Clients without a session notice nothing of the store.
        concerned = [] if client == "stateless" else outages
        if event == "begin":
            begun[client] = time.monotonic()
        elif event == "asked":
            counts["stateless" if client == "stateless" else "typescript"] += int(said)
        elif event == "passed" or event == "refused":
            wrong(event, f"{client}: {said}")
        elif event == "failed" and not (overlaps(kills, begun[client], 0.5) or overlaps(concerned, begun[client], GRACE)):
            wrong("unanswered", f"{client}: {said}")
    if await node.wait() != 0:
        wrong("unanswered", f"{PLAY_MJS} ended with {node.returncode}; see {stage.log.name}")


def busy():
    """Whether there was enough of everything for the counts to say something."""
    asked = min(counts["requests"], counts["official"], counts["typescript"], counts["stateless"])
    return asked > 100 and counts["kills"] >= min(1, int(SECONDS / KILL_EVERY) - 1) and counts["restarts"] >= 2


async def main():
    print(f"seed {SEED}", flush=True)
    stage = Stage()
    try:
        for name in ("store", "a", "b", "c", "proxy"):
            await stage.ready(name)
        limits = httpx.Limits(max_connections=200, max_keepalive_connections=0)
        async with httpx.AsyncClient(timeout=20, limits=limits) as http:
            for name in ("a", "b", "c", "proxy"):
                await stage.serving(name, http)
            dice = [random.Random(SEED + at) for at in range(CLIENTS)]
            # A slow machine plays longer, not less.
            for _ in range(3):
                until = time.monotonic() + SECONDS
                players = [Player(http, stage.url, one).play(until) for one in dice]
                officials = [official(stage.url, until) for _ in range(2)]
                await asyncio.gather(
                    killer(stage, until), restarter(stage), typescript(stage, until), *players, *officials)
                if busy():
                    break
    finally:
        stage.end()
    print(" ".join(f"{name}={count}" for name, count in counts.items()))
    bad = counts["refused"] + counts["passed"] + counts["unanswered"]
    print(f"replicas: wrongly refused {counts['refused']}, passed {counts['passed']}, unanswered {counts['unanswered']}")
    sys.exit(0 if bad == 0 and busy() else 1)


asyncio.run(main())
