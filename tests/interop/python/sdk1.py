"""The official Python SDK 1.x: `initialize` and sessions, up to protocol 2025-11-25."""

import os
from contextlib import asynccontextmanager
from datetime import timedelta
from importlib.metadata import version

from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from pydantic import AnyUrl

import connection
import wire
from programs import LOG

NAME = f"python sdk {version('mcp')}"
ANSWER_SECONDS = 30


class Connection(connection.Connection):
    errors = McpError

    def uri(self, text):
        # This SDK wants a parsed URL, and parsing may rewrite it (it percent-encodes what is not ASCII).
        return AnyUrl(text)


@asynccontextmanager
async def connect(target):
    """Connects to a command line (a list) or an address (a string)."""
    heard = wire.Wire()
    async with transport(target) as (read, write, *_):
        timeout = timedelta(seconds=ANSWER_SECONDS)
        async with ClientSession(*heard.between(read, write), read_timeout_seconds=timeout) as session:
            await session.initialize()
            yield Connection(session, heard)


def transport(target):
    if isinstance(target, str):
        return streamable_http_client(target)
    # All of it: what a gateway remembers is of this run.
    return stdio_client(StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ)), errlog=LOG)
