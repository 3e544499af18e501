"""The one list of differences that a later protocol revision demands of the same answer (contract F2)."""

SERVER_INFO = "io.modelcontextprotocol/serverInfo"
RESOURCE_NOT_FOUND = {-32002: -32602}  # up to 2025-11-25: since 2026-07-28


def without_era(answer):
    """An answer of either era without what only 2026-07-28 adds; everything else must be equal."""
    if not isinstance(answer, dict):
        return answer
    if error := answer.get("error"):
        return {"error": {**error, "code": RESOURCE_NOT_FOUND.get(error["code"], error["code"])}}
    result = {k: v for k, v in answer["result"].items() if k not in ("resultType", "ttlMs", "cacheScope")}
    meta = {k: v for k, v in result.pop("_meta", {}).items() if k != SERVER_INFO}
    return {"result": {**result, **({"_meta": meta} if meta else {})}}


def without_tasks(answer):
    """A list without the tools that run as a task only: a client of 2026-07-28 that declares no tasks has none (T1)."""
    tools = [tool for tool in answer["result"]["tools"] if tool.get("execution", {}).get("taskSupport") != "required"]
    return {"result": {**answer["result"], "tools": tools}}


def missing_of_era(answer):
    """What 2026-07-28 requires of an answer to a list or a read and this one lacks."""
    result = answer.get("result", {})
    return [key for key in ("resultType", "ttlMs", "cacheScope") if key not in result]
