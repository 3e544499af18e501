"""Ports of this machine on which nothing listens."""

import socket

# The sockets that have them, as long as the program.
held = []


def held_port():
    """A port that nobody else is given: a socket of ours has it and never listens, so connections are refused. What a test
    starts with this number can take it, and take it again."""
    probe = socket.socket()
    # Two sockets have one port only if both say so, as servers do.
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    probe.bind(("127.0.0.1", 0))
    held.append(probe)
    return probe.getsockname()[1]
