"""LangChain's MCP adapter as its documentation uses it: `client.get_tools()`, whose tools open a session per call. No model
is needed: the tools are called with the arguments that a model would give."""

import json
import os
import sys
import tempfile
from importlib.metadata import version

import anyio
from langchain_mcp_adapters.client import MultiServerMCPClient

from checks import Checks
from programs import EVERYTHING, gateway, http_gateway

ARGUMENTS = {"message": "hi"}
ECHO = "Echo: hi"


async def main():
    with tempfile.NamedTemporaryFile() as key:
        # Over stdio each session is a process of its own, which must know the key of the others.
        key.write(os.urandom(32))
        key.flush()
        return await converse(("--receipts", "signed", "--receipt-key-file", key.name))


async def converse(signed):
    checks = Checks(f"langchain-mcp-adapters {version('langchain-mcp-adapters')}")
    for strategy, flags, ask in (
        ("full", (), plainly),
        ("describe", (), described),
        ("info", (), explained),
        ("info", ("--info-tools", "entry-only"), invoked),
        ("resource", (), refused),
        ("resource", signed, receipted),
    ):
        named = " ".join([strategy, *flags[:2]])
        async with checks.group(f"{named}, stdio"):
            command, *arguments = gateway(strategy, EVERYTHING, *flags)
            await ask(checks, await tools({"transport": "stdio", "command": command, "args": arguments}))
        async with checks.group(f"{named}, http"), http_gateway(strategy, EVERYTHING, *flags) as origin:
            await ask(checks, await tools({"transport": "streamable_http", "url": f"{origin}/mcp"}))
    async with checks.group("by the address"), http_gateway("auto", EVERYTHING, *signed[:2]) as origin:
        await receipted(checks, await tools({"transport": "streamable_http", "url": f"{origin}/mcp/resource"}))
    return checks.close()


async def tools(server):
    """The adapter's tools of one server, by name."""
    return {tool.name: tool for tool in await MultiServerMCPClient({"everything": server}).get_tools()}


async def call(tool, arguments):
    """The text that a model would read."""
    blocks = await tool.ainvoke(arguments)
    return blocks if isinstance(blocks, str) else "".join(block["text"] for block in blocks)


async def plainly(checks, listed):
    checks.equal("a call", await call(listed["echo"], ARGUMENTS), ECHO)


async def described(checks, listed):
    definition = json.loads(await call(listed["describe_tools"], {"names": ["echo"]}))["echo"]
    checks.equal("the definition", definition["inputSchema"]["required"], ["message"])
    checks.equal("a call", await call(listed["echo"], ARGUMENTS), ECHO)


async def explained(checks, listed):
    lesson = json.loads(await call(listed["info"], {"topic": "echo"}))
    checks.true("the parameters", "message" in lesson["parameters"], lesson)
    checks.equal("a call", await call(listed["echo"], ARGUMENTS), ECHO)


async def invoked(checks, listed):
    checks.equal("the tools", sorted(listed), ["info", "invoke"])
    checks.equal("a call", await call(listed["invoke"], {"tool": "echo", "arguments": ARGUMENTS}), ECHO)


async def refused(checks, listed):
    """The fetch is of another session than the call: docs/strategies/resource.md."""
    await call(listed["describe_tools"], {"names": ["echo"]})
    error = json.loads(await call(listed["echo"], ARGUMENTS))["error"]
    checks.equal("a call is refused for ever", error["code"], "TOOL_DESCRIPTION_REQUIRED")


async def receipted(checks, listed):
    schema = json.loads(await call(listed["describe_tools"], {"names": ["echo"]}))["echo"]["inputSchema"]
    checks.equal("the receipt is required", schema["required"], ["message", "disclosure_receipt"])
    given = {**ARGUMENTS, "disclosure_receipt": schema["properties"]["disclosure_receipt"]["const"]}
    checks.equal("a call with it", await call(listed["echo"], given), ECHO)
    error = json.loads(await call(listed["echo"], ARGUMENTS))["error"]
    checks.equal("a call without it", (error["code"], error["reason"]), ("TOOL_DESCRIPTION_REQUIRED", "MISSING"))


sys.exit(anyio.run(main))
