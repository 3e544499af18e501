"""Named checks: each prints `ok` or `FAIL` with a reason, and a closing line counts them."""

import os
import threading
import traceback
from contextlib import asynccontextmanager

import anyio

from programs import abandon

HERE = os.path.dirname(os.path.abspath(__file__))
REASON_LENGTH = 600
# Against hangs: many times what an idle machine takes. The requests' own limits are shorter.
PROGRAM_SECONDS = 900
GROUP_SECONDS = 240


class Checks:
    """The checks of one program."""

    def __init__(self, program, seconds=PROGRAM_SECONDS):
        self.program = program
        self.seconds = seconds
        self.place = ""
        self.passed = 0
        self.failed = 0
        # A client that hangs in its own clean-up is beyond the reach of a cancel scope.
        watchdog = threading.Timer(seconds, self._give_up)
        watchdog.daemon = True
        watchdog.start()

    @asynccontextmanager
    async def group(self, place, seconds=GROUP_SECONDS):
        """Checks that belong together; an exception or the time-out fails the group, not the program."""
        outer, self.place = self.place, place
        try:
            with anyio.fail_after(seconds):
                yield
        except Exception as error:  # noqa: BLE001 - whatever a client throws is the finding
            self.place = place
            self.fail("ran to its end", causes(error))
        finally:
            self.place = outer

    def equal(self, name, got, expected):
        where = difference(got, expected)
        self.true(name, where is None, where)

    def true(self, name, condition, reason=""):
        if condition:
            self.passed += 1
            print(f"ok   {self.place}: {name}", flush=True)
        else:
            self.fail(name, reason)

    def fail(self, name, reason):
        self.failed += 1
        print(f"FAIL {self.place}: {name}: {' '.join(str(reason).split())[:REASON_LENGTH]}", flush=True)

    def close(self):
        print(f"{self.program}: {self.passed} passed, {self.failed} failed", flush=True)
        return 1 if self.failed else 0

    def _give_up(self):
        self.fail("program", f"still running after {self.seconds} s")
        abandon(self.close())


def causes(error):
    """What happened and where: an exception group's own text names none of its causes."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(causes(inner) for inner in error.exceptions)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if os.path.dirname(f.filename) == HERE]
    place = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


def difference(got, expected, path="$"):
    """The first place where two JSON values differ, or None. `1`, `1.0` and `true` are three values."""
    if type(got) is not type(expected):
        return f"{path}: got {got!r}, expected {expected!r}"
    if isinstance(got, dict):
        for key in [*expected, *got]:
            if key not in got or key not in expected:
                return f"{path}.{key}: {'missing' if key not in got else f'unexpected {got[key]!r}'}"
            if where := difference(got[key], expected[key], f"{path}.{key}"):
                return where
    elif isinstance(got, list):
        if len(got) != len(expected):
            return f"{path}: {len(got)} items, expected {len(expected)}: {got!r}"
        for index, pair in enumerate(zip(got, expected)):
            if where := difference(*pair, f"{path}[{index}]"):
                return where
    elif got != expected:
        return f"{path}: got {got!r}, expected {expected!r}"
    return None
