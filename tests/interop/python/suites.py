"""The suites, written once and run with each SDK: transparent, resource with sessions, resource without."""

import json

from eras import missing_of_era, without_era
from questions import BAD_ARGUMENTS, CALLS, NAMES_NOBODY_HAS, UNTOUCHED, ask_everything

# What stands for a schema that is withheld (R1), and where the strategy lists some of them (D7).
PERMISSIVE = {"type": "object", "additionalProperties": True}
WRAPPING = {"type": "object", "properties": {"arguments": {}}}
DESCRIPTIONS = "resource:///tool_descriptions"
RESOURCE_NAME = "Tool Descriptions - Required for tool use"
BRIDGE = "describe_tools"
BRIEF_LENGTH = 160
INVALID_PARAMS = -32602
# What a minimal list keeps of a definition beside its name (R1).
KEPT = ("title", "annotations", "icons", "execution", "_meta")
# What of a definition is delivered, where the server says it (R4).
DELIVERED = ("name", "description", "inputSchema", "outputSchema", "annotations")
# What of it a bridge delivers (B9).
BRIDGED = ("name", "description", "inputSchema")
# Slim schemas up to this size are listed, where the strategy lists any (B12).
CHEAP = 200


async def transparent(checks, connection, direct):
    """Under `full` the gateway is not there: every answer equals the direct one."""
    answers = await ask_everything(connection)
    for name, expected in direct.items():
        same(checks, name, answers[name], expected, connection)
    await names_nobody_has(checks, connection)


def same(checks, name, got, expected, connection):
    """Equal to the letter; only where the eras differ, but for what the later one demands."""
    if connection.modern:
        got, expected = without_era(got), without_era(expected)
    checks.equal(name, got, expected)


async def names_nobody_has(checks, connection):
    for name, ask in NAMES_NOBODY_HAS.items():
        answer = await ask(connection)
        checks.equal(name, answer.get("error", {}).get("code"), INVALID_PARAMS)


def slim(schema):
    """B9: what a bridge leaves out of these servers' schemas."""
    return {k: v for k, v in schema.items() if k != "$schema"}


def minimal_list(checks, answer, direct, ours=BRIDGE, brief_length=BRIEF_LENGTH, inlines=False, kept=KEPT):
    """R1: names and briefs of everything, schemas of nothing, or of what is cheap (B12); the tool of ours comes last
    (F4)."""
    def listed_schema(tool):
        schema = slim(tool["inputSchema"])
        cheap = len(json.dumps(schema, separators=(",", ":"), ensure_ascii=False).encode()) <= CHEAP
        if not inlines:
            return PERMISSIVE
        return schema if cheap else WRAPPING

    tools = answer["result"]["tools"]
    complete = direct["tools/list"]["result"]["tools"]
    names = [tool["name"] for tool in complete]
    checks.equal("every tool, in order, then ours", [t["name"] for t in tools], [*names, ours])
    listed = {tool["name"]: tool for tool in tools}
    expected = {
        tool["name"]: {"name": tool["name"], "inputSchema": listed_schema(tool), **{k: tool[k] for k in kept if k in tool}}
        for tool in complete
    }
    compared = ("name", "inputSchema", *kept)
    got = {name: {k: v for k, v in listed.get(name, {}).items() if k in compared} for name in names}
    checks.equal("schemas, and what a list keeps", got, expected)
    checks.true("no output schemas", not any("outputSchema" in tool for tool in tools), names)
    briefs = [listed[name].get("description", "") for name in names if name in listed]
    checks.true("briefs", all(0 < len(brief) <= brief_length for brief in briefs), briefs)


def refused(checks, name, answer, tool, reason=None):
    """R7, R14: the call did not run and the answer says how it will."""
    result = answer.get("result", {})
    error = (result.get("structuredContent") or {}).get("error") or {}
    received = {k: error.get(k) for k in ("code", "message", "resource_uri")} | {"isError": result.get("isError")}
    expected = {
        "code": "TOOL_DESCRIPTION_REQUIRED",
        "message": f"Tool '{tool}' requires fetching its description before use.",
        "resource_uri": f"{DESCRIPTIONS}?tools={tool}",
        "isError": True,
    }
    if reason:
        received["reason"], expected["reason"] = error.get("reason"), reason
    checks.equal(name, received, expected)
    checks.equal(f"{name}, also in text", as_json(text_of(result)), result.get("structuredContent"))
    checks.true(f"{name}, with instructions", bool(error.get("instructions")), error)


