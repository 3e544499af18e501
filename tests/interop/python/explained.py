"""The suites of `describe` and `info`, before server-everything and @playwright/mcp, over both transports."""

from eras import without_tasks
from programs import EVERYTHING, PLAYWRIGHT, gateway, http_gateway
from questions import BAD_ARGUMENTS, CALLS
from suites import BRIDGE, as_json, complete_definitions, minimal_list, same, text_of

MODERN = "2026-07-28"
ENTRY_ONLY = ("--set", "info.tools=entry-only")
# D1: what `describe` lists at most; the texts are ASCII, so that units and characters are the same.
SHORT_BRIEF = 60
# B12: the tool is listed with its schema, so its arguments go unchecked.
WRONG = "call: wrong arguments"
# Without a browser it fails, with words of its own; through the gateway it has to fail alike.
PLAYWRIGHT_CALLS = {"call: browser_close": ("browser_close", {})}


async def run(checks, connect, era):
    """`connect` gives a connection of this era, to a command line or an address."""
    for name, upstream, calls in (("everything", EVERYTHING, CALLS), ("playwright", PLAYWRIGHT, PLAYWRIGHT_CALLS)):
        async with checks.group(f"{name}, {era}"):
            direct = {}
            async with connect(upstream) as connection:
                listed = await connection.tools()
                direct["tools/list"] = without_tasks(listed) if era == MODERN else listed
                for call, (tool, arguments) in {**calls, WRONG: BAD_ARGUMENTS}.items():
                    direct[call] = await connection.call(tool, arguments)
            for suite, flags in ((described, ()), (informed, ()), (entered, ENTRY_ONLY)):
                strategy = "describe" if suite is described else "info"
                async with checks.group(f"{name}, {era}, stdio, {suite.__name__}"):
                    async with connect(gateway(strategy, upstream, *flags)) as connection:
                        checks.equal("the era", connection.modern, era == MODERN)
                        await suite(checks, connection, direct, calls)
                async with checks.group(f"{name}, {era}, http, {suite.__name__}"):
                    async with http_gateway(strategy, upstream, *flags) as origin:
                        async with connect(f"{origin}/mcp") as connection:
                            checks.equal("the era", connection.modern, era == MODERN)
                            await suite(checks, connection, direct, calls)


async def described(checks, connection, direct, calls):
    """D7: short briefs, and a tool that describes; nothing has to be described before a call."""
    tools = await connection.tools()
    minimal_list(checks, tools, direct, brief_length=SHORT_BRIEF, inlines=True, kept=("title",))
    names = [tool for tool, _ in calls.values()]
    for call, (tool, arguments) in calls.items():
        same(checks, f"{call}, undescribed", await connection.call(tool, arguments), direct[call], connection)
    result = (await connection.call(BRIDGE, {"names": names}))["result"]
    definitions = result.get("structuredContent") or {}
    checks.equal("text and structured content agree", as_json(text_of(result)), definitions)
    complete_definitions(checks, definitions, direct, names, bridged=True)
    unknown = (await connection.call(BRIDGE, {"names": ["no-such-tool"]}))["result"]["structuredContent"]
    checks.equal("an unknown name", unknown["no-such-tool"]["error"], "Tool 'no-such-tool' not found")
    if calls is CALLS:
        same(checks, WRONG, await connection.call(*BAD_ARGUMENTS), direct[WRONG], connection)


async def informed(checks, connection, direct, calls):
    """I1 to I7 with stubs: every tool in a line, and one that explains."""
    tools = await connection.tools()
    minimal_list(checks, tools, direct, ours="info", inlines=True)
    await three_levels(checks, connection, tools["result"]["tools"][-1], direct)
    for call, (tool, arguments) in calls.items():
        same(checks, call, await connection.call(tool, arguments), direct[call], connection)
    if calls is CALLS:
        same(checks, WRONG, await connection.call(*BAD_ARGUMENTS), direct[WRONG], connection)


async def entered(checks, connection, direct, calls):
    """I7 without them: the tool that explains, and one that runs."""
    tools = (await connection.tools())["result"]["tools"]
    checks.equal("two tools", [tool["name"] for tool in tools], ["info", "invoke"])
    await three_levels(checks, connection, tools[0], direct)
    for call, (tool, arguments) in calls.items():
        answer = await connection.call("invoke", {"tool": tool, "arguments": arguments})
        same(checks, call, answer, direct[call], connection)
    if calls is CALLS:
        tool, arguments = BAD_ARGUMENTS
        refused_arguments(checks, await connection.call("invoke", {"tool": tool, "arguments": arguments}))


async def three_levels(checks, connection, info, direct):
    """I1 to I5: the overview leads to categories, those to tools, and those say what they take."""
    complete = {tool["name"]: tool for tool in direct["tools/list"]["result"]["tools"]}
    overview = await ask(checks, connection)
    checks.equal("all tools are counted", overview["total_tools"], len(complete))
    names = []
    for category, described in overview["categories"].items():
        checks.true(f"{category} is named where a model looks first", f"{category} ({described['count']})"
                    in info["description"], info["description"])
        lines = (await ask(checks, connection, category))["tools"]
        checks.equal(f"{category}: its count", len(lines), described["count"])
        names += [line["name"] for line in lines]
    checks.equal("every tool is in a category", sorted(names), sorted(complete))
    for name, tool in complete.items():
        described = await ask(checks, connection, f"tool:{name}")
        checks.equal(f"{name}: its parameters", sorted(described["parameters"]), sorted(tool["inputSchema"].get("properties", {})))
        checks.equal(f"{name}: what must be given", [key for key, it in described["parameters"].items() if it["required"]],
                     [key for key in described["parameters"] if key in tool["inputSchema"].get("required", [])])
    unknown = (await connection.call("info", {"topic": "no-such-topic"}))["result"]
    checks.equal("an unknown topic", (unknown["isError"], unknown["structuredContent"]["error"]),
                 (True, "Unknown topic: no-such-topic"))


async def ask(checks, connection, topic=None):
    result = (await connection.call("info", {} if topic is None else {"topic": topic}))["result"]
    described = result.get("structuredContent") or {}
    checks.equal(f"{topic}: text and structured content agree", as_json(text_of(result)), described)
    return described


def refused_arguments(checks, answer):
    """F5: wrong arguments are named, and the tool does not run."""
    result = answer.get("result", {})
    code = ((result.get("structuredContent") or {}).get("error") or {}).get("code")
    checks.equal("wrong arguments", (result.get("isError"), code), (True, "INVALID_ARGUMENTS"))
