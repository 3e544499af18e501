"""mcp-server-git through `resource`: a server by other people, in Python, that speaks both eras."""

import subprocess
import tempfile
from contextlib import contextmanager

from programs import GIT, gateway
from suites import complete_definitions, described, minimal_list, receipt_for, refused, same

# Fixed, so that two readings of the log agree whatever the machine's own settings are.
AUTHOR = ["-c", "user.name=Interop", "-c", "user.email=interop@example.com", "-c", "commit.gpgsign=false"]


@contextmanager
def repository():
    with tempfile.TemporaryDirectory() as folder:
        for command in (["init", "-q"], [*AUTHOR, "commit", "-q", "--allow-empty", "-m", "First"]):
            subprocess.run(["git", "-C", folder, *command], check=True, timeout=20)
        with open(f"{folder}/untracked.txt", "w") as file:
            file.write("new\n")
        yield folder


async def run(checks, connect):
    """`connect` gives a connection of the era under test."""
    with repository() as folder:
        upstream = [*GIT, "--repository", folder]
        calls = {"git_status": {"repo_path": folder}, "git_log": {"repo_path": folder, "max_count": 3}}
        async with connect(upstream) as connection:
            direct = {"tools/list": await connection.tools()}
            for tool, arguments in calls.items():
                direct[tool] = await connection.call(tool, arguments)
        async with connect(gateway("resource", upstream)) as connection:
            minimal_list(checks, await connection.tools(), direct)
            reason = "MISSING" if connection.modern else None
            for tool, arguments in calls.items():
                refused(checks, f"{tool} before reading", await connection.call(tool, arguments), tool, reason)
            definitions = await described(checks, connection, *calls)
            complete_definitions(checks, definitions, direct, calls, receipts=connection.modern)
            for tool, arguments in calls.items():
                receipt = receipt_for(definitions, tool)
                proof = {"disclosure_receipt": receipt} if receipt else {}
                answer = await connection.call(tool, {**arguments, **proof})
                checks.true(f"{tool} succeeds", not answer.get("result", {}).get("isError", True), answer)
                same(checks, tool, answer, direct[tool], connection)
