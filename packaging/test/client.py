"""The official Python SDK starts a packaged program, learns a tool, and calls it.

    python client.py COMMAND [ARGUMENT...]
"""

import sys
import time

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

COMMAND = sys.argv[1:]


async def main():
    started = time.monotonic()
    with anyio.fail_after(60):
        async with stdio_client(StdioServerParameters(command=COMMAND[0], args=COMMAND[1:])) as (read, write):
            async with ClientSession(read, write) as session:
                server = (await session.initialize()).serverInfo
                answered = time.monotonic() - started
                assert server.name, server
                names = [tool.name for tool in (await session.list_tools()).tools]
                assert {"symbolic_solve", "describe_tools"} <= set(names), names
                early = await session.call_tool("symbolic_solve", {"equations": "x**2 - 4"})
                assert early.isError and "describe_tools" in early.content[0].text, early
                await session.call_tool("describe_tools", {"names": ["symbolic_solve"]})
                solved = await session.call_tool("symbolic_solve", {"equations": "x**2 - 4"})
                assert not solved.isError and "[-2,2]" in solved.content[0].text, solved
    print(f"ok   {' '.join(COMMAND[:3])}: first answer after {answered:.2f} s, {len(names)} tools, one called")


anyio.run(main)
