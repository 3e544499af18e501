"""`describe` and `info` with the official Python SDK 1.x."""

import sys

import anyio

import explained
from checks import Checks
from sdk1 import NAME, connect


async def main():
    checks = Checks(NAME)
    await explained.run(checks, connect, "sessions")
    return checks.close()


sys.exit(anyio.run(main))
