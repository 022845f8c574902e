"""The downtime of this node: the time before it started, and each outage of its store."""

from __future__ import annotations

import asyncio

from noughts.room.downtime import Downtime
from noughts.store.contract import MAX_DOWNTIMES


class DowntimeLog:
    """The downtime of one node.

    Each step compensates its room for the downtime since the room's last change. So the spans here and ``used_ms`` of the
    room say what is still to be compensated.
    """

    def __init__(self) -> None:
        self.spans: tuple[Downtime, ...] = ()
        self._since_ms: int | None = None
        self._begun = asyncio.Event()

    @property
    def on(self) -> bool:
        """Whether the store was unavailable when it was last used."""
        return self._since_ms is not None

    def add(self, from_ms: int, until_ms: int) -> None:
        """Add a span that is over."""
        if until_ms > from_ms:
            self.spans = (*self.spans, Downtime(from_ms, until_ms))[-MAX_DOWNTIMES:]

    def take(self, spans: tuple[Downtime, ...]) -> None:
        """Take over the spans that the store knows, in place of those here."""
        if spans != self.spans:
            self.spans = spans

    def begin(self, now_ms: int) -> bool:
        """Begin a span: the store does not answer. Return False if one has begun already."""
        if self._since_ms is not None:
            return False
        self._since_ms = now_ms
        self._begun.set()
        return True

    def end(self, now_ms: int) -> Downtime | None:
        """End the span that has begun: the store answers again. Return the span, None without one."""
        if self._since_ms is None:
            return None
        span = Downtime(self._since_ms, now_ms)
        self._since_ms = None
        self._begun.clear()
        self.add(*span)
        return span

    def pardon(self) -> None:
        """End the span that has begun without counting it: only this node did not reach the store."""
        self._since_ms = None
        self._begun.clear()

    async def wait(self) -> None:
        """Wait until the store is unavailable."""
        await self._begun.wait()
