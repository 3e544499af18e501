"""The official Python SDK 2.x: `initialize` and sessions, or the stateless protocol 2026-07-28."""

import os
from contextlib import asynccontextmanager
from importlib.metadata import version

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

import connection
import wire
from programs import LOG

NAME = f"python sdk {version('mcp')}"
MODERN = "2026-07-28"
ANSWER_SECONDS = 30


class Connection(connection.Connection):
    errors = MCPError

    @property
    def modern(self):
        return self.session.protocol_version == MODERN


@asynccontextmanager
async def connect(target, mode="legacy", **callbacks):
    """Connects to a command line (a list) or an address (a string).

    `mode`: "legacy" shakes hands; "auto" (the SDK's own default) probes with `server/discover` and
    falls back; "2026-07-28" sends requests of that revision at once, without a probe.
    `callbacks`: the SDK's own, which answer what the server asks; each declares a capability.
    """
    heard = wire.Wire()
    async with Client(tapped(target, heard), mode=mode, read_timeout_seconds=ANSWER_SECONDS, **callbacks) as client:
        yield Connection(client, heard)


@asynccontextmanager
async def tapped(target, heard):
    async with transport(target) as (read, write):
        yield heard.between(read, write)


def transport(target):
    if isinstance(target, str):
        return streamable_http_client(target)
    # All of it: what a gateway remembers is of this run.
    return stdio_client(StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ)), errlog=LOG)
