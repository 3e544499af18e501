#!/usr/bin/env python3
"""Asks the labelled queries of every front, by turns, and prints the table (`run.sh` starts this)."""

import asyncio
import json
import os
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from datetime import date
from pathlib import Path

from fronts import Bm25s, Failure, FastMcpProxy, FastMcpServer, McpProxyCrate, Ours, OursWithModel, World, text_of
from mcp.shared.exceptions import MCPError
from score import HEAD, Asked, Counter, misses, row

BEGIN, END = "<!-- rivals -->", "<!-- /rivals -->"

# The set that `search` was tuned on.
TUNED = "eight servers, our own queries"


def read_tasks(path, world):
    """The labelled queries: JSON lines with `query` and `tools`."""
    known = {f"{server}:{tool}" for server, tools in world.tools.items() for tool in tools}
    tasks = []
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        if not line.strip():
            continue
        try:
            task = json.loads(line)
            unknown = [tool for tool in task["tools"] if tool not in known]
            if not isinstance(task["query"], str):
                raise TypeError("'query' is no string")
        except (ValueError, KeyError, TypeError) as error:
            raise Failure(f"{path}:{number}: expected an object with 'query' and 'tools': {error!r}") from error
        if unknown:
            raise Failure(f"{path}:{number}: {unknown[0]} is in no recorded list; a label is SERVER:TOOL")
        tasks.append(task)
    if not any(task["tools"] for task in tasks):
        raise Failure(f"{path} has no query with a right tool")
    return tasks


async def start_of(front, session, world):
    """Opens a session: what a host puts before a model, as `accuracy` counts it, without what is not the front's own."""
    try:
        hello, tools = await session.initialize(), (await session.list_tools()).tools
    except MCPError as error:
        raise Failure(f"{front.label} cannot be used: {error}") from error
    instructions = hello.instructions or ""
    for text in world.instructions:
        # Some fronts forward it, some do not, and some if the server is up in time.
        instructions = instructions.replace(text.strip(), "")
    shown = [{"name": it.name, "description": it.description, "inputSchema": it.input_schema} for it in tools]
    return dump({"instructions": instructions.strip(), "tools": shown})


def dump(value):
    """JSON as compact as the gateway's."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


async def call(session, name, arguments):
    """Makes a call, which must succeed."""
    answer = await session.call_tool(name, arguments)
    if answer.is_error:
        raise Failure(f"{name} {dump(arguments)} failed: {text_of(answer)}")
    return answer


def written(name, arguments):
    """What a model writes for a call."""
    return dump({"name": name, "arguments": arguments})


async def ask(front, session, task):
    """One query, and the way to a right tool if one was found."""
    search = front.search(task["query"])
    before = time.perf_counter()
    answer = await call(session, *search)
    seconds = time.perf_counter() - before
    asked = Asked(task, front.hits(answer), text_of(answer), seconds)
    if asked.rank() is not None:
        rest = await way(front, session, asked.hits[asked.rank()], task)
        asked.spent = [written(*search), asked.answer, *rest]
    return asked


async def way(front, session, hit, task):
    """What follows until a tool that was found is called: its schema, where the hit lacks it, and the call. The call is not
    made, since labelled arguments are only those that a right call must have."""
    spent, learn = [], front.learn(hit)
    if learn:
        spent = [written(*learn), text_of(await call(session, *learn))]
    return [*spent, written(*front.use(hit, task.get("args") or {}))]


async def measure(fronts, world, tasks):
    """For each front: what a model sees at the start, and the answers."""
    async with AsyncExitStack() as stack:
        sessions = [await front.connect(stack, world) for front in fronts]
        starts = [await start_of(*pair, world) for pair in zip(fronts, sessions)]
        for front, session in zip(fronts, sessions):
            # Indexes are built at the first search.
            await ask(front, session, tasks[0])
            if isinstance(front, Ours):
                await front.settle(session)
        asked = [[] for _ in fronts]
        for turn, task in enumerate(tasks):
            # By turns, each time another one first, so that what else the machine does hits all alike.
            for at in range(len(fronts)):
                at = (at + turn) % len(fronts)
                asked[at].append(await ask(fronts[at], sessions[at], task))
        return starts, asked


def report(fronts, starts, asked, accuracy, tools):
    """The table with what it was measured on."""
    texts = {*starts} | {text for rows in asked for one in rows for text in (one.answer, *one.spent)}
    counter = Counter(accuracy, list(texts))
    possible = sum(not one.is_impossible() for one in asked[0])
    lines = [
        f"{tools} tools, {possible} possible queries and {len(asked[0]) - possible} impossible ones; {date.today()}, load "
        f"average {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores:",
        "",
        HEAD,
    ]
    lines += [row(front.label, start, rows, counter) for front, start, rows in zip(fronts, starts, asked)]
    return lines


def write(path, lines):
    """Puts the report between the markers of the page."""
    before, begin, rest = path.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        sys.exit(f"{path} lacks {BEGIN} or {END}")
    path.write_text("\n".join([before + begin, "", *lines, "", end + after]))


def of_set(name, recordings, path):
    """The section of a set."""
    accuracy = os.environ["ACCURACY"]
    fronts = [FastMcpProxy(), FastMcpServer()]
    if "MCP_PROXY_BIN" in os.environ:
        fronts.append(McpProxyCrate(os.environ["MCP_PROXY_BIN"], os.environ["MCP_PROXY_VERSION"]))
    ours = os.environ["MCP_DISCLOSURE_BIN"]
    fronts += [Bm25s(), OursWithModel(ours), Ours(ours)]
    with tempfile.TemporaryDirectory() as folder:
        world = World(recordings, accuracy, folder)
        tasks = read_tasks(path, world)
        starts, asked = asyncio.run(measure(fronts, world, tasks))
    lines = [f"### {name}", "", *report(fronts, starts, asked, accuracy, sum(map(len, world.tools.values())))]
    for front, rows in zip(fronts, asked):
        # A set whose misses were looked at is one that was tuned on.
        if name == TUNED and (front is fronts[-1] or os.environ.get("MISSES")):
            lines += ["", f"Misses of {front.label}: {len(misses(rows))}", "", *misses(rows)]
    return lines


def main():
    # Those that search was not tuned on come first.
    sets = [(it.name, it / "lists", it / "tasks.jsonl") for it in sorted(Path(os.environ["SETS"]).glob("*/")) if (it / "lists").exists()]
    sets.append((TUNED, os.environ["RECORDINGS"], os.environ["TASKS"]))
    only = os.environ.get("ONLY")
    lines = [line for one in sets if not only or one[0] in only.split(",") for line in ["", *of_set(*one)]][1:]
    if os.environ.get("UPDATE"):
        write(Path(os.environ["BENCHMARKS"]), lines)
    print("\n".join(lines))


def first(error):
    """The first of errors that came together, as task groups raise them."""
    return first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


if __name__ == "__main__":
    try:
        main()
    except (Failure, BaseExceptionGroup) as error:
        if not isinstance(first(error), Failure):
            raise
        sys.exit(f"error: {first(error)}")
