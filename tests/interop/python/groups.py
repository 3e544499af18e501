"""Groups (docs/strategies/groups.md) by an official Python SDK, before and after it declares the extension: over both
transports."""

import json

from eras import without_tasks
from programs import EVERYTHING, gateway, http_gateway

GROUPS = "io.modelcontextprotocol/groups"
OFFERED = ("--offer", "full,groups")


async def converse(checks, connect, era, unknown):
    """`connect(target, declares)` connects; `unknown` is the code of an unknown group in its era."""
    async with connect(EVERYTHING, False) as connection:
        listed_directly = await connection.tools()
    if era == "2026-07-28":
        listed_directly = without_tasks(listed_directly)
    direct = {tool["name"]: tool for tool in listed_directly["result"]["tools"]}
    async with http_gateway("auto", EVERYTHING, *OFFERED) as offering, http_gateway("groups", EVERYTHING) as pinning:
        for transport, offered, pinned in (
            ("stdio", gateway("auto", EVERYTHING, *OFFERED), gateway("groups", EVERYTHING)),
            ("http", f"{offering}/mcp", f"{pinning}/mcp"),
        ):
            for arrangement, target, declares, suite in (
                ("offered, undeclared", offered, False, flat),
                ("offered, declared", offered, True, native),
                ("pinned, undeclared", pinned, False, bridged),
                ("pinned, declared", pinned, True, native),
            ):
                async with checks.group(f"{era}, {transport}, {arrangement}"):
                    async with connect(target, declares) as connection:
                        await suite(checks, connection, direct, unknown)


async def flat(checks, connection, direct, _unknown):
    """To a client that declares nothing, groups do not exist."""
    checks.equal("everything is listed", await listed(connection), sorted(direct))
    checks.equal("there are no groups", (await connection.request("groups/list", {}))["error"]["code"], -32601)
    await echoes(checks, connection, "echo", {"message": "hello"})


async def native(checks, connection, direct, unknown):
    """Every tool is in the list or in groups, defined as the server defines it, and is called by its name."""
    tools = await listed(connection)
    answer = await connection.request("groups/list", {})
    groups = answer.get("result", {}).get("groups")
    checks.true("there are groups", groups, answer)
    found, pending = {}, [group["name"] for group in groups]
    seen = set(pending)
    while pending:
        contents = (await connection.request("groups/get", {"name": pending.pop()}))["result"].get("contents", {})
        found |= {tool["name"]: tool for tool in contents.get("tools", [])}
        nested = {group["name"] for group in contents.get("groups", [])} - seen
        seen |= nested
        pending += nested
    checks.true("what is in groups is not listed", not found.keys() & set(tools), tools)
    checks.equal("nothing is lost", sorted([*tools, *found]), sorted(direct))
    for name, tool in found.items():
        checks.equal(f"the definition of {name}", tool, direct[name])
    missing = await connection.request("groups/get", {"name": "no-such-group"})
    checks.equal("an unknown group", missing["error"]["code"], unknown)
    await echoes(checks, connection, "echo", {"message": "hello"})


async def bridged(checks, connection, direct, _unknown):
    """A host that knows no groups has a tool that shows them, and one that calls."""
    tools = await listed(connection)
    checks.true("the bridge is listed", {"call_tool", "get_group"} <= set(tools), tools)
    checks.true("and little else", len(tools) < len(direct), tools)
    checks.true("it names the groups", (await shown(connection, {}))["groups"])
    group = await shown(connection, {"name": "echo"})
    echo = [tool for tool in group["tools"] if tool["name"] == "echo"]
    checks.equal("a group has definitions", [list(tool["inputSchema"]["properties"]) for tool in echo], [["message"]])
    await echoes(checks, connection, "call_tool", {"tool": "echo", "arguments": {"message": "hello"}})


async def listed(connection):
    return sorted(tool["name"] for tool in (await connection.tools())["result"]["tools"])


async def shown(connection, arguments):
    return json.loads((await connection.call("get_group", arguments))["result"]["content"][0]["text"])


async def echoes(checks, connection, name, arguments):
    result = (await connection.call(name, arguments))["result"]
    checks.true("a call", not result.get("isError") and "hello" in result["content"][0]["text"], result)
