"""The floor: aiohttp and uvloop with no rules and no store, which is the least that a move can cost."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench.child import Child
from tests.bench.noughts_server import TREE
from tests.bench.room import GAME, SEEN, Room
from tests.bench.subject import Subject
from tests.bench.websocket import WebSocket, connect, frame


class FloorRoom(Room):
    """Two connections that the floor sends the same text."""

    awaits = SEEN[0] | SEEN[1]

    def moves(self) -> Sequence[tuple[WebSocket, bytes]]:
        return [
            (self.sockets[ply % 2], frame(f'{{"type":"move","id":"m{ply}","ply":{ply},"cell":"{cell}"}}'.encode()))
            for ply, cell in enumerate(GAME)
        ]

    def meaning(self, player: int, message: bytes) -> int:
        return SEEN[player]

    def finished(self) -> bool:
        return True

    async def renew(self) -> None:
        pass


class Floor(Subject):
    """The floor, with texts of a view's size."""

    def __init__(self, size: int) -> None:
        self.name = "floor"
        command = [sys.executable, str(Path(__file__).with_name("floor.py")), str(size)]
        self.child = Child(command, r"port (\d+)", {}, TREE)

    def url(self, path: str) -> str:
        """Return the URL of a room's WebSocket: ``rooms/ID``, or ``transport/ID`` for ready frames."""
        return f"ws://127.0.0.1:{self.child.address}/{path}"

    async def enter(self, room: str) -> WebSocket:
        """Return a connection in a room that is served as an aiohttp program would."""
        return await connect(self.url(f"rooms/{room}"))

    async def open_room(self, number: int) -> FloorRoom:
        return FloorRoom((await self.enter(str(number)), await self.enter(str(number))))
