"""An event loop that measures how long its turns take."""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine
from typing import Any


class TurnTimes(selectors.DefaultSelector):
    """The selector of an event loop, which calls it once between two turns.

    It measures the processor time of the loop's thread, because the machine may be busy.
    """

    def __init__(self) -> None:
        super().__init__()
        self.longest_ms = 0.0
        """The longest turn since this was last set to 0."""
        self._began_s = time.thread_time()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.longest_ms = max(self.longest_ms, (time.thread_time() - self._began_s) * 1000)
        events = super().select(timeout)
        self._began_s = time.thread_time()
        return events


def in_measured_turns(run: Callable[[TurnTimes], Coroutine[Any, Any, None]]) -> None:
    """Run a coroutine to its end on a loop whose turns are measured."""
    turns = TurnTimes()
    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(turns)) as runner:
        runner.run(run(turns))
