"""What is measured: a server, and rooms of two players in it."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod

from tests.bench.child import Child
from tests.bench.measure import cpu_ns, rss_kib
from tests.bench.room import Room

AT_ONCE = 50
"""Rooms that are opened at the same time."""


class Subject(ABC):
    """A server under load. ``name`` is its name in the report."""

    name: str
    child: Child
    durable: str = "nothing"
    """What is durable when a move is acknowledged."""

    async def start(self) -> None:
        """Start the server."""
        await self.child.start()

    @abstractmethod
    async def open_room(self, number: int) -> Room:
        """Open a room and seat two players in it; the game is on."""

    async def open_rooms(self, count: int, first: int = 0) -> list[Room]:
        """Open many rooms, with numbers from ``first``."""
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(number: int) -> Room:
            async with gate:
                return await self.open_room(number)

        return list(await asyncio.gather(*(one(number) for number in range(first, first + count))))

    def cpu_ns(self) -> int:
        """Return the CPU time that the server has used, in nanoseconds."""
        return cpu_ns(self.child.pid)

    def rss_kib(self) -> int:
        """Return the resident memory of the server, in KiB."""
        return rss_kib(self.child.pid)

    async def stop(self) -> None:
        """Stop the server."""
        self.child.stop()
