"""Deadlines: one heap of times, and one task that waits for the nearest."""

from __future__ import annotations

import asyncio
import heapq
from typing import Final

from noughts.app.runtime.clock import ServerClock

_DAY_S: Final = 86_400.0
"""The longest single wait: the event loop's clock refuses a wait of years."""


class Deadlines:
    """The deadline of each key. Setting a key again replaces its deadline. No timer runs while there is no deadline.

    A part that sets a deadline does not know the task that waits for it. So a part below can ask to be woken by one above.
    """

    def __init__(self, clock: ServerClock) -> None:
        self._clock = clock
        self.at_ms: dict[str, int] = {}
        """The deadline of each key that has one. Only :meth:`set` changes it."""
        self._heap: list[tuple[int, str]] = []
        self._waiter: asyncio.Future[None] | None = None
        self._waits_until_ms = 0

    def __len__(self) -> int:
        return len(self.at_ms)

    def set(self, key: str, at_ms: int | None) -> None:
        """Set the deadline of a key, or remove it with None."""
        if self.at_ms.get(key) == at_ms:
            return
        if at_ms is None:
            del self.at_ms[key]
        else:
            self.at_ms[key] = at_ms
            heapq.heappush(self._heap, (at_ms, key))
            if self._waiter is not None and at_ms < self._waits_until_ms and not self._waiter.done():
                self._waiter.set_result(None)
        if len(self._heap) > 64 and len(self._heap) > 4 * len(self.at_ms):
            self._heap = [(at, name) for name, at in self.at_ms.items()]
            heapq.heapify(self._heap)

    def set_sooner(self, key: str, at_ms: int) -> None:
        """Set the deadline of a key, unless it has an earlier one."""
        earlier_ms = self.at_ms.get(key)
        self.set(key, at_ms if earlier_ms is None else min(at_ms, earlier_ms))

    async def reached(self) -> list[str]:
        """Wait until a deadline has come. Remove and return every key that is due, earliest first. One task may wait."""
        while True:
            keys = self._take(self._clock.now_ms())
            if keys:
                return keys
            loop = asyncio.get_running_loop()
            self._waiter = loop.create_future()
            self._waits_until_ms = self._heap[0][0] if self._heap else 1 << 62
            wait_s = min(_DAY_S, max(0.0, (self._waits_until_ms - self._clock.now_ms()) / 1000))
            timer = loop.call_later(wait_s, _wake, self._waiter)
            try:
                await self._waiter
            finally:
                timer.cancel()
                self._waiter = None

    def _take(self, now_ms: int) -> list[str]:
        keys = []
        while self._heap:
            at_ms, key = self._heap[0]
            if self.at_ms.get(key) != at_ms:
                heapq.heappop(self._heap)  # its deadline was replaced or removed
                continue
            if at_ms > now_ms:
                break
            heapq.heappop(self._heap)
            del self.at_ms[key]
            keys.append(key)
        return keys


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
