"""An upstream that asks its client, of the official Python SDK 1.x, with sessions: `server_1.py [PORT [sse]]`, else stdio."""

import sys
from typing import Annotated

from mcp.server.fastmcp import Context, FastMCP
from mcp.types import SamplingMessage, TextContent
from pydantic import BaseModel, Field

port, transport = sys.argv[1:2], (sys.argv[2:] or ["streamable-http"])[0]
server = FastMCP("asking", **({"port": int(port[0])} if port else {}))


class Name(BaseModel):
    name: str


async def who(ctx, message="Who are you?"):
    return (await ctx.elicit(message, Name)).data.name


def tool(run):
    return server.tool(name=run.__name__.replace("_", "-"), structured_output=False)(run)


@tool
async def ask(ctx: Context) -> str:
    """Greets by name, and asks for it."""
    return f"Hello {await who(ctx)}"


@tool
async def ask_twice(ctx: Context) -> str:
    """Asks, and then asks what depends on the answer."""
    first = await who(ctx)
    second = await who(ctx, f"Who is {first}'s friend?")
    return f"Hello {first} and {second}"


@tool
async def ask_both(ctx: Context) -> str:
    """Asks two things that do not depend on each other."""
    first = await who(ctx)
    known = await ctx.session.list_roots()
    return f"Hello {first} at {known.roots[0].uri}"


@tool
async def ask_secret(ctx: Context) -> str:
    """Asks for a secret, which is declined."""
    return f"Secret: {(await ctx.elicit('Your secret?', Name)).action}"


@tool
async def wait() -> str:
    """Has no need to be called again: here a server can take its time."""
    return "Waited"


@tool
async def sample(ctx: Context) -> str:
    """Has the client's model say something."""
    message = SamplingMessage(role="user", content=TextContent(type="text", text="A haiku"))
    said = await ctx.session.create_message([message], max_tokens=50, related_request_id=ctx.request_id)
    return f"It said: {said.content.text}"


@tool
async def roots(ctx: Context) -> str:
    """Names the client's roots."""
    known = await ctx.session.list_roots()
    return f"Roots: {' '.join(str(root.uri) for root in known.roots)}"


@tool
async def log(ctx: Context) -> str:
    """Logs at two levels."""
    await ctx.debug("in detail")
    await ctx.warning("look out")
    return "Logged"


@tool
async def progress(ctx: Context) -> str:
    """Reports progress twice."""
    await ctx.report_progress(1, 2, "half")
    await ctx.report_progress(2, 2, "whole")
    return "Done"


@tool
async def header(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})], ctx: Context) -> str:
    """Says what came as an argument, and what as a header."""
    headers = getattr(ctx.request_context.request, "headers", {})
    return f"{region}, {headers.get('mcp-param-region', 'none')}"


@server.prompt(name="ask")
async def prompt(ctx: Context) -> str:
    return f"Greet {await who(ctx)}"


@server.resource("ask://{topic}", name="ask")
async def resource(topic: str, ctx: Context) -> str:
    return f"{topic} for {await who(ctx)}"


server.run(transport if port else "stdio")
