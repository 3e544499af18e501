"""The searches that are compared: how each is started, asked, and how its answers are read.

A front is a class with

- `label`: of its row;
- `connect(stack, world)`: a session of the official SDK's client with it;
- `search(query)`: the call that a model makes to find tools;
- `hits(answer)`: what it found, best first;
- `learn(hit)`: the call for the schema of a hit that came without one, else `None`;
- `use(hit, arguments)`: the call of the tool.

A call is `(tool, arguments)`.
"""

import asyncio
import json
import os
import socket
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

HERE = Path(__file__).parent
PATIENCE = 60


@dataclass(frozen=True)
class Hit:
    """A tool that was found."""

    tool: str
    """As the labels name it: `server:tool`."""
    name: str
    """As the front names it."""
    is_weak: bool = False
    """Whether the front marks it as possibly of no use."""
    has_schema: bool = True


class Failure(Exception):
    """Why nothing can be measured."""


class Labels(dict):
    """The labels of tools by the names that a front gives."""

    def __missing__(self, name):
        raise Failure(f"the search found {name!r}, which is no recorded tool")


class World:
    """The recorded tools, and a folder for the fronts' files."""

    def __init__(self, recordings, accuracy, folder):
        self.recordings, self.folder = Path(recordings), Path(folder)
        files = sorted(self.recordings.glob("*.json"))
        if not files:
            raise Failure(f"{recordings} has no recorded lists")
        recorded = {file.stem: json.loads(file.read_text()) for file in files}
        self.tools = {server: [tool["name"] for tool in one["tools"]] for server, one in recorded.items()}
        self.instructions = [one["instructions"] for one in recorded.values() if one.get("instructions")]
        journal = self.folder / "journal"
        journal.touch()
        self.servers = {
            file.stem: {"command": accuracy, "args": ["replay", file.stem, str(file.resolve()), str(journal)]}
            for file in files
        }
        self.config = self.folder / "servers.json"
        self.config.write_text(json.dumps({"mcpServers": self.servers}))

    def labels(self, *spellings):
        """The labels by the names that a front gives: each spelling makes a name of a server and a tool. A name that two
        tools would have is left out."""
        found = {}
        for spelling in spellings:
            for server, tools in self.tools.items():
                for tool in tools:
                    found.setdefault(spelling(server, tool), set()).add(f"{server}:{tool}")
        return Labels({name: labels.pop() for name, labels in found.items() if len(labels) == 1})


def text_of(answer):
    """What a model reads of a result. Structured copies of it are not counted, though some hosts show both."""
    return "\n".join(part.text for part in answer.content if part.type == "text")


async def over_stdio(stack, world, command, *arguments):
    """A session with a child, whose cache is not the user's."""
    environment = {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(world.folder)}
    child = StdioServerParameters(command=str(command), args=[str(it) for it in arguments], env=environment)
    return await stack.enter_async_context(ClientSession(*await stack.enter_async_context(stdio_client(child))))


class FastMcp:
    """FastMCP's search tool answers with whole definitions."""

    def search(self, query):
        return "search_tools", {"query": query}

    def hits(self, answer):
        found = json.loads(text_of(answer) or "[]")
        return [Hit(self.labels[tool["name"]], tool["name"]) for tool in found]

    def learn(self, hit):
        return None

    def use(self, hit, arguments):
        return "call_tool", {"name": hit.name, "arguments": arguments}


class FastMcpProxy(FastMcp):
    """Its proxy in front of the servers, as it comes from a host's file."""

    def __init__(self):
        self.label = f"FastMCP {version('fastmcp')}, proxy"

    async def connect(self, stack, world):
        self.labels = world.labels(lambda server, tool: tool, lambda server, tool: f"{server}_{tool}")
        return await over_stdio(stack, world, sys.executable, HERE / "fastmcp_proxy.py", world.config)


class FastMcpServer(FastMcp):
    """One server with all tools as its own."""

    def __init__(self):
        self.label = f"FastMCP {version('fastmcp')}, one server"

    async def connect(self, stack, world):
        self.labels = world.labels(lambda server, tool: tool, lambda server, tool: f"{server}_{tool}")
        return await over_stdio(stack, world, sys.executable, HERE / "fastmcp_server.py", world.recordings)


class Bm25s(FastMcp):
    """bm25s in a server of its own, which answers as FastMCP's does."""

    def __init__(self):
        self.label = f"bm25s {version('bm25s')}, stems, parameters"

    async def connect(self, stack, world):
        self.labels = world.labels(lambda server, tool: f"{server}__{tool}")
        return await over_stdio(stack, world, sys.executable, HERE / "bm25s_server.py", world.recordings)


