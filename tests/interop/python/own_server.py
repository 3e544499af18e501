"""The example `own-server` (one's own rmcp server with progressive disclosure), driven by the official Python SDK 1.x."""

import os
import sys

import anyio
from mcp import ClientSession
from mcp.types import CreateMessageResult, ElicitResult, ListRootsResult

import sdk1
from checks import Checks
from programs import listener

OWN_SERVER = os.environ["INTEROP_OWN_SERVER"]
TOOLS = ["add_note", "delete_notes", "list_folders", "summarize_notes"]


async def main():
    checks = Checks(f"own server, {sdk1.NAME}")
    async with checks.group("stdio"):
        await converse(checks, [OWN_SERVER])
    async with checks.group("http"), listener(lambda port: [f"{OWN_SERVER}-http", f"127.0.0.1:{port}"]) as origin:
        await converse(checks, f"{origin}/mcp")
    return checks.close()


async def converse(checks, target):
    asked, progress = [], []

    async def confirm(context, params):
        asked.append(params.message)
        return ElicitResult(action="accept", content={"delete": True})

    async def write(context, params):
        asked.append(params.messages[0].content.text)
        return CreateMessageResult.model_validate(
            {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Milk is needed."}}
        )

    async def folders(context):
        return ListRootsResult.model_validate({"roots": [{"uri": "file:///home/ada"}]})

    async def heard(done, total, message):
        progress.append((done, total))

    async with sdk1.transport(target) as (read, send, *_):
        asks = {"elicitation_callback": confirm, "sampling_callback": write, "list_roots_callback": folders}
        async with ClientSession(read, send, **asks) as session:
            await session.initialize()
            listed = (await session.list_tools()).tools
            names = sorted(tool.name for tool in listed)
            checks.equal("the handler's tools and the strategy's", names, sorted([*TOOLS, "describe_tools"]))
            await session.call_tool("describe_tools", {"names": TOOLS})
            added = await session.call_tool("add_note", {"text": "buy milk"})
            checks.equal("a call", added.content[0].text, "1 notes")
            summary = await session.call_tool("summarize_notes", {})
            checks.equal("sampling reaches the client", asked, ["Summarize in a sentence:\nbuy milk"])
            checks.equal("its text reaches the server", summary.content[0].text, "Milk is needed.")
            listed = await session.call_tool("list_folders", {})
            checks.equal("roots reach the server", listed.content[0].text, "file:///home/ada")
            asked.clear()
            deleted = await session.call_tool("delete_notes", {}, progress_callback=heard)
            checks.equal("the question reaches the client", asked, ["Delete 1 notes?"])
            checks.equal("its answer reaches the server", deleted.content[0].text, "1 notes are deleted")
            checks.equal("progress reaches the client", progress, [(1.0, 1.0)])


sys.exit(anyio.run(main))
