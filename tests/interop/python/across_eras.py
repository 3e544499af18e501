"""What an upstream asks, logs and reports reaches the client, of whichever era either is: the official Python SDK 2.x.

`across_eras.py direct [UPSTREAM..]` tries servers and client alone, `across_eras.py gateway [UPSTREAM..]` with the
gateway between them too. Upstreams, arrangements and cases stand in asking.json.
"""

import json
import os
import sys

import anyio
from mcp.types import CreateMessageResult, ElicitResult, ListRootsResult

from checks import HERE, Checks
from eras import without_era
from programs import gateway, http_gateway, listener
from sdk2 import MODERN, NAME, connect

with open(f"{HERE}/../asking.json") as file:
    TABLE = json.load(file)

MODES = {"sessions": "legacy", "stateless": MODERN}
LOG_LEVEL = "io.modelcontextprotocol/logLevel"
# A limit against hangs: what is waited for must come.
LATE_SECONDS = 20
# Of one client in one arrangement, which may start a server for each of its requests.
CLIENT_SECONDS = 300


async def main(through, *names):
    checks = Checks(f"{NAME}, across eras", seconds=1800)
    places = {"cache": os.environ["INTEROP_CACHE"], "here": os.environ["INTEROP_HERE"]}
    for upstream in TABLE["upstreams"]:
        if names and upstream["name"] not in names:
            continue
        command = [part.format(**places) for part in upstream["command"]]
        async with checks.group(upstream["name"], seconds=900), listener(lambda port: [*command, str(port)]) as origin:
            for reached, source in {"stdio": command, "http": f"{origin}/mcp"}.items():
                direct = await directly(checks, upstream, reached, source)
                if through == "gateway":
                    await by_gateway(checks, f"{upstream['name']}, {reached}", source, direct)
    return checks.close()


async def directly(checks, upstream, reached, source):
    """Gives the outcomes of each era that the upstream speaks."""
    outcomes = {}
    for era in upstream["eras"]:
        async with checks.group(f"{upstream['name']}, {reached}, {era}", CLIENT_SECONDS):
            outcomes[era] = await ask_all(source, era)
            mirrored = (reached, era) == ("http", "stateless")
            for name, outcome in outcomes[era].items():
                checks.equal(name, summary(outcome), expected(name, mirrored))
            await not_for_everyone(checks, source, era)
    return outcomes


async def by_gateway(checks, place, source, direct):
    """By either transport and in either era, clients meet what they would directly."""
    flags = TABLE["gateway"]
    async with checks.group(f"{place} | http", seconds=900), http_gateway("full", source, *flags["http"]) as origin:
        for transport, target in {"stdio": gateway("full", source, *flags["stdio"]), "http": f"{origin}/mcp"}.items():
            for era in MODES:
                async with checks.group(f"{place} | {transport}, {era}", CLIENT_SECONDS):
                    # In the client's own era, where the upstream speaks it.
                    reference = direct.get(era) or next(iter(direct.values()))
                    for name, outcome in (await ask_all(target, era)).items():
                        if name in reference:
                            checks.equal(name, outcome, reference[name])
                        else:
                            checks.equal(name, summary(outcome), expected(name))
                    await not_for_everyone(checks, target, era)


async def ask_all(target, era):
    async with connect(target, MODES[era], **answering("Ada")) as connection:
        if era == "sessions":
            # Of those who log, some do not know this request and log everything.
            await connection.ask("logging/setLevel", connection.session.set_logging_level("debug"))
        # From here the SDK knows which arguments are headers.
        await connection.tools()
        cases = [case for case in TABLE["cases"] if case.get("era", era) == era]
        return {case["name"]: await outcome(connection, case) for case in cases}


async def outcome(connection, case):
    wire = connection.wire
    wire.forget()
    answer = await asked(connection, case)
    with anyio.move_on_after(LATE_SECONDS):
        # In sessions these need not come on the stream of the answer.
        while len(wire.logs) < len(case.get("logged", [])):
            await anyio.sleep(0.01)
    questions = sorted(wire.questions, key=json.dumps)
    return {"answer": without_era(answer), "asked": questions, "logged": wire.logs, "progress": wire.progress}


async def asked(connection, case):
    if name := case.get("prompt"):
        return await connection.prompt(name, {})
    if uri := case.get("resource"):
        return await connection.read(uri)
    meta = {LOG_LEVEL: case["level"]} if connection.modern and "level" in case else None
    return await connection.call(case["tool"], case.get("arguments", {}), heard, meta=meta)


async def heard(*_):
    pass


def summary(outcome):
    """The texts of an outcome, which are the same in every combination."""
    return {
        "text": text(outcome["answer"]),
        "asked": [question["params"].get("message", question["method"]) for question in outcome["asked"]],
        "logged": [message["data"] for message in outcome["logged"]],
        "progress": [report["message"] for report in outcome["progress"]],
    }


def text(answer):
    """What a tool, a prompt or a resource says; of an error, all of it."""
    result = answer.get("result", {})
    for part in result.get("messages") or result.get("contents") or result.get("content") or []:
        return part.get("content", part).get("text")
    return answer


def expected(name, mirrored=False):
    [case] = [case for case in TABLE["cases"] if case["name"] == name]
    words = {key: case.get(key, []) for key in ("asked", "logged", "progress")}
    return {"text": (mirrored and case.get("mirrored")) or case["text"], **words}


async def not_for_everyone(checks, target, era):
    """Who asks gets the answer of who was asked, and who cannot be asked is not."""
    async with connect(target, MODES[era]) as mute:
        answer = await mute.call("ask", {})
        checks.true("who cannot be asked gets an error", answer.get("error") or answer["result"].get("isError"), answer)
    if isinstance(target, str):
        texts = {}
        async with anyio.create_task_group() as group:
            for name in ("Ada", "Eve", "Sam"):
                group.start_soon(greeted, target, era, name, texts)
        checks.equal("everyone is greeted by their own name", texts, {name: f"Hello {name}" for name in texts})


async def greeted(target, era, name, texts):
    async with connect(target, MODES[era], **answering(name)) as connection:
        texts[name] = text(await connection.call("ask", {}))


def answering(name):
    """The client: it says its name, knows its friend and keeps its secret."""
    client = TABLE["client"]

    async def elicit(_, params):
        content = {"Who are you?": {"name": name}}.get(params.message) or client["answers"].get(params.message)
        return ElicitResult(action="accept" if content else "decline", content=content)

    async def sample(*_):
        return CreateMessageResult.model_validate(client["said"])

    async def roots(_):
        return ListRootsResult.model_validate({"roots": client["roots"]})

    return {"elicitation_callback": elicit, "sampling_callback": sample, "list_roots_callback": roots}


sys.exit(anyio.run(main, *sys.argv[1:]))