class McpProxyCrate:
    """The `mcp-proxy` crate with `tool_exposure = "search"`, which answers with descriptions and has a tool for schemas. It
    serves HTTP only."""

    def __init__(self, program, number):
        self.program, self.label = program, f"`mcp-proxy` {number}, search mode"

    async def connect(self, stack, world):
        self.labels = world.labels(lambda server, tool: f"{server}:{tool}")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        config = world.folder / "mcp-proxy.toml"
        config.write_text(self.config(world, port))
        log = stack.enter_context(open(world.folder / "mcp-proxy.log", "w"))
        child = await asyncio.create_subprocess_exec(self.program, "--config", config, stdout=log, stderr=log)
        stack.push_async_callback(end, child)
        await until_listening(child, port, log.name)
        streams = await stack.enter_async_context(streamable_http_client(f"http://127.0.0.1:{port}/"))
        return await stack.enter_async_context(ClientSession(*streams[:2]))

    def config(self, world, port):
        # JSON's strings and arrays of strings are TOML's, too.
        head = f"""[proxy]
name = "mcp-proxy"
tool_exposure = "search"
[proxy.listen]
host = "127.0.0.1"
port = {port}
"""
        backend = """[[backends]]
name = {}
transport = "stdio"
command = {}
args = {}
"""
        entries = [[name, server["command"], server["args"]] for name, server in world.servers.items()]
        return head + "".join(backend.format(*map(json.dumps, entry)) for entry in entries)

    def search(self, query):
        return "proxy/search_tools", {"query": query}

    def hits(self, answer):
        found = json.loads(text_of(answer) or "[]")
        # Its own tools are not found.
        return [Hit(self.labels[hit["id"]], hit["id"], has_schema=False) for hit in found]

    def learn(self, hit):
        return "proxy/get_tool", {"tool_id": hit.name}

    def use(self, hit, arguments):
        return "proxy/call_tool", {"name": hit.name.replace(":", "/", 1), "arguments": arguments}


class Ours:
    """`mcp-disclosure serve --strategy search`, which marks weak hits and gives the best ones with their schemas."""

    def __init__(self, program):
        self.program, self.label = Path(program), "mcp-disclosure, `search`"
        if self.program.parent.name == "debug":
            # Slower by an order of magnitude, which must not be taken for the program's.
            self.label += ", debug build"

    async def connect(self, stack, world, *flags):
        self.labels = world.labels(lambda server, tool: tool, lambda server, tool: f"{server}__{tool}")
        arguments = ["serve", "--strategy", "search", "--log", "error", "--mcp-config", world.config, *flags]
        return await over_stdio(stack, world, self.program, *arguments)

    async def settle(self, session):
        """Waits for what the first search began."""

    def search(self, query):
        return "search_tools", {"query": query}

    def hits(self, answer):
        found = json.loads(text_of(answer))["tools"]
        return [
            Hit(self.labels[hit["name"]], hit["name"], hit["match"] == "weak", "inputSchema" in hit) for hit in found
        ]

    def learn(self, hit):
        if hit.has_schema:
            return None
        # As its guidance says.
        return "search_tools", {"query": hit.name}

    def use(self, hit, arguments):
        return "call_tool", {"tool": hit.name, "arguments": arguments}


class OursWithModel(Ours):
    """The same with the vectors of a model on a server: wordllama's."""

    def __init__(self, program):
        super().__init__(program)
        self.label = self.label.replace("`search`", "`search` with a wordllama server")

    async def connect(self, stack, world):
        server = HERE / "embeddings_server.py"
        child = await asyncio.create_subprocess_exec(sys.executable, server, stdout=asyncio.subprocess.PIPE)
        stack.push_async_callback(end, child)
        url = (await child.stdout.readline()).decode().strip()
        settings = world.folder / "embeddings.toml"
        settings.write_text(f'[strategy.search.embeddings]\nurl = "{url}"\nmodel = "wordllama"\n')
        self.kept = world.folder / "mcp-disclosure/embeddings"
        return await super().connect(stack, world, "--config", settings)

    async def settle(self, session):
        # It reads them at the first search.
        await session.call_tool("search_tools", {"query": "read"})
        for _ in range(PATIENCE * 10):
            if list(self.kept.glob("*.vectors")):
                return
            await asyncio.sleep(0.1)
        raise Failure("the model does not read the tools")


async def until_listening(child, port, log):
    """Waits until a child listens on loopback."""
    for _ in range(PATIENCE * 10):
        if child.returncode is not None:
            break
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        except OSError:
            await asyncio.sleep(0.1)
    raise Failure(f"it does not listen:\n{Path(log).read_text()}")


async def end(child):
    """Ends a child that may have ended."""
    if child.returncode is None:
        child.terminate()
    await child.wait()
