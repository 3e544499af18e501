"""What is asked of server-everything, directly and through the gateway; nothing whose answer has a time in it."""

from mcp.types import PromptReference, ResourceTemplateReference

# name: (tool, arguments)
CALLS = {
    "call: text": ("echo", {"message": "héllo ⟨wörld⟩ \u2028 🦀"}),
    "call: numbers": ("get-sum", {"a": 0.1, "b": 2}),
    "call: image": ("get-tiny-image", {}),
    "call: structured content": ("get-structured-content", {"location": "Chicago"}),
    "call: annotations": ("get-annotated-message", {"messageType": "error", "includeImage": True}),
    "call: resource links": ("get-resource-links", {"count": 4}),
}

# Answered by the tool itself under `full`; where the schema was withheld, by the gateway.
BAD_ARGUMENTS = ("echo", {"message": 7})

# A name that no upstream has reaches none, so the words of the error are the gateway's; the code is not (F7).
NAMES_NOBODY_HAS = {
    "an unknown tool": lambda c: c.call("no-such-tool", {}),
    "an unknown prompt": lambda c: c.prompt("no-such-prompt", {}),
}

DOCUMENT = "demo://resource/static/document/features.md"
TEMPLATE = ResourceTemplateReference(type="ref/resource", uri="demo://resource/dynamic/text/{resourceId}")
PROMPT = PromptReference(type="ref/prompt", name="completable-prompt")

# What no strategy may touch.
UNTOUCHED = {
    "prompts/list": lambda c: c.prompts(),
    "prompt without arguments": lambda c: c.prompt("simple-prompt", {}),
    "prompt with arguments": lambda c: c.prompt("args-prompt", {"city": "Zürich", "state": "ZH"}),
    "prompt: a missing argument": lambda c: c.prompt("args-prompt", {}),
    "resource": lambda c: c.read(DOCUMENT),
    "resource: an unknown address": lambda c: c.read("demo://no/such/resource"),
    "completion of a prompt": lambda c: c.complete(PROMPT, {"name": "department", "value": "S"}),
    "completion with context": lambda c: c.complete(
        PROMPT, {"name": "name", "value": ""}, {"department": "Sales"}
    ),
    "completion of a template": lambda c: c.complete(TEMPLATE, {"name": "resourceId", "value": "7"}),
}

LISTS = {
    "tools/list": lambda c: c.tools(),
    "resources/list": lambda c: c.resources(),
    "resources/templates/list": lambda c: c.templates(),
}


async def ask_everything(connection):
    """The answers to all of the above, by name, as the wire brought them."""
    answers = {name: await ask(connection) for name, ask in {**LISTS, **UNTOUCHED}.items()}
    for name, (tool, arguments) in CALLS.items():
        answers[name] = await connection.call(tool, arguments)
    answers["call: wrong arguments"] = await connection.call(*BAD_ARGUMENTS)
    answers["call: progress"] = await long_call(connection)
    answers["progress"] = connection.wire.progress
    answers["instructions"] = connection.handshake.get("instructions")
    return answers


async def long_call(connection):
    async def heard(*_):
        pass

    return await connection.call("trigger-long-running-operation", {"duration": 0.2, "steps": 2}, heard)
