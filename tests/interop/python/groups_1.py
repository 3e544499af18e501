"""Groups by the official Python SDK 1.x, with sessions."""

import sys
from contextlib import asynccontextmanager
from datetime import timedelta

import anyio
from mcp import ClientSession, types

import groups
import sdk1
import wire
from checks import Checks

CLIENT = types.Implementation(name="interop", version="1.0.0")


class Connection(sdk1.Connection):
    async def request(self, method, params):
        request = types.Request[dict, str](method=method, params=params)
        return await self.ask(method, self.session.send_request(request, types.Result))


class Declaring(ClientSession):
    """This SDK has no setting for capabilities of its users, so the handshake is made of its parts."""

    async def initialize(self):
        capabilities = types.ClientCapabilities(experimental={groups.GROUPS: {}})
        params = types.InitializeRequestParams(
            protocolVersion=types.LATEST_PROTOCOL_VERSION, capabilities=capabilities, clientInfo=CLIENT
        )
        request = types.ClientRequest(types.InitializeRequest(params=params))
        result = await self.send_request(request, types.InitializeResult)
        await self.send_notification(types.ClientNotification(types.InitializedNotification()))
        return result


@asynccontextmanager
async def connect(target, declares):
    heard = wire.Wire()
    timeout = timedelta(seconds=sdk1.ANSWER_SECONDS)
    kind = Declaring if declares else ClientSession
    async with sdk1.transport(target) as (read, write, *_):
        async with kind(*heard.between(read, write), read_timeout_seconds=timeout) as session:
            await session.initialize()
            yield Connection(session, heard)


async def main():
    checks = Checks(f"groups, {sdk1.NAME}")
    async with checks.group("groups"):
        await groups.converse(checks, connect, "sessions", -32002)
    return checks.close()


sys.exit(anyio.run(main))
