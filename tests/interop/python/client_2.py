"""The official Python SDK 2.x: sessions, and the stateless protocol 2026-07-28, over both transports."""

import sys
from functools import partial

import anyio

import git_suite
import suites
from checks import Checks
from eras import without_tasks
from programs import EVERYTHING, gateway, http_gateway
from questions import ask_everything
from sdk2 import MODERN, NAME, connect


async def main():
    checks = Checks(NAME)
    direct = {}
    async with checks.group("direct"):
        # server-everything speaks up to 2025-11-25 only, so the direct answers are of that era.
        async with connect(EVERYTHING) as connection:
            direct = await ask_everything(connection)
            checks.true("the server answers", "result" in direct["tools/list"], direct)
    stateless = {**direct, "tools/list": without_tasks(direct["tools/list"])}
    async with checks.group("stdio, sessions, full"):
        async with connect(gateway("full", EVERYTHING)) as connection:
            await suites.transparent(checks, connection, direct)
    async with checks.group("stdio, sessions, resource"):
        async with connect(gateway("resource", EVERYTHING)) as connection:
            await suites.with_sessions(checks, connection, direct)
    async with checks.group("stdio, 2026-07-28 by probing, full"):
        async with connect(gateway("full", EVERYTHING), mode="auto") as connection:
            checks.true("speaks 2026-07-28", connection.modern)
            await suites.transparent(checks, connection, stateless)
    async with checks.group("stdio, 2026-07-28 at once, resource"):
        async with connect(gateway("resource", EVERYTHING), mode=MODERN) as connection:
            await suites.stateless(checks, connection, stateless)
    async with checks.group("http"), http_gateway("resource", EVERYTHING) as origin:
        await over_http(checks, origin, direct, stateless)
    for mode in ("legacy", "auto"):
        async with checks.group(f"git, resource, {mode}"):
            await git_suite.run(checks, partial(connect, mode=mode))
    return checks.close()


async def over_http(checks, origin, direct, stateless):
    async with checks.group("http, sessions, resource"):
        async with connect(f"{origin}/mcp") as connection:
            await suites.with_sessions(checks, connection, direct)
    async with checks.group("http, 2026-07-28 by probing, full by its address"):
        async with connect(f"{origin}/mcp/full", mode="auto") as connection:
            checks.true("speaks 2026-07-28", connection.modern)
            await suites.transparent(checks, connection, stateless)
    async with checks.group("http, 2026-07-28 at once, resource"):
        async with connect(f"{origin}/mcp", mode=MODERN) as connection:
            receipt = await suites.stateless(checks, connection, stateless)
        async with connect(f"{origin}/mcp", mode=MODERN) as connection:
            await suites.on_another_connection(checks, connection, receipt, stateless)


sys.exit(anyio.run(main))
