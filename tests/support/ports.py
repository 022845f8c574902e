"""Ports for servers of tests that choose none by themselves."""

from __future__ import annotations

import random
import socket
from typing import Final

FIRST: Final = 10_240
LAST: Final = 32_767
"""The kernel gives higher ports to connections, so a server that starts later might find its port taken by one."""
_draw: Final = random.SystemRandom()
_given: Final[set[int]] = set()


def free_port() -> int:
    """Return a port of the loopback that nothing listens on, another one with each call."""
    while True:
        port = _draw.randint(FIRST, LAST)
        if port not in _given and not listens(port):
            _given.add(port)
            return port


def listens(port: int) -> bool:
    """Return whether a server listens on a port of the loopback."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
