"""How fast this machine is now. Limits in milliseconds are meant for one machine, and a slower one has more time."""

from __future__ import annotations

import time
from typing import Final

REFERENCE_S: Final = 0.0018
"""Processor time of :func:`_work` on the machine on which the limits were set, with nothing else running."""
TRIES: Final = 3
"""The least of this many times counts."""


def slowness() -> float:
    """Return how many times as long as on that machine Python takes here and now, at least 1.

    A machine that shares its processor with others changes its speed within seconds, so measure beside each time.
    """
    return max(1.0, min(_seconds() for _ in range(TRIES)) / REFERENCE_S)


def _seconds() -> float:
    began_s = time.process_time()
    _work()
    return time.process_time() - began_s


def _work() -> int:
    """Fill a table and read it, as searches and requests do."""
    table: dict[int, tuple[int, int]] = {}
    total = 0
    for number in range(10_000):
        table[number & 1023] = (number, total)
        total = (total + table[number * 7 & number & 1023][0]) & 0xFFFF
    return total
