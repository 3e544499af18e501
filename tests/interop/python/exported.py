"""What `export` writes of real servers, served again: same lists and results to the byte. Needs nothing but Python."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

GATEWAY = os.environ["MCP_DISCLOSURE_BIN"]
LISTS = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "exported", "version": "1"}}


def served(source, calls):
    """Every answer of a server of this source, as it came."""
    command = [GATEWAY, "--log", "error", "serve", "--strategy", "full", "--wait-for-upstreams", "120", *source]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    answers = []

    def ask(method, params):
        request = {"jsonrpc": "2.0", "id": len(answers), "method": method, "params": params}
        program.stdin.write(json.dumps(request).encode() + b"\n")
        program.stdin.flush()
        for line in program.stdout:
            message = json.loads(line)
            if message.get("id") == len(answers) and "method" not in message:
                answers.append(line)
                return
        raise SystemExit(f"{command} ended before it answered {method}")

    ask("initialize", INITIALIZE)
    program.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    for method in LISTS:
        ask(method, {})
    for tool, arguments in calls:
        ask("tools/call", {"name": tool, "arguments": arguments})
    program.stdin.close()
    program.wait(30)
    return answers


def ran(*arguments):
    """A run of the program to its end."""
    return subprocess.run([GATEWAY, *arguments], capture_output=True, text=True, timeout=120)


def main():
    results = {True: 0, False: 0}

    def check(name, holds, detail=""):
        results[bool(holds)] += 1
        if not holds:
            print(f"FAIL {name} {detail}")

    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        repository = directory / "repository"
        subprocess.run(["git", "init", "--quiet", str(repository)], check=True)
        everything = [os.environ["INTEROP_EVERYTHING"]]
        browser = [os.environ["INTEROP_PLAYWRIGHT"], "--headless"]
        git = [os.environ["INTEROP_GIT"]]
        hosts = directory / "mcp.json"
        servers = {
            name: {"command": command[0], "args": command[1:], "alwaysAllow": []}
            for name, command in [("everything", everything), ("browser", browser), ("git", git)]
        }
        hosts.write_text(json.dumps({"mcpServers": servers}))
        status = ("git_status", {"repo_path": str(repository)})
        echo = ("echo", {"message": "the same"})
        wrong = ("browser_tabs", {"action": "no such action"})
        for name, source, calls in [
            ("everything", ["--", *everything], [echo, ("get-sum", {"a": 1, "b": 2})]),
            ("browser", ["--", *browser], [wrong]),
            ("git", ["--", *git], [status]),
            ("together", ["--mcp-config", str(hosts)], [echo, wrong, status]),
        ]:
            out = directory / name
            configuration = ["--config", str(out / "disclosure.toml")]
            exported = ran("export", "--out", str(out), *source)
            check(f"{name}: export", exported.returncode == 0, exported.stderr)
            before, after = served(source, calls), served(configuration, calls)
            check(f"{name}: all is answered", len(before) == 1 + len(LISTS) + len(calls))
            # The handshake is answered before upstreams of files have said anything.
            for number, (one, other) in enumerate(zip(before[1:], after[1:], strict=True), start=1):
                check(f"{name}: answer {number} is the same", one == other, f"\n{one[:400]}\n{other[:400]}")
            report = ran("check", "--format", "json", *configuration)
            found = json.loads(report.stdout)
            check(f"{name}: check", report.returncode == 0 and found["errors"] == 0, report.stdout)
            strict = ran("check", "--strict", "--notes", *configuration)
            check(f"{name}: --strict, where there is a note", strict.returncode == 1, strict.stdout)
    print(f"exported: {results[True]} passed, {results[False]} failed")
    sys.exit(1 if results[False] else 0)


main()
