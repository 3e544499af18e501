"""The example workflow of concern-based filtering, by the official Python SDK 1.x, which knows nothing of concerns: with the
tool `choose_concerns`, by an address, and by an operator's choice; before a server that knows nothing of them either."""

import json
import os
import sys
import tempfile

import anyio

from checks import HERE, Checks
from programs import GATEWAY, listener
from sdk1 import NAME, connect

CONFIGURATION = """
[[concerns]]
name = "security"
description = "Security level required for the operation"
values = ["high", "medium", "low"]
default = "medium"
[[concerns]]
name = "cost"
description = "What a call costs"
values = ["minimal", "moderate"]
[tools.encryptData]
concerns = { security = "high", cost = "minimal" }
[tools.encryptDataInHardware]
concerns = { security = "high", cost = "moderate" }
[tools.logData]
concerns = { security = "medium" }
"""
ALL = ["encryptData", "encryptDataInHardware", "logData", "validateData"]
CHEAP = ["encryptData", "validateData"]
DEAR = ["encryptDataInHardware", "validateData"]
BRIDGE = "choose_concerns"


async def main():
    checks = Checks(f"concerns, {NAME}")
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(CONFIGURATION)
        file.flush()
        await converse(checks, [GATEWAY, "serve", "--config", file.name])
    return checks.close()


def before_the_server(command, *flags):
    return [*command, *flags, "--", sys.executable, os.path.join(HERE, "data_tools.py")]


async def converse(checks, serve):
    for strategy in ("full", "describe", "info", "resource"):
        async with checks.group(f"stdio, {strategy}"):
            async with connect(before_the_server(serve, "--strategy", f"concerns+{strategy}")) as connection:
                await workflow(checks, connection)
    async with checks.group("stdio, chosen by the operator"):
        flags = ("--strategy", "concerns", "--concern", "security=high", "--concern", "cost=minimal")
        async with connect(before_the_server(serve, *flags)) as connection:
            checks.equal("the first list", await names(connection), CHEAP)
            answer = await choose(connection, {"cost": "moderate"})
            checks.equal("what is in force", answer["concerns"], {"security": "high", "cost": "moderate"})
            checks.equal("the next list", await names(connection), DEAR)
    http = ("--fallback", "concerns", "--transport", "http", "--listen")
    command = lambda port: before_the_server(serve, *http, f"127.0.0.1:{port}")  # noqa: E731
    async with checks.group("http"), listener(command) as origin:
        async with connect(f"{origin}/mcp") as connection:
            await workflow(checks, connection)
        for path, expected in (
            ("/mcp?security=high&cost=minimal", CHEAP),
            ("/mcp/info?security=high&cost=moderate", DEAR),
            ("/mcp?security=%6Dedium", ["logData", "validateData"]),
        ):
            async with connect(origin + path) as connection:
                checks.equal(path, await names(connection), expected)
                result = (await connection.call("validateData", {"data": "x"}))["result"]
                checks.true("a call", not result.get("isError"), result)


async def workflow(checks, connection):
    tools = {tool["name"]: tool for tool in (await connection.tools())["result"]["tools"]}
    checks.equal("everything at first", sorted(set(tools) & set(ALL)), ALL)
    checks.true("what can be chosen", "security" in tools[BRIDGE]["description"], tools[BRIDGE])
    answer = await choose(connection, {"security": "high", "cost": "minimal"})
    checks.equal("what is in force", answer["concerns"], {"security": "high", "cost": "minimal"})
    checks.equal("how many are listed", answer["tools_listed"], len(CHEAP))
    checks.equal("what fits", await names(connection), CHEAP)
    await choose(connection, {"security": "high", "cost": "moderate"})
    checks.equal("what fits an update", await names(connection), DEAR)
    await choose(connection, {"security": None, "cost": None})
    checks.equal("everything at last", await names(connection), ALL)


async def choose(connection, concerns):
    result = (await connection.call(BRIDGE, {"concerns": concerns}))["result"]
    return json.loads(result["content"][0]["text"])


async def names(connection):
    """The server's tools as they are listed."""
    listed = (await connection.tools())["result"]["tools"]
    return sorted({tool["name"] for tool in listed} & set(ALL))


sys.exit(anyio.run(main))