async def described(checks, connection, *tools):
    """R3, R4: reads descriptions; gives them by tool name."""
    uri = f"{DESCRIPTIONS}?tools={','.join(tools)}"
    answer = await connection.read(uri)
    asked = connection.wire.sent_params["resources/read"]["uri"]
    contents = answer.get("result", {}).get("contents", [{}])
    received = [{k: content.get(k) for k in ("uri", "mimeType")} for content in contents]
    checks.equal("the address is echoed", received, [{"uri": asked, "mimeType": "application/json"}])
    return as_json(contents[0].get("text")) or {}


def complete_definitions(checks, definitions, direct, tools, receipts=False, bridged=False):
    """R4, R14: what was delivered is what the server says of its tools, and with receipts one argument more; over a
    bridge what a call needs (B9)."""
    checks.equal("only what was asked, in that order", list(definitions), list(tools))
    complete = {tool["name"]: tool for tool in direct["tools/list"]["result"]["tools"]}
    for tool in tools:
        entry = definitions.get(tool, {})
        delivered, receipt = without_receipt(entry.get("inputSchema", {}))
        got = {**entry, "inputSchema": delivered}
        expected = {k: complete[tool][k] for k in (BRIDGED if bridged else DELIVERED) if k in complete[tool]}
        if bridged:
            expected["inputSchema"] = slim(expected["inputSchema"])
            checks.equal(f"{tool}: nothing else", sorted(entry), sorted(expected))
        else:
            checks.true(f"{tool}: a version", bool(entry.get("version")), entry)
        checks.equal(f"{tool}: the definition", {k: got.get(k) for k in expected}, expected)
        checks.true(f"{tool}: {'a' if receipts else 'no'} receipt", bool(receipt) == receipts, entry.get("inputSchema"))


def without_receipt(schema):
    """A delivered inputSchema as the server's own, and the receipt that was in it."""
    properties = dict(schema.get("properties", {}))
    receipt = properties.pop("disclosure_receipt", {}).get("const")
    if receipt is None or "disclosure_receipt" not in schema.get("required", []):
        return schema, None
    required = [name for name in schema["required"] if name != "disclosure_receipt"]
    bare = {k: v for k, v in schema.items() if k not in ("properties", "required")}
    # A tool without required arguments has no `required` of its own; `[]` would say the same.
    return {**bare, "properties": properties, **({"required": required} if required else {})}, receipt


async def resources_beside(checks, connection, direct):
    """R2: one resource and one template of ours beside the server's; all else untouched."""
    resources = (await connection.resources())["result"]["resources"]
    theirs = direct["resources/list"]["result"]["resources"]
    ours = [r for r in resources if r["uri"].startswith(DESCRIPTIONS)]
    checks.equal("the server's resources", [r for r in resources if r not in ours], theirs)
    received = [(r["uri"], r["name"], r.get("mimeType")) for r in ours]
    checks.equal("one resource of ours", received, [(DESCRIPTIONS, RESOURCE_NAME, "application/json")])
    templates = (await connection.templates())["result"]["resourceTemplates"]
    theirs = direct["resources/templates/list"]["result"]["resourceTemplates"]
    ours = [t for t in templates if t["uriTemplate"].startswith(DESCRIPTIONS)]
    checks.equal("the server's templates", [t for t in templates if t not in ours], theirs)
    checks.equal("one template of ours", [t["uriTemplate"] for t in ours], [DESCRIPTIONS + "{?tools}"])
    for name, ask in UNTOUCHED.items():
        same(checks, name, await ask(connection), direct[name], connection)
    await names_nobody_has(checks, connection)


async def with_sessions(checks, connection, direct):
    """`resource` up to 2025-11-25: list, refused call, read, call; the mark is the session's (R8)."""
    checks.true("the handshake explains it", BRIDGE in connection.handshake.get("instructions", ""),
                connection.handshake.get("instructions"))
    minimal_list(checks, await connection.tools(), direct)
    tool, arguments = CALLS["call: text"]
    refused(checks, "a call before reading is refused", await connection.call(tool, arguments), tool)
    definitions = await described(checks, connection, tool)
    complete_definitions(checks, definitions, direct, [tool])
    checks.equal("after reading it runs", await connection.call(tool, arguments), direct["call: text"])
    refused(checks, "another tool is refused still", await connection.call("get-sum", {"a": 1, "b": 2}), "get-sum")
    await wrong_arguments(checks, connection)
    rest = [tool for tool, _ in CALLS.values() if tool != "echo"]
    complete_definitions(checks, await described(checks, connection, *rest), direct, rest)
    for name, (tool, arguments) in CALLS.items():
        checks.equal(name, await connection.call(tool, arguments), direct[name])
    await unusable_reads(checks, connection)
    await resources_beside(checks, connection, direct)


