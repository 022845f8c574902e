"""Budgets for tests of the engine. Only :func:`seconds` depends on the machine."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable
from itertools import count
from typing import Final

from noughts.engine.budget import Budget


def endless() -> Budget:
    """Return a budget that never ends."""
    return Budget(1.0, lambda: 0.0)


def no_time() -> Budget:
    """Return a budget that is spent from the start."""
    return Budget(0.0, lambda: 1.0)


def readings(number: int) -> Budget:
    """Return a budget that ends after its clock was read ``number`` times. Until then no time passes."""
    ticks = iter(range(number))
    return Budget(1.0, lambda: 0.0 if next(ticks, None) is not None else 1.0, counts_readings=True)


def ticking(number: int) -> Budget:
    """Return a budget of ``number`` seconds on a clock that advances by a second at each reading.

    Use it for kernels that divide their time into shares.
    """
    return Budget(number, count().__next__, counts_readings=True)


def seconds(number: float) -> Budget:
    """Return a budget of processor time, which other processes do not shorten."""
    return Budget(time.process_time() + number, time.process_time)


TOLERANCE_S: Final = 0.05
"""By how much a search may outlive its budget."""


def overrun_s(search: Callable[[Budget], object], budget_s: float, attempts: int = 3) -> float:
    """Return by how much a search outlives its budget, in seconds of processor time: the least of some attempts.

    No garbage is collected meanwhile: what that takes depends on the tests before.
    """
    least = math.inf
    gc.disable()
    try:
        for _ in range(attempts):
            budget = seconds(budget_s)
            search(budget)
            least = min(least, -budget.left())
            if least <= TOLERANCE_S:
                break
    finally:
        gc.enable()
    return least


class CountingClock:
    """A clock that advances by a second at each reading and counts the readings."""

    def __init__(self) -> None:
        self.readings = 0

    def __call__(self) -> float:
        self.readings += 1
        return float(self.readings)
