"""A server under load, and a room of two players in it, as the benchmark drives them."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from bench.child import Child
from bench.websocket import WebSocket
from tests.support.footprint import rss_kib

GAME: Final = "b2 a1 c3 a3 a2 c2 b1 b3 c1".split()
"""Nine moves that end in a draw."""
SEEN: Final = (1, 2)
"""The bits of "the first player has seen the move" and "the second player has seen it"."""
ACKNOWLEDGED: Final = 4
AT_ONCE: Final = 50
"""Rooms that are opened at the same time."""
QUIET_S: Final = 0.05
"""The pause before and after a round, in which a server ends what it does after the last answer."""
WARM_UP_MOVES: Final = 6_000
"""Moves that are not counted: by then a compiler at run time has done its work."""


class Room(ABC):
    """One room. Each move is acknowledged to its player and seen by both before the next is sent."""

    awaits: int
    """What must come before the next move: bits of ``SEEN`` and ``ACKNOWLEDGED``."""

    def __init__(self, sockets: tuple[WebSocket, WebSocket]) -> None:
        self.sockets = sockets
        self._moves: Sequence[tuple[WebSocket, bytes]] = ()
        self._next = 0
        self._missing = 0
        self.on_seen: Callable[[], None] = self.send_next
        """What to do once a move is acknowledged and seen."""
        self.last: list[bytes] = [b"", b""]

    @abstractmethod
    def moves(self) -> Sequence[tuple[WebSocket, bytes]]:
        """Return the sender and the frame of each move of the next game."""

    @abstractmethod
    def meaning(self, player: int, message: bytes) -> int:
        """Return the bits that a message stands for; 0 for a message that the game does not wait for."""

    @abstractmethod
    def finished(self) -> bool:
        """Return whether the last message of each player shows the end of the game."""

    @abstractmethod
    async def renew(self) -> None:
        """Begin another game, which is not measured. Nothing is on its way when it returns."""

    def prepare(self) -> None:
        """Make the frames of the next game and be ready to receive."""
        self._moves = self.moves()
        self._next = 0
        for player, socket in enumerate(self.sockets):
            socket.receiver = partial(self._receive, player)

    def play(self) -> asyncio.Future[None]:
        """Send the first move; return a future of the end of the game."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def go_on() -> None:
            if self._next < len(self._moves):
                self.send_next()
            elif not done.done():
                done.set_result(None)

        self.on_seen = go_on
        self.send_next()
        return done

    def release(self) -> None:
        """Let messages wait for ``receive`` again."""
        for socket in self.sockets:
            socket.receiver = None

    def close(self) -> None:
        """Close both connections."""
        for socket in self.sockets:
            socket.close()

    def send_next(self) -> None:
        """Send the next move of the game."""
        socket, data = self._moves[self._next]
        self._next += 1
        self._missing = self.awaits
        socket.write(data)

    def _receive(self, player: int, message: bytes) -> None:
        bits = self.meaning(player, message)
        if not bits or not self._missing:
            return
        self._missing &= ~bits
        if bits & SEEN[player]:
            self.last[player] = message
        if not self._missing:
            self.on_seen()


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


def cpu_ns(pid: int) -> int:
    """Return the CPU time of a process with all its threads and without its children, in nanoseconds."""
    return sum([int((task / "schedstat").read_text().split()[0]) for task in Path(f"/proc/{pid}/task").iterdir()])


class Round(NamedTuple):
    """The µs of server CPU a move, and the moves a second."""

    cpu_us: float
    moves_a_second: float


async def play_round(subject: Subject, rooms: Sequence[Room]) -> Round:
    """Play one game in every room at once, each as fast as it goes, and measure it."""
    for room in rooms:
        room.prepare()
    await asyncio.sleep(QUIET_S)
    before, begun_s = subject.cpu_ns(), time.perf_counter()
    async with asyncio.timeout(120.0):
        await asyncio.gather(*[room.play() for room in rooms])
    seconds = time.perf_counter() - begun_s
    await asyncio.sleep(QUIET_S)
    used = subject.cpu_ns() - before
    assert all(room.finished() for room in rooms), f"{subject.name}: a game has not ended"
    await asyncio.gather(*(room.renew() for room in rooms))
    moves = len(rooms) * len(GAME)
    return Round(used / moves / 1000, moves / seconds)


async def warm_up(subject: Subject, rooms: Sequence[Room]) -> None:
    """Play until a compiler at run time has done its work."""
    for _ in range(-(-WARM_UP_MOVES // (len(rooms) * len(GAME)))):
        await play_round(subject, rooms)