async def wrong_arguments(checks, connection, **receipt):
    """F5: we withheld the schema, so we check against it, and name the argument."""
    tool, arguments = BAD_ARGUMENTS
    result = (await connection.call(tool, {**arguments, **receipt}))["result"]
    text = text_of(result)
    named = result.get("isError") and all(word in text for word in ("message", "string"))
    checks.true("wrong arguments are named", named, text)


async def unusable_reads(checks, connection):
    """R5, R6: reads that deliver nothing say what to do instead."""
    uri = f"{DESCRIPTIONS}?tools=no-such-tool"
    entry = as_json((await connection.read(uri))["result"]["contents"][0]["text"])["no-such-tool"]
    checks.equal("an unknown name", entry.get("error"), "Tool 'no-such-tool' not found")
    checks.true("an unknown name: what there is", "echo" in entry.get("available_tools", []), entry)
    error = as_json((await connection.read(DESCRIPTIONS))["result"]["contents"][0]["text"])["error"]
    checks.equal("no name", error.get("code"), "MISSING_TOOL_SELECTION")


async def by_bridge(checks, connection, direct):
    """R15: a client whose model cannot read resources; a session of its own, so nothing is delivered yet (R8)."""
    name = "call: structured content"
    tool, arguments = CALLS[name]
    refused(checks, "a new session begins without receipts", await connection.call(tool, arguments), tool)
    result = (await connection.call(BRIDGE, {"names": [tool]}))["result"]
    definitions = result.get("structuredContent") or {}
    checks.equal("text and structured content agree", as_json(text_of(result)), definitions)
    complete_definitions(checks, definitions, direct, [tool], bridged=True)
    checks.equal("after asking the bridge it runs", await connection.call(tool, arguments), direct[name])


async def stateless(checks, connection, direct):
    """`resource` on 2026-07-28: the delivered schema carries the receipt, the call brings it back (R14)."""
    checks.true("speaks 2026-07-28", connection.modern)
    listed = await connection.tools()
    minimal_list(checks, listed, direct)
    checks.equal("the list has what 2026-07-28 requires", missing_of_era(listed), [])
    receipt = None
    for name in ("call: text", "call: image", "call: structured content"):
        tool, arguments = CALLS[name]
        refused(checks, f"{tool} without receipt", await connection.call(tool, arguments), tool, "MISSING")
        definitions = await described(checks, connection, tool)
        complete_definitions(checks, definitions, direct, [tool], receipts=True)
        receipt = receipt_for(definitions, tool)
        refused(checks, f"{tool}: reading alone is not enough", await connection.call(tool, arguments), tool, "MISSING")
        answer = await connection.call(tool, {**arguments, "disclosure_receipt": receipt})
        checks.equal(name, without_era(answer), without_era(direct[name]))
    await void_receipts(checks, connection, receipt)
    delivery = await connection.read(f"{DESCRIPTIONS}?tools=get-sum")
    shelf_life = {k: delivery["result"].get(k) for k in ("ttlMs", "cacheScope")}
    checks.equal("receipts are not cached", shelf_life, {"ttlMs": 0, "cacheScope": "private"})
    result = (await connection.call(BRIDGE, {"names": ["echo"]}))["result"]
    receipt = receipt_for(result.get("structuredContent") or {}, "echo")
    await wrong_arguments(checks, connection, disclosure_receipt=receipt)
    await resources_beside(checks, connection, direct)
    return receipt


async def void_receipts(checks, connection, of_another_tool):
    tool, arguments = CALLS["call: text"]
    for name, receipt in {"another tool's": of_another_tool, "an invented": "abc", "an empty": ""}.items():
        answer = await connection.call(tool, {**arguments, "disclosure_receipt": receipt})
        refused(checks, f"{name} receipt", answer, tool, "INVALID")


async def on_another_connection(checks, connection, receipt, direct):
    """A receipt is no connection's: any request of the same principal may bring it."""
    tool, arguments = CALLS["call: text"]
    answer = await connection.call(tool, {**arguments, "disclosure_receipt": receipt})
    checks.equal("a receipt from another connection", without_era(answer), without_era(direct["call: text"]))


def receipt_for(definitions, tool):
    return without_receipt(definitions.get(tool, {}).get("inputSchema", {}))[1]


def text_of(result):
    content = result.get("content") or [{}]
    return content[0].get("text", "")


def as_json(text):
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None
