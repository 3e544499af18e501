"""Groups by the official Python SDK 2.x, with sessions and without."""

import sys
from contextlib import asynccontextmanager

import anyio
from mcp import types
from mcp.client.extension import advertise
from pydantic import TypeAdapter

import groups
import sdk2
from checks import Checks
from programs import EVERYTHING

ANY = TypeAdapter(dict)


class Connection(sdk2.Connection):
    async def request(self, method, params):
        request = types.Request[dict, str](method=method, params=params)
        return await self.ask(method, self.session.session.send_request(request, ANY))


def connecting(mode):
    @asynccontextmanager
    async def connect(target, declares):
        extensions = [advertise(groups.GROUPS)] if declares else []
        # server-everything has no stateless era.
        own = "legacy" if target == EVERYTHING else mode
        async with sdk2.connect(target, own, extensions=extensions) as connection:
            yield Connection(connection.session, connection.wire)

    return connect


async def main():
    checks = Checks(f"groups, {sdk2.NAME}")
    for era, mode, unknown in (("sessions", "legacy", -32002), (sdk2.MODERN, sdk2.MODERN, -32602)):
        async with checks.group(era):
            await groups.converse(checks, connecting(mode), era, unknown)
    return checks.close()


sys.exit(anyio.run(main))
