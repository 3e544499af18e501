#!/usr/bin/env python3
"""A model for `accuracy run` behind any server of the chat completions API. Needs nothing but Python 3.11.

    MODEL=NAME API_KEY=KEY [API_URL=https://host/v1] accuracy run --model tests/accuracy/chat_completions.py ...

Reads one JSON line a turn on stdin and writes one to stdout (docs/accuracy.md). Give it one task at a time (`--batch 1`,
the default).
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("API_URL", "http://127.0.0.1:8080/v1").rstrip("/") + "/chat/completions"
ROLE = (
    "You are an assistant that is connected to an MCP server. Do what the user asks with its tools: exactly that, with "
    "arguments from the user's words. If no tool can do it, call none and say so. When it is done, answer in one sentence."
)
ATTEMPTS = 5


def complete(messages, tools):
    """One completion: the assistant's message."""
    body = {"model": os.environ["MODEL"], "messages": messages, "tools": tools}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('API_KEY', '')}"}
    for attempt in range(ATTEMPTS):
        request = urllib.request.Request(URL, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=300) as response:
                return json.load(response)["choices"][0]["message"]
        except urllib.error.HTTPError as error:
            # A server that is busy, or limits the rate of requests.
            if attempt + 1 == ATTEMPTS or (error.code != 429 and error.code < 500):
                sys.exit(f"{URL}: HTTP {error.code}: {error.read().decode(errors='replace')[:500]}")
            time.sleep(2**attempt)


def function(tool):
    """A listed tool in the API's form. Some servers refuse an object schema without `properties`."""
    schema = {"properties": {}, **tool["inputSchema"]}
    return {
        "type": "function",
        "function": {"name": tool["name"], "description": tool.get("description", ""), "parameters": schema},
    }


def arguments_of(call):
    """A call's arguments; what is not JSON reaches the server as it is, which answers what is wrong."""
    text = call["function"]["arguments"] or "{}"
    try:
        return json.loads(text)
    except ValueError:
        return text


def main():
    messages, tools, pending = [], [], []
    for line in sys.stdin:
        said = json.loads(line)
        if "error" in said:
            sys.exit(f"the host could not use the last line: {said['error']}")
        if "tools" in said:
            tools = [function(tool) for tool in said["tools"]]
            messages = [{"role": "system", "content": "\n\n".join([ROLE, said["instructions"]]).strip()}]
        for call, result in zip(pending, said.get("results", [])):
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result["text"]})
        if said.get("end"):
            return
        for task in said.get("tasks", []):
            messages.append({"role": "user", "content": task["request"]})
        answer = complete(messages, tools)
        messages.append({key: answer[key] for key in ("role", "content", "tool_calls") if answer.get(key) is not None})
        pending, task = answer.get("tool_calls") or [], said["open"][0]
        calls = [
            {"task": task, "tool": call["function"]["name"], "arguments": arguments_of(call)} for call in pending
        ]
        print(json.dumps({"calls": calls, "finished": [] if calls else [task]}), flush=True)


if __name__ == "__main__":
    main()
