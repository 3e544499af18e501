"""The official Python SDK 1.x against server-everything and mcp-server-git, directly and through the gateway."""

import sys

import anyio

import git_suite
import suites
from checks import Checks
from programs import EVERYTHING, gateway, http_gateway
from questions import ask_everything
from sdk1 import NAME, connect


async def main():
    checks = Checks(NAME)
    direct = {}
    async with checks.group("direct"):
        async with connect(EVERYTHING) as connection:
            direct = await ask_everything(connection)
            checks.true("the server answers", "result" in direct["tools/list"], direct)
    async with checks.group("stdio, full"):
        async with connect(gateway("full", EVERYTHING)) as connection:
            await suites.transparent(checks, connection, direct)
    async with checks.group("stdio, resource"):
        async with connect(gateway("resource", EVERYTHING)) as connection:
            await suites.with_sessions(checks, connection, direct)
    async with checks.group("stdio, resource by its bridge"):
        async with connect(gateway("resource", EVERYTHING)) as connection:
            await suites.by_bridge(checks, connection, direct)
    async with checks.group("http"), http_gateway("resource", EVERYTHING) as origin:
        await over_http(checks, origin, direct)
    async with checks.group("git, resource"):
        await git_suite.run(checks, connect)
    return checks.close()


async def over_http(checks, origin, direct):
    async with checks.group("http, full by its address"):
        async with connect(f"{origin}/mcp/full") as connection:
            await suites.transparent(checks, connection, direct)
    async with checks.group("http, resource"):
        async with connect(f"{origin}/mcp") as connection:
            await suites.with_sessions(checks, connection, direct)
    async with checks.group("http, resource by its address and bridge"):
        async with connect(f"{origin}/mcp/resource") as connection:
            await suites.by_bridge(checks, connection, direct)


sys.exit(anyio.run(main))
