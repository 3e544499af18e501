"""The walks of the info-tool document through the gateway, before servers that have an `info` tool of their own: as directly.
By the official Python SDK 1.x."""

import json
import os
import sys
import tempfile

import anyio

from checks import HERE, Checks
from programs import GATEWAY
from sdk1 import NAME, connect

WALKS = {
    "math": ("symbolic", "symbolic_solve"),
    "quantum": ("simulations", "solve_schrodinger_2d"),
    "molecular": ("analysis", "compute_rdf"),
    "neural": ("training", "train_model"),
}


def server(name):
    return [sys.executable, os.path.join(HERE, "info_server.py"), name]


async def main():
    checks = Checks(f"walks, {NAME}")
    for name, (category, tool) in WALKS.items():
        async with checks.group(f"{name} alone"):
            await alone(checks, name, category, tool)
    async with checks.group("alone, entry-only"):
        command = [GATEWAY, "serve", "--strategy", "info", "--set", "info.tools=entry-only", "--", *server("math")]
        async with connect(command) as connection:
            listed = [tool["name"] for tool in (await connection.tools())["result"]["tools"]]
            checks.equal("what is listed", listed, ["info", "invoke"])
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        for name in WALKS:
            command, *arguments = server(name)
            file.write(f"[upstreams.{name}]\ncommand = {json.dumps(command)}\nargs = {json.dumps(arguments)}\n")
        file.flush()
        serve = [GATEWAY, "serve", "--config", file.name, "--remember", "off", "--strategy", "info"]
        async with checks.group("all four"), connect(serve) as connection:
            await together(checks, connection)
    with tempfile.TemporaryDirectory() as folder:
        audit = os.path.join(folder, "audit.jsonl")
        async with checks.group("audited, and a tool like any other elsewhere"):
            command = [GATEWAY, "serve", "--audit", audit, "--strategy", "full", "--", *server("math")]
            async with connect(command) as connection:
                listed = [tool["name"] for tool in (await connection.tools())["result"]["tools"]]
                checks.equal("what is listed", len(listed), 12)
                checks.equal("its answer", (await info(connection))["total_tools"], 11)
            records = [json.loads(line) for line in open(audit, encoding="utf-8")]
            asked = [record for record in records if record.get("tool") == "info"]
            checks.true("the questions are recorded", len(asked) > 1, records)
    return checks.close()


async def alone(checks, name, category, tool):
    async with connect(server(name)) as direct:
        expected = {topic: await info(direct, topic) for topic in (None, "overview", category, tool)}
    async with connect([GATEWAY, "serve", "--strategy", "info", "--", *server(name)]) as connection:
        listed = [tool["name"] for tool in (await connection.tools())["result"]["tools"]]
        checks.equal("one tool of this name", [tool for tool in listed if "info" in tool], ["info"])
        for topic, answer in expected.items():
            checks.equal(f"topic {topic}", await info(connection, topic), answer)
        arguments = {"equations": "x**3 - 6*x**2 + 11*x - 6"} if name == "math" else {"steps": 3}
        result = (await connection.call(tool, arguments))["result"]["structuredContent"]
        checks.true("the call", result.get("solutions") == [1, 2, 3] or result.get("done") == 3, result)


async def together(checks, connection):
    overview = await info(connection)
    checks.equal("how many tools", overview["total_tools"], 11 + 11 + 12 + 14)
    names = list(overview["categories"])
    for clashing in ("quantum/analysis", "molecular/analysis", "neural/visualization"):
        checks.true(clashing, clashing in names, names)
    for alone in ("symbolic", "simulations", "training"):
        checks.true(alone, alone in names, names)
    named = [tool["name"] for tool in (await info(connection, "molecular/analysis"))["tools"]]
    checks.true("molecular/analysis", len(named) == 5 and named[1] == "compute_rdf", named)
    for topic in ("simulations", "quantum/simulations"):
        answer = await info(connection, topic)
        expected = ["solve_schrodinger", "solve_schrodinger_2d", "get_task_status"]
        checks.equal(topic, [tool["name"] for tool in answer["tools"]], expected)
    checks.equal("a tool", (await info(connection, "symbolic_solve"))["parameters"]["domain"]["default"], "complex")


async def info(connection, topic=None):
    result = (await connection.call("info", {"topic": topic} if topic else {}))["result"]
    return result["structuredContent"]


if __name__ == "__main__":
    sys.exit(anyio.run(main))
