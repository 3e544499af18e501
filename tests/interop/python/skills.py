"""Skills (SEP-2640) of two servers of FastMCP, asked by the Python SDK 2: with sessions and without."""

import base64
import hashlib
import os
import sys
import tempfile
from importlib.metadata import version

import anyio
from mcp import types
from mcp.client.extension import advertise
from pydantic import TypeAdapter

import sdk2
from checks import Checks
from programs import GATEWAY, listener

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "skills_server.py")
EXTENSION = "io.modelcontextprotocol/skills"
ANY = TypeAdapter(dict)


async def asked(connection, method, **params):
    request = types.Request[dict, str](method=method, params=params)
    return await connection.ask(method, connection.session.session.send_request(request, ANY))


async def walk(checks, gateway, server, mode):
    extensions = [advertise(EXTENSION)]
    own = {}
    async with sdk2.connect(server("a"), mode, extensions=extensions) as direct:
        for skill in (await asked(direct, "skills/list"))["result"]["skills"]:
            own[skill["uri"]] = skill
    async with sdk2.connect(gateway, mode, extensions=extensions) as connection:
        skills = (await asked(connection, "skills/list"))["result"]["skills"]
        uris = ["skill://a/own/SKILL.md", "skill://a__/refunds/SKILL.md", "skill://b/own/SKILL.md", "skill://b__/refunds/SKILL.md"]
        checks.equal("all are listed", sorted(skill["uri"] for skill in skills), uris)
        listed = {skill["uri"]: skill for skill in skills}
        checks.equal("what is one server's alone is as it came", listed[uris[0]], own[uris[0]])
        checks.equal("frontmatter", listed[uris[1]]["frontmatter"], own["skill://refunds/SKILL.md"]["frontmatter"])
        for uri, skill in listed.items():
            got = await asked(connection, "skills/get", uri=uri)
            checks.equal(f"{uri} is got", got["result"]["skill"], skill)
            for file in skill["resources"]:
                content = (await connection.read(file["uri"]))["result"]["contents"][0]
                checks.equal(f"the URI of {file['uri']}", content["uri"], file["uri"])
                data = base64.b64decode(content["blob"]) if "blob" in content else content["text"].encode()
                checks.equal("its digest", "sha256:" + hashlib.sha256(data).hexdigest(), file["digest"])
        unknown = await asked(connection, "skills/get", uri="skill://nobody/SKILL.md")
        checks.equal("an unknown skill", unknown["error"]["code"], -32602)


async def main():
    checks = Checks(f"skills, nimblebrain-bundle-sdk {version('nimblebrain-bundle-sdk')}, {sdk2.NAME}")
    with tempfile.TemporaryDirectory() as folder:
        config = os.path.join(folder, "disclosure.toml")

        def server(name):
            return [sys.executable, SERVER, name]

        with open(config, "w", encoding="utf-8") as file:
            for name in "ab":
                file.write(f"[upstreams.{name}]\ncommand = {server(name)[0]!r}\nargs = {server(name)[1:]!r}\n")
        serve = [GATEWAY, "serve", "--config", config]
        async with checks.group("a session, stdio"):
            await walk(checks, serve, server, "legacy")
        http = lambda port: [*serve, "--transport", "http", "--listen", f"127.0.0.1:{port}"]  # noqa: E731
        async with checks.group("without session, HTTP"), listener(http) as origin:
            await walk(checks, f"{origin}/mcp", server, sdk2.MODERN)
    return checks.close()


sys.exit(anyio.run(main))
