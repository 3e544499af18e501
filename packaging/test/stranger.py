"""A stranger puts the packaged program in front of a server, uses it by the official Python SDK, and takes it out again.

    python stranger.py COMMAND [ARGUMENT...]

COMMAND is how the program is started: by npx, uvx, or its path. In the current folder, and for this HOME.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import get_default_environment, stdio_client

COMMAND = sys.argv[1:]
# As a person writes it, with tabs.
FILE = Path(".mcp.json")
TEXT = """{
\t"mcpServers": {
\t\t"notes": { "command": %s, "args": [%s], "env": {"OWNER": "stranger"} }
\t}
}
""" % (json.dumps(sys.executable), json.dumps(str(Path(__file__).with_name("server.py"))))


def run(*arguments):
    ended = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True)
    assert ended.returncode == 0, f"{arguments}: {ended.returncode}\n{ended.stdout}{ended.stderr}"
    return ended.stdout


async def use(entry):
    """Starts an entry as a host does, and calls a tool of the server behind it."""
    environment = {**get_default_environment(), **{key: os.environ[key] for key in os.environ if key.startswith("UV_")}}
    parameters = StdioServerParameters(
        command=entry["command"], args=entry["args"], env={**environment, **entry.get("env", {})})
    with anyio.fail_after(60):
        async with stdio_client(parameters) as (read, write):
            async with ClientSession(read, write) as session:
                await session.initialize()
                names = [tool.name for tool in (await session.list_tools()).tools]
                answer = await session.call_tool("owner", {})
    assert not answer.isError and answer.content[0].text == "stranger", answer
    return names


FILE.write_text(TEXT)
started = time.monotonic()
assert "+" in run("init", "--file", str(FILE), "--dry-run")
assert FILE.read_text() == TEXT, "a dry run writes nothing"
run("init", "--file", str(FILE), "--yes")
took = time.monotonic() - started
entry = json.loads(FILE.read_text())["mcpServers"]["mcp-disclosure-project"]
gathered = Path(".mcp-disclosure.json")
assert str(gathered) in entry["args"] and "server.py" in gathered.read_text(), entry
assert entry["command"] != sys.executable, entry
names = anyio.run(use, entry)
run("undo", "--file", str(FILE), "--yes")
assert FILE.read_text() == TEXT and not gathered.exists(), "undo gives back the bytes"
FILE.unlink()
print(f"ok   {' '.join(COMMAND[:2])}: init in {took:.1f} s, started as {entry['command']}, {names} listed, undone")
