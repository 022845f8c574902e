"""Moves at a fixed rate, and how long each takes until both players have seen it and its player has the answer.

A move counts from the moment at which it was to be sent. If a server falls behind, the wait counts too.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Final

from bench.subject import GAME, Room

MOVES_A_SECOND: Final = 500
LIMIT_S: Final = 120.0


class _PacedRoom:
    """One room, in which each move waits for its time and for the move before."""

    def __init__(self, room: Room) -> None:
        self.ms: list[float] = []
        self._room = room
        self._planned_s = 0.0
        self._done = asyncio.Event()
        self._done.set()
        room.prepare()
        room.on_seen = self._seen

    async def play(self, planned_s: float) -> None:
        """Send the next move once the one before has been seen."""
        await self._done.wait()
        self._done.clear()
        self._planned_s = planned_s
        self._room.send_next()

    async def played(self) -> None:
        """Wait until the last move has been seen."""
        await self._done.wait()

    def _seen(self) -> None:
        self.ms.append((time.perf_counter() - self._planned_s) * 1000)
        self._done.set()


async def times_ms(rooms: Sequence[Room], moves_a_second: float = MOVES_A_SECOND) -> list[float]:
    """Play a game in every room at a fixed rate of moves in all. Return the milliseconds of each move."""
    paced = [_PacedRoom(room) for room in rooms]
    async with asyncio.timeout(LIMIT_S):
        begun_s = time.perf_counter()
        for number in range(len(rooms) * len(GAME)):
            planned_s = begun_s + number / moves_a_second
            await asyncio.sleep(max(0.0, planned_s - time.perf_counter()))
            await paced[number % len(rooms)].play(planned_s)
        for room in paced:
            await room.played()
    await asyncio.gather(*(room.renew() for room in rooms))
    return [ms for room in paced for ms in room.ms]
