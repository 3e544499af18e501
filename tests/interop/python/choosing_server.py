"""A server of concern-based filtering, written from its source alone: JSON-RPC over stdio, without an SDK.

    choosing_server.py [initialize] [initialized] [updateConcerns] [meta] [refuses] [like-an-sdk]

The forms in which it reads choices; `meta`: its tools say what they map; `refuses`: it answers updateConcerns with an error;
`like-an-sdk`: it answers unknown methods as some SDKs do. Each tool's result says what was chosen in which form.
"""

import json
import os
import sys

CONCERNS = [
    {
        "name": "security",
        "description": "Security level required for the operation",
        "values": ["high", "medium", "low"],
        "default": "medium",
    },
    {"name": "cost", "description": "What a call costs", "values": ["minimal", "moderate"], "default": "moderate"},
]
MAPPING = {
    "encryptData": {"security": "high", "cost": "minimal"},
    "encryptDataInHardware": {"security": "high", "cost": "moderate"},
    "logData": {"security": "medium"},
    "dumpData": {"security": "low", "cost": "minimal"},
    "validateData": {"cost": "minimal"},
}
WORDS = set(sys.argv[1:])
chosen, heard = {}, []


def choose(form, params):
    """The configuration of a host; the last one counts, name by name."""
    concerns = (params or {}).get("concerns")
    if concerns is not None and (form in WORDS or form == "updateConcerns"):
        heard.append({form: concerns})
        chosen.update(concerns)


def is_included(name):
    return all(MAPPING[name].get(concern, value) == value for concern, value in chosen.items())


def tool(name):
    described = {"name": name, "description": f"Does {name}", "inputSchema": {"type": "object"}}
    if "meta" in WORDS:
        described["_meta"] = {"concerns": MAPPING[name]}
    return described


def answer(method, params):
    if method == "initialize":
        choose("initialize", params)
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}, "concerns": CONCERNS},
            "serverInfo": {"name": "data-tools", "version": "1"},
        }
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": [tool(name) for name in MAPPING if is_included(name)]}
    if method == "tools/call" and params["name"] in MAPPING:
        said = {"tool": params["name"], "chosen": chosen, "heard": heard, "pid": os.getpid()}
        return {"content": [{"type": "text", "text": json.dumps(said)}]}
    if method == "listConcerns" and "updateConcerns" in WORDS:
        return {"concerns": CONCERNS}
    if method == "updateConcerns" and "refuses" in WORDS:
        return {"code": -32000, "message": "not today"}
    if method == "updateConcerns" and "updateConcerns" in WORDS:
        choose("updateConcerns", params)
        return {}
    if "like-an-sdk" in WORDS:
        return {"code": -32602, "message": "Invalid request parameters"}
    return {"code": -32601, "message": f"Method not found: {method}"}


for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "notifications/initialized":
        choose("initialized", message.get("params"))
    elif "id" in message and "method" in message:
        result = answer(message["method"], message.get("params"))
        member = "error" if "code" in result else "result"
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], member: result}), flush=True)
