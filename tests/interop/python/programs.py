"""The programs under test: the gateway, and the servers it stands in front of."""

import os
import signal
import subprocess
from contextlib import asynccontextmanager

import anyio

from ports import held_port

GATEWAY = os.environ["MCP_DISCLOSURE_BIN"]
EVERYTHING = [os.environ["INTEROP_EVERYTHING"], "stdio"]
GIT = [os.environ["INTEROP_GIT"]]
PLAYWRIGHT = [os.environ["INTEROP_PLAYWRIGHT"], "--headless", "--isolated"]

# What the children say on stderr; kept for whoever reads a failure.
LOG = open(os.environ.get("INTEROP_LOG", os.devnull), "a", buffering=1)  # noqa: SIM115 - open as long as the program

START_SECONDS = 20
STOP_SECONDS = 5

# What listens: in sessions of their own, so nothing else ends them where this program is cut short.
listeners = set()


def gateway(strategy, upstream, *flags):
    """The command line of a gateway that speaks stdio, before a command line (a list) or an address (a string)."""
    source = ["--upstream-url", upstream] if isinstance(upstream, str) else ["--", *upstream]
    return [GATEWAY, "serve", "--strategy", strategy, *flags, *source]


def http_gateway(strategy, upstream, *flags):
    """A gateway that listens; gives its origin, without a path."""
    http = ("--transport", "http", "--listen")
    return listener(lambda port: gateway(strategy, upstream, *flags, *http, f"127.0.0.1:{port}"))


@asynccontextmanager
async def listener(command, port=None):
    """Starts what `command` gives for a port, a free one or this; gives its origin, without a path."""
    port = port or held_port()
    # A session of its own, so that the end reaches the servers it started too.
    process = subprocess.Popen(
        command(port), stdin=subprocess.DEVNULL, stdout=LOG, stderr=LOG, start_new_session=True
    )
    listeners.add(process)
    try:
        await listening(process, port)
        yield f"http://127.0.0.1:{port}"
    finally:
        stop(process)
        listeners.discard(process)


async def listening(process, port):
    with anyio.fail_after(START_SECONDS):
        while True:
            if process.poll() is not None:
                raise RuntimeError(f"it ended with {process.returncode} before it listened")
            try:
                await (await anyio.connect_tcp("127.0.0.1", port)).aclose()
                return
            except OSError:
                await anyio.sleep(0.05)


def stop(process):
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            break


def abandon(code):
    """Ends this program at once, without a clean-up by anyone else, and what listens with it."""
    for process in listeners:
        os.killpg(process.pid, signal.SIGKILL)
    os._exit(code)


signal.signal(signal.SIGTERM, lambda *_: abandon(128 + signal.SIGTERM))
