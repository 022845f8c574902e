"""Another game server, Colyseus, with tic-tac-toe rooms that are played as ours are.

It keeps its rooms in memory only, and does not acknowledge a move: the new state is the acknowledgement.
Its program is in ``peers/``, which needs Node, and npm once.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import aiohttp

from bench.child import Child
from bench.subject import GAME, SEEN, Room, Subject
from bench.websocket import BINARY, WebSocket, connect, frame

PEERS: Final = Path(__file__).with_name("peers")
CELLS: Final = [(int(cell[1]) - 1) * 3 + "abc".index(cell[0]) for cell in GAME]
"""The cells of the game as Colyseus numbers them: 0 to 8, row by row."""
INSTALL_S: Final = 180


def install() -> str:
    """Install what Colyseus needs, once; return an empty text, or why it cannot be measured."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return "no Node here, so Colyseus is not measured"
    installed = PEERS / "node_modules" / ".package-lock.json"
    if installed.exists() and installed.stat().st_mtime >= (PEERS / "package-lock.json").stat().st_mtime:
        return ""
    print("installing Colyseus in bench/peers/node_modules, once", flush=True)
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        subprocess.run(command, cwd=PEERS, check=True, timeout=INSTALL_S, stdout=subprocess.DEVNULL)
    except (subprocess.SubprocessError, OSError) as error:
        return f"npm could not install Colyseus ({error}), so it is not measured"
    installed.touch()
    return ""


class ColyseusRoom(Room):
    """A room of Colyseus: a move is a message of a type, a state patch shows it."""

    awaits = SEEN[0] | SEEN[1]
    JOINED: Final = 10
    MESSAGE: Final = 13
    STATE: Final = 14
    PATCH: Final = 15

    @classmethod
    def message(cls, name: str, value: bytes = b"") -> bytes:
        """Return a frame of a message type of under 32 letters with its value in msgpack."""
        return frame(bytes((cls.MESSAGE, 0xA0 | len(name))) + name.encode() + value, BINARY)

    def moves(self) -> Sequence[tuple[WebSocket, bytes]]:
        return [(self.sockets[ply % 2], self.message("move", bytes((cell,)))) for ply, cell in enumerate(CELLS)]

    def meaning(self, player: int, message: bytes) -> int:
        return SEEN[player] if message[0] == self.PATCH else 0

    def finished(self) -> bool:
        return all(b"draw" in message for message in self.last)

    async def renew(self) -> None:
        self.release()
        self.sockets[0].write(self.message("again"))
        for socket in self.sockets:
            await socket.until(bytes((self.PATCH,)))


class Colyseus(Subject):
    """Colyseus 0.16 over its WebSocket transport."""

    def __init__(self) -> None:
        self.name = "Colyseus"
        self.child = Child(["node", str(PEERS / "colyseus.js")], r"port (\d+)", {"NODE_ENV": "production"}, PEERS)

    async def _join(self, session: aiohttp.ClientSession, path: str) -> tuple[str, WebSocket]:
        host = f"127.0.0.1:{self.child.address}"
        async with session.post(f"http://{host}/matchmake/{path}", json={}) as response:
            seat: dict[str, Any] = await response.json()
        room = seat["room"]
        socket = await connect(f"ws://{host}/{room['processId']}/{room['roomId']}?sessionId={seat['sessionId']}")
        await socket.until(bytes((ColyseusRoom.JOINED,)))
        socket.write(frame(bytes((ColyseusRoom.JOINED,)), BINARY))
        await socket.until(bytes((ColyseusRoom.STATE,)))
        return str(room["roomId"]), socket

    async def open_room(self, number: int) -> ColyseusRoom:
        async with aiohttp.ClientSession() as session:
            room, first = await self._join(session, "create/tic-tac-toe")
            _, second = await self._join(session, f"joinById/{room}")
        return ColyseusRoom((first, second))


def peers() -> list[Subject]:
    """Return the other servers that can be measured here; print a line where there are none."""
    reason = install()
    if reason:
        print(f"note: {reason}", flush=True)
        return []
    return [Colyseus()]
