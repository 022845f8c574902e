"""When no player could play on this node: before it started, and whenever its store was away."""

from __future__ import annotations

import asyncio
from typing import Final

from noughts.room.downtime import Downtime

MAX_DOWNTIMES: Final = 1_000
"""Spans that are remembered. Older ones concern rooms that have changed since or are gone."""


class DowntimeLog:
    """The downtime of one node.

    Each change of a room compensates the room for all downtime since the change before, so this list and the room's own
    ``used_ms`` say how much is still owed.
    """

    def __init__(self) -> None:
        self.spans: tuple[Downtime, ...] = ()
        self._since_ms: int | None = None
        self._begun = asyncio.Event()

    @property
    def on(self) -> bool:
        """Whether the store was away when it was last asked."""
        return self._since_ms is not None

    def add(self, from_ms: int, until_ms: int) -> None:
        """Note a span that is over."""
        if until_ms > from_ms:
            self.spans = (*self.spans, Downtime(from_ms, until_ms))[-MAX_DOWNTIMES:]

    def begin(self, now_ms: int) -> bool:
        """Note that the store does not answer. Return whether that is news."""
        if self._since_ms is not None:
            return False
        self._since_ms = now_ms
        self._begun.set()
        return True

    def end(self, now_ms: int) -> None:
        """Note that the store answers again."""
        if self._since_ms is not None:
            self.add(self._since_ms, now_ms)
            self._since_ms = None
            self._begun.clear()

    async def wait(self) -> None:
        """Wait until the store is away."""
        await self._begun.wait()
