"""What is measured: a server, and rooms of two players in it."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod

from tests.bench.child import Child
from tests.bench.measure import cpu_ns
from tests.bench.room import Room

AT_ONCE = 50
"""Rooms that are opened at the same time."""


class Subject(ABC):
    """A server under load. ``name`` is its name in the report."""

    name: str
    child: Child

    async def start(self) -> None:
        """Start the server."""
        await self.child.start()

    @abstractmethod
    async def open_room(self, number: int) -> Room:
        """Open a room and seat two players in it; the game is on."""

    async def open_rooms(self, count: int) -> list[Room]:
        """Open many rooms."""
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(number: int) -> Room:
            async with gate:
                return await self.open_room(number)

        return list(await asyncio.gather(*(one(number) for number in range(count))))

    def cpu_ns(self) -> int:
        """Return the CPU time that the server has used, in nanoseconds."""
        return cpu_ns(self.child.pid)

    async def stop(self) -> None:
        """Stop the server."""
        self.child.stop()
