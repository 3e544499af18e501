"""A model that follows a script, behind the protocol that OpenAI's chat completions have. It writes only arguments that the
schema shown to it allows and requires, as models that are held to it do, and objects as text where it is told to."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MOST_LESSONS = 2


class Model:
    """Learns a tool by `lesson`, if there is one, and calls it: by its own name or by the tool `by`. Says what came of it."""

    def __init__(self, tool, arguments, lesson=None, by=None):
        self.tool, self.arguments, self.lesson, self.by = tool, arguments, lesson, by
        self.shown, self.called, self.writes_text = {}, [], False

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(handler, *_):
                pass

            def do_GET(handler):
                answer(handler, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})

            def do_POST(handler):
                request = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
                answer(handler, completion(self.step(request)), request.get("stream"))

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def step(self, request):
        """The next call, as (name, arguments), or the last text."""
        step = self.next(request)
        if not isinstance(step, str):
            self.called.append(step)
        return step

    def next(self, request):
        tools = {tool["function"]["name"]: tool["function"] for tool in request.get("tools") or []}
        self.shown = tools or self.shown
        # Not every framework repeats earlier calls as calls.
        calls = [name for name, _ in self.called]
        # Some frameworks show tools in their first request only.
        tools = self.shown
        last = text(request["messages"][-1].get("content"))
        lessons = sum(self.lesson is not None and is_same(name, self.lesson[0]) for name in calls)
        refused = "TOOL_DESCRIPTION_REQUIRED" in last
        if "should be 'string'" in last and calls and not self.writes_text:
            self.writes_text = True
            name, arguments = self.called[-1]
            return name, {key: json.dumps(value) if isinstance(value, dict) else value for key, value in arguments.items()}
        if self.lesson and (not calls or (refused and lessons < MOST_LESSONS)):
            return called(tools, *self.lesson)
        if not calls or (self.lesson and is_same(calls[-1], self.lesson[0])):
            receipt = re.search(r'"disclosure_receipt\\*":[^}]*"const\\*": ?\\*"([\w-]{43})', last)
            arguments = {**self.arguments, **({"disclosure_receipt": receipt[1]} if receipt else {})}
            if self.by:
                return called(tools, self.by, {"tool": self.tool, "arguments": arguments})
            return called(tools, self.tool, arguments)
        return last or "nothing"


def called(tools, name, arguments):
    """A call of the tool that is shown by this name, or by one that a framework made of it."""
    shown = next((shown for shown in tools if is_same(shown, name)), None)
    return (shown, written(tools[shown].get("parameters") or {}, arguments)) if shown else f"no tool {name}"


def is_same(shown, name):
    def plain(text):
        return re.sub(r"\W", "_", text)

    return plain(shown) == plain(name) or plain(shown).endswith("_" + plain(name))


def written(schema, arguments):
    """What of these arguments can be written by a schema."""
    shown = schema.get("properties") or {}
    if "arguments" in shown and not any(name in shown for name in arguments):
        arguments = {"arguments": arguments}
    is_open = schema.get("additionalProperties", True) is not False
    missing = [name for name in schema.get("required", []) if name not in arguments]
    return {name: some(shown.get(name, {})) for name in missing} | {
        name: value if name not in shown else value_by(shown[name], value)
        for name, value in arguments.items()
        if name in shown or is_open
    }


def some(schema):
    """A value of a parameter that nothing is known for."""
    if "default" in schema or "enum" in schema:
        return schema.get("default", schema.get("enum", [None])[0])
    return {"string": "", "integer": 1, "number": 1, "boolean": False, "array": [], "object": {}}.get((kinds(schema) or [None])[0])


def value_by(schema, value):
    if not isinstance(value, dict):
        return value
    forms = [schema, *schema.get("anyOf", [])]
    if any("object" in kinds(form) and form.get("additionalProperties", True) is not False for form in forms):
        return value
    if any(not kinds(form) and "anyOf" not in form for form in forms):
        return value
    if any("string" in kinds(form) for form in forms):
        return json.dumps(value)
    return {}


def kinds(schema):
    kind = schema.get("type", [])
    return [kind] if isinstance(kind, str) else kind


def text(content):
    return content if isinstance(content, str) else json.dumps(content)


def completion(step):
    if isinstance(step, str):
        return {"role": "assistant", "content": step}, "stop"
    name, arguments = step
    call = {"id": f"call_{name}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"


def answer(handler, body, streams=False):
    kind = "application/json"
    if isinstance(body, tuple):
        message, reason = body
        common = {"id": "c", "created": 1, "model": "scripted", "usage": dict.fromkeys(USAGE, 1)}
        if streams:
            calls = [{"index": at, **call} for at, call in enumerate(message.get("tool_calls", []))]
            first = {"index": 0, "delta": {**message, **({"tool_calls": calls} if calls else {})}, "finish_reason": None}
            last = {"index": 0, "delta": {}, "finish_reason": reason}
            chunks = [{**common, "object": "chat.completion.chunk", "choices": [choice]} for choice in (first, last)]
            kind, body = "text/event-stream", [*map(json.dumps, chunks), "[DONE]"]
        else:
            choice = {"index": 0, "message": message, "finish_reason": reason}
            body = {**common, "object": "chat.completion", "choices": [choice]}
    data = "".join(f"data: {chunk}\n\n" for chunk in body) if isinstance(body, list) else json.dumps(body)
    handler.send_response(200)
    handler.send_header("content-type", kind)
    handler.send_header("content-length", str(len(data.encode())))
    handler.end_headers()
    handler.wfile.write(data.encode())


USAGE = ("prompt_tokens", "completion_tokens", "total_tokens")
