"""Two players in one room of some server, as the benchmark drives them."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Final

from tests.bench.websocket import WebSocket

GAME: Final = "b2 a1 c3 a3 a2 c2 b1 b3 c1".split()
"""Nine moves that end in a draw."""
SEEN: Final = (1, 2)
"""The bits of "the first player has seen the move" and "the second player has seen it"."""
ACKNOWLEDGED: Final = 4


class Room(ABC):
    """One room. Each move is acknowledged to its player and seen by both before the next is sent."""

    awaits: int
    """What must come before the next move: bits of ``SEEN`` and ``ACKNOWLEDGED``."""

    def __init__(self, sockets: tuple[WebSocket, WebSocket]) -> None:
        self.sockets = sockets
        self._moves: Sequence[tuple[WebSocket, bytes]] = ()
        self._next = 0
        self._missing = 0
        self._done: asyncio.Future[None] | None = None
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
        self._done = asyncio.get_running_loop().create_future()
        self._send()
        return self._done

    def release(self) -> None:
        """Let messages wait for ``receive`` again."""
        for socket in self.sockets:
            socket.receiver = None

    def close(self) -> None:
        """Close both connections."""
        for socket in self.sockets:
            socket.close()

    def _send(self) -> None:
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
            if self._next < len(self._moves):
                self._send()
            elif self._done is not None and not self._done.done():
                self._done.set_result(None)


async def play_all(rooms: Sequence[Room], seconds: float = 120.0) -> None:
    """Play one game in every room at once."""
    async with asyncio.timeout(seconds):
        await asyncio.gather(*[room.play() for room in rooms])
