#!/usr/bin/env python3
"""One FastMCP server whose own tools are the recorded ones, with FastMCP's BM25 search, over stdio.

    fastmcp_server.py FOLDER

What the proxy costs is not in its figures: names have a prefix only where two servers have the same, and there are no
lists of upstreams to ask for again.
"""

import json
import os
import sys
from collections import Counter
from pathlib import Path

# Read when the package is imported.
os.environ.setdefault("FASTMCP_LOG_LEVEL", "ERROR")

from fastmcp import FastMCP
from fastmcp.server.transforms.search import BM25SearchTransform
from fastmcp.tools.base import Tool, ToolResult


class Recorded(Tool):
    """A tool that runs nothing."""

    async def run(self, arguments):
        return ToolResult(content="Done.")


server = FastMCP("FastMCP")
lists = {file.stem: json.loads(file.read_text())["tools"] for file in sorted(Path(sys.argv[1]).glob("*.json"))}
times = Counter(tool["name"] for tools in lists.values() for tool in tools)
for upstream, tools in lists.items():
    for tool in tools:
        server.add_tool(
            Recorded(
                name=tool["name"] if times[tool["name"]] == 1 else f"{upstream}_{tool['name']}",
                title=tool.get("title"),
                description=tool.get("description"),
                parameters=tool["inputSchema"],
                output_schema=tool.get("outputSchema"),
                annotations=tool.get("annotations"),
            )
        )
server.add_transform(BM25SearchTransform())
server.run(transport="stdio", show_banner=False)
