"""A server with one tool: whose it is, by its environment."""

import os

from mcp.server.fastmcp import FastMCP

server = FastMCP("notes")


@server.tool()
def owner() -> str:
    """Says who owns the notes."""
    return os.environ.get("OWNER", "unknown")


server.run()
