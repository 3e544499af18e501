"""Choices of concerns reach a server that is written from their source alone, by each form that the source has, before the
next answer; by the official Python SDK 1.x."""

import json
import os
import sys
from contextlib import asynccontextmanager
from datetime import timedelta

import anyio
from mcp import ClientSession
from mcp import types
from pydantic import BaseModel

import wire
from checks import HERE, Checks
from programs import GATEWAY, listener
from sdk1 import NAME, Connection, transport

SERVER = [sys.executable, os.path.join(HERE, "choosing_server.py")]
ALL = ["dumpData", "encryptData", "encryptDataInHardware", "logData", "validateData"]
DEAR = {"security": "high", "cost": "moderate"}
CHEAP = {"security": "high", "cost": "minimal"}
FITTING = {"DEAR": ["encryptDataInHardware"], "CHEAP": ["encryptData", "validateData"]}
# No tool has a low security at this cost.
NOTHING = {"security": "low", "cost": "moderate"}
FORMS = (
    ("initialize",),
    ("initialized",),
    ("initialize", "initialized"),
    ("initialize", "initialized", "updateConcerns"),
    ("updateConcerns",),
    ("initialized", "like-an-sdk"),
)


class Request(BaseModel):
    method: str
    params: dict


class Answer(BaseModel, extra="allow"):
    pass


async def main():
    checks = Checks(f"choosing, {NAME}")
    async with checks.group("without choices"):
        async with session(command("initialized")) as (connection, answered):
            checks.equal("what is declared", names_of(answered["capabilities"]["concerns"]), ["security", "cost"])
            checks.equal("all tools", await listed(connection), ALL)
    for words in FORMS:
        for form in ("initialize", "initialized", "updateConcerns"):
            for flags in ((), ("--concern", "security=medium")):
                place = f"{' '.join(words)}: chosen by {form}{', over the operator' if flags else ''}"
                async with checks.group(place):
                    await choose(checks, command(*words, flags=flags), form)
    async with checks.group("chosen by the operator"):
        flags = ("--concern", "security=high", "--concern", "cost=moderate")
        for words in FORMS:
            async with session(command(*words, flags=flags)) as (connection, answered):
                checks.equal(f"the first list of {words}", await listed(connection), FITTING["DEAR"])
    for word, whole in (("meta", ["logData", "validateData"]), ("", ALL)):
        async with checks.group(f"refused, {word or 'without mapping'}"):
            async with session(command("updateConcerns", "refuses", word)) as (connection, _):
                updated = await update(connection, {"security": "medium"})
                checks.equal("what is listed", await listed(connection), sorted(whole))
                declared = (await ask(connection, "listConcerns", {})) or {"concerns": []}
                is_in_force = updated["concerns"] == {"security": "medium"}
                checks.equal("what is in force", is_in_force, bool(word))
                checks.equal("what is declared", bool(declared["concerns"]), bool(word))
                if not word:
                    checks.true("a warning names it", "security" in updated["warnings"][0], updated)
    http = lambda *more: lambda port: command(  # noqa: E731
        "initialized", flags=("--transport", "http", "--listen", f"127.0.0.1:{port}", *more)
    )
    async with checks.group("http, a connection for each session"), listener(http("--upstream-scope", "session")) as origin:
        for form in ("initialize", "initialized", "updateConcerns"):
            await choose(checks, f"{origin}/mcp", form)
    async with checks.group("http, shared"), listener(http()) as origin:
        async with session(f"{origin}/mcp") as (connection, answered):
            checks.true("nothing is declared", not answered["capabilities"].get("concerns"), answered)
            checks.equal("all tools", await listed(connection), ALL)
    return checks.close()


def command(*words, flags=()):
    return [GATEWAY, "serve", "--strategy", "full", *flags, "--", *SERVER, *(word for word in words if word)]


async def choose(checks, target, form):
    """Chooses by one form first, then by `updateConcerns`."""
    early = {form: DEAR} if form != "updateConcerns" else {}
    async with session(target, **early) as (connection, _):
        if form == "updateConcerns":
            checks.equal("what is in force", (await update(connection, DEAR))["concerns"], DEAR)
        checks.equal("the next list", await listed(connection), FITTING["DEAR"])
        said = json.loads((await connection.call("encryptDataInHardware", {}))["result"]["content"][0]["text"])
        checks.equal("what the server was told", said["chosen"], DEAR)
        excluded = (await connection.call("dumpData", {})).get("result", {})
        checks.true("an excluded tool is called by its name", "dumpData" in json.dumps(excluded), excluded)
        checks.equal("what is effective", (await ask(connection, "listConcerns", {}))["effective"], DEAR)
        answer = await update(connection, {"cost": "minimal"})
        checks.equal("what is in force then", answer, {"concerns": CHEAP, "warnings": []})
        checks.equal("the list then", await listed(connection), FITTING["CHEAP"])
        answer = await update(connection, NOTHING)
        warned = answer["warnings"][0] if answer["warnings"] else ""
        checks.true("a choice that leaves nothing is a warning", "security" in warned and "cost" in warned, answer)
        checks.equal("nothing is listed", await listed(connection), [])
        await update(connection, {"security": None, "cost": None})
        checks.equal("everything is listed at last", await listed(connection), ALL)


@asynccontextmanager
async def session(target, initialize=None, initialized=None):
    """A session whose handshake has these choices."""
    heard = wire.Wire()
    async with transport(target) as (read, write, *_):
        timeout = timedelta(seconds=30)
        async with ClientSession(*heard.between(read, write), read_timeout_seconds=timeout) as client:
            hello = {
                "protocolVersion": types.LATEST_PROTOCOL_VERSION,
                "capabilities": {},
                "clientInfo": {"name": "chooser", "version": "1"},
            }
            if initialize:
                hello["concerns"] = initialize
            connection = Connection(client, heard)
            answered = await ask(connection, "initialize", hello)
            params = {"concerns": initialized} if initialized else {}
            await client.send_notification(Request(method="notifications/initialized", params=params))
            yield connection, answered


async def ask(connection, method, params):
    question = connection.session.send_request(Request(method=method, params=params), Answer)
    return (await connection.ask(method, question)).get("result")


async def update(connection, concerns):
    return await ask(connection, "updateConcerns", {"concerns": concerns})


async def listed(connection):
    tools = names_of((await connection.tools())["result"]["tools"])
    return sorted(name for name in tools if name != "choose_concerns")


def names_of(items):
    return [item["name"] for item in items]


sys.exit(anyio.run(main))
