"""From 401 to a call: the official Python SDK's OAuth client, against a gateway whose callers an authorization server signs
in (docs/access.md). Two users, each with tools of its own under every strategy."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urljoin, urlparse

import httpx
from mcp import ClientSession, McpError
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

from checks import Checks
from ports import held_port
from programs import EVERYTHING, GATEWAY, LOG, listener
from sdk1 import NAME

CALLBACK = "http://127.0.0.1:1/callback"
STRATEGIES = ["full", "resource", "describe", "info", "search"]
USERS = {"ann": ("echo", "get-sum", {"message": "hello"}), "bob": ("get-sum", "echo", {"a": 1, "b": 2})}
REDIRECTS = 12


async def main():
    checks = Checks(f"front door, {NAME}")
    port = held_port()
    resource = f"http://127.0.0.1:{port}/mcp"
    with tempfile.TemporaryDirectory() as folder, issuer(resource) as origin:
        config = os.path.join(folder, "disclosure.toml")
        with open(config, "w") as file:
            file.write(settings(origin, resource))
        flags = ["serve", "--config", config, "--transport", "http", "--listen", f"127.0.0.1:{port}"]
        async with listener(lambda _: [GATEWAY, *flags], port):
            for user, (own, others, arguments) in USERS.items():
                storage = Storage()
                for strategy in STRATEGIES:
                    async with checks.group(f"{user}, {strategy}"), connect(f"{resource}/{strategy}", user, storage) as session:
                        tools = (await session.list_tools()).tools
                        shown = str([tool.model_dump() for tool in tools])
                        checks.true("sees nothing of the other", others not in shown, shown)
                        if strategy == "full":
                            checks.equal("has its own tools", [tool.name for tool in tools], [own])
                            result = await session.call_tool(own, arguments)
                            checks.true("calls one", not result.isError, result)
                        checks.true("cannot call the other's", await is_refused(session, others))
                checks.true(f"{user} registered by itself", storage.client is not None)
    return checks.close()


async def is_refused(session, tool):
    try:
        return (await session.call_tool(tool, {})).isError
    except McpError as error:
        return "Unknown tool" in error.error.message


@asynccontextmanager
async def connect(url, user, storage):
    codes = []

    async def redirect(url):
        codes.append(await authorize(url, user))

    async def callback():
        return codes[-1]

    metadata = OAuthClientMetadata(
        client_name="sign-in",
        redirect_uris=[CALLBACK],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        token_endpoint_auth_method="none",
    )
    provider = OAuthClientProvider(url, metadata, storage, redirect, callback)
    async with (
        httpx.AsyncClient(auth=provider, timeout=30) as client,
        streamable_http_client(url, http_client=client) as (read, write, *_),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        yield session


async def authorize(url, user):
    """What a browser does: follows redirects with cookies up to the client's own address; gives the code and the state."""
    following = f"{url}&login_hint={user}"
    async with httpx.AsyncClient(timeout=30) as browser:
        for _ in range(REDIRECTS):
            answer = await browser.get(following)
            following = urljoin(following, answer.headers["location"])
            if following.startswith(CALLBACK):
                query = parse_qs(urlparse(following).query)
                return query["code"][0], query.get("state", [None])[0]
    raise RuntimeError(f"redirected without an end: {following}")


class Storage:
    """Tokens and registration of one user."""

    def __init__(self):
        self.tokens = None
        self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


class issuer:
    """The authorization server of issuer.mjs, for one resource."""

    def __init__(self, resource):
        self.command = ["node", os.path.join(os.environ["INTEROP_CACHE"], "node/typescript/issuer.mjs"), resource]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=LOG, text=True)
        for line in self.process.stdout:
            if line.startswith("issuer "):
                return line.split()[1]
        raise RuntimeError("the authorization server does not start")

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def settings(origin, resource):
    principals = "".join(
        f'[[principals]]\nname = "{user}"\nclaims = {{ groups = "{user}" }}\ntools = ["everything/{own}"]\n'
        for user, (own, *_) in USERS.items()
    )
    command, *arguments = EVERYTHING
    return f"""
[auth.jwt]
issuer = "{origin}"
audience = "{resource}"
jwks_url = "{origin}/jwks"
required_scopes = ["tools"]

[upstreams.everything]
command = "{command}"
args = {json.dumps(arguments)}
inherit_env = true

{principals}"""


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
