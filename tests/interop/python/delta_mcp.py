"""Delta-MCP's client (0.2.1), message by message as it sends them, before a real server under `auto`: its own dialect and
lists of at most 60 characters, and nothing is refused. Its packages are not published, so nothing is installed."""

import json
import subprocess
import sys
from urllib.request import Request, urlopen

import anyio

from checks import Checks
from programs import EVERYTHING, LOG, gateway, http_gateway

VERSION = "delta-mcp/0.2.0"
INITIALIZE = {
    "protocolVersion": VERSION,
    "clientInfo": {"name": "delta-mcp-client", "version": "0.2.0"},
    "capabilities": {"tools": {"progressiveDisclosure": True, "lazyLoading": True}, "encoding": {"compactJson": True}},
}
# The cap of Delta-MCP's descriptions, in characters.
MOST = 60


async def main():
    checks = Checks("delta-mcp client")
    async with checks.group("stdio"):
        with Stdio(gateway("auto", EVERYTHING)) as client:
            await anyio.to_thread.run_sync(converse, checks, client)
    async with checks.group("http"), http_gateway("auto", EVERYTHING) as origin:
        await anyio.to_thread.run_sync(converse, checks, Http(f"{origin}/mcp"))
    return checks.close()


def converse(checks, client):
    hello = client.ask("initialize", INITIALIZE)["result"]
    checks.equal("its version", hello["protocolVersion"], VERSION)
    checks.equal("its encoding", hello["encoding"], {"format": "json"})
    checks.equal("its capability", hello["capabilities"]["tools"]["progressiveDisclosure"], True)
    client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    listed = client.ask("tools/list")["result"]["tools"]
    checks.true("the server's tools", "echo" in [tool["name"] for tool in listed], listed)
    keys = {key for tool in listed for key in tool}
    checks.equal("names and descriptions only", sorted(keys), ["description", "name"])
    long = [tool for tool in listed if not 0 < len(tool["description"]) <= MOST]
    checks.equal("at most 60 characters", long, [])
    unreadable = [t["name"] for t in listed if "inputSchema" not in client.ask("tools/describe", {"name": t["name"]})["result"]]
    checks.equal("all are described", unreadable, [])
    called = client.ask("tools/call", {"name": "echo", "arguments": {"message": "hi"}})["result"]
    checks.equal("a call", called["content"], [{"type": "text", "text": "Echo: hi"}])


class Client:
    def __init__(self):
        self.last = 0

    def ask(self, method, params=None):
        """The answer to one request; without parameters it has no `params`."""
        self.last += 1
        request = {"jsonrpc": "2.0", "id": self.last, "method": method}
        return self.send(request if params is None else {**request, "params": params})


class Stdio(Client):
    def __init__(self, command):
        super().__init__()
        self.program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=LOG)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.stdin.close()
        self.program.wait(30)

    def send(self, message):
        self.program.stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        self.program.stdin.flush()
        while "id" in message:
            answer = json.loads(self.program.stdout.readline())
            if answer.get("id") == message["id"] and "method" not in answer:
                return answer


class Http(Client):
    def __init__(self, address):
        super().__init__()
        self.address = address
        self.headers = {
            "content-type": "application/json",
            "accept": "application/json, application/json",
            "mcp-protocol-version": "2025-11-25",
        }

    def send(self, message):
        body = json.dumps(message, separators=(",", ":")).encode()
        with urlopen(Request(self.address, body, self.headers), timeout=30) as answer:
            if session := answer.headers.get("mcp-session-id"):
                self.headers["mcp-session-id"] = session
            return json.loads(answer.read() or b"null")


sys.exit(anyio.run(main))
