#!/usr/bin/env python3
"""Prints a binary's size, and the time from its start to its first answer, as rows of packaging/README.md.

    packaging/figures.py BINARY [STARTS]

The first answer is that to `initialize`, with the embedded demonstration; the time is the median of 50 starts.
"""

import json
import os
import statistics
import subprocess
import sys
import time

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "figures", "version": "1"}},
}


def first_answer(binary):
    """Milliseconds until the answer to `initialize`."""
    command = [binary, "--log", "error", "serve"]
    started = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        program.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        program.stdin.flush()
        answer = json.loads(program.stdout.readline())
        elapsed = time.perf_counter() - started
        program.stdin.close()
    assert "serverInfo" in answer["result"], answer
    return elapsed * 1000


def main():
    binary = os.path.abspath(sys.argv[1])
    starts = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    times = sorted(first_answer(binary) for _ in range(starts))
    print(f"| binary | {os.path.getsize(binary) / 1e6:.1f} MB |")
    print(f"| from start to the first answer | {statistics.median(times):.1f} ms |")
    print(f"fastest of {starts} starts: {times[0]:.1f} ms", file=sys.stderr)


main()
