"""`describe` and `info` with the official Python SDK 2.x, in both eras."""

import sys
from functools import partial

import anyio

import explained
from checks import Checks
from sdk2 import NAME, connect


async def main():
    checks = Checks(NAME)
    # By probing, where a server that speaks sessions only is met with a handshake.
    for era, mode in (("sessions", "legacy"), ("2026-07-28", "auto")):
        await explained.run(checks, partial(connect, mode=mode), era)
    return checks.close()


sys.exit(anyio.run(main))
