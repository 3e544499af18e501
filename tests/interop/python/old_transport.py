"""Servers over the deprecated HTTP+SSE transport, behind the gateway: the official Python SDK's, and server-everything."""

import os
import sys
import tempfile
from contextlib import asynccontextmanager

import anyio
from mcp import ClientSession
from mcp.types import ElicitResult

import sdk1
from checks import Checks
from programs import EVERYTHING, GATEWAY, gateway, listener

SERVER = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "server_1.py")]
NODE_EVERYTHING = ["env", "PORT={port}", EVERYTHING[0], "sse"]


async def main():
    checks = Checks("old transport")
    async with checks.group("python"), listener(lambda port: [*SERVER, str(port), "sse"]) as origin:
        await ask(checks, gateway("full", f"{origin}/sse"))
        with configured(f"{origin}/sse") as file:
            await ask(checks, [GATEWAY, "serve", "--strategy", "full", "--config", file.name])
    everything = lambda port: [word.format(port=port) for word in NODE_EVERYTHING]  # noqa: E731
    async with checks.group("everything"), listener(everything) as origin:
        async with session_of(gateway("full", f"{origin}/sse")) as session:
            names = [tool.name for tool in (await session.list_tools()).tools]
            checks.true("tools are listed", "echo" in names, names)
            said = await session.call_tool("echo", {"message": "hello"})
            checks.equal("a call", said.content[0].text, "Echo: hello")
    return checks.close()


def configured(url):
    file = tempfile.NamedTemporaryFile("w", suffix=".toml")
    file.write(f'[upstreams.old]\ntype = "sse"\nurl = "{url}"\n')
    file.flush()
    return file


@asynccontextmanager
async def session_of(command):
    async with sdk1.transport(command) as (read, write, *_):
        async with ClientSession(read, write, elicitation_callback=confirm) as session:
            await session.initialize()
            yield session


async def confirm(context, params):
    return ElicitResult(action="accept", content={"name": "Ada"})


async def ask(checks, command):
    progress = []

    async def heard(done, total, message):
        progress.append((done, total))

    async with session_of(command) as session:
        names = [tool.name for tool in (await session.list_tools()).tools]
        checks.true("tools are listed", {"ask", "progress"} <= set(names), names)
        greeted = await session.call_tool("ask", {})
        checks.equal("a question is answered", greeted.content[0].text, "Hello Ada")
        done = await session.call_tool("progress", {}, progress_callback=heard)
        checks.equal("a call", done.content[0].text, "Done")
        checks.equal("its progress", progress, [(1.0, 2.0), (2.0, 2.0)])


sys.exit(anyio.run(main))
