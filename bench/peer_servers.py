"""Two other game servers, Colyseus and boardgame.io, with tic-tac-toe rooms that are played as ours are.

Both keep their rooms in memory only, and neither acknowledges a move: the new state is the acknowledgement.
Their programs are in ``peers/``; they need Node, and npm once.
"""

from __future__ import annotations

import json
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
"""The cells of the game as the peers number them: 0 to 8, row by row."""
INSTALL_S: Final = 180


def install() -> str:
    """Install what the peers need, once; return an empty text, or why the peers cannot be measured."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return "no Node here, so Colyseus and boardgame.io are not measured"
    installed = PEERS / "node_modules" / ".package-lock.json"
    if installed.exists() and installed.stat().st_mtime >= (PEERS / "package-lock.json").stat().st_mtime:
        return ""
    print("installing Colyseus and boardgame.io in bench/peers/node_modules, once", flush=True)
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        subprocess.run(command, cwd=PEERS, check=True, timeout=INSTALL_S, stdout=subprocess.DEVNULL)
    except (subprocess.SubprocessError, OSError) as error:
        return f"npm could not install the peers ({error}), so Colyseus and boardgame.io are not measured"
    installed.touch()
    return ""


def _child(program: str) -> Child:
    return Child(["node", str(PEERS / program)], r"port (\d+)", {"NODE_ENV": "production"}, PEERS)


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
        self.child = _child("colyseus.js")

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


class BoardgameRoom(Room):
    """A match of boardgame.io, spoken as socket.io over a WebSocket; each game is a match of its own."""

    awaits = SEEN[0] | SEEN[1]
    SPACE: Final = "/tic-tac-toe,"
    UPDATE: Final = b'42/tic-tac-toe,["update"'
    SYNC: Final = b'42/tic-tac-toe,["sync"'

    def __init__(self, sockets: tuple[WebSocket, WebSocket], number: int) -> None:
        super().__init__(sockets)
        self._number = number
        self._games = 0

    @property
    def _match(self) -> str:
        return f"room{self._number}-{self._games}"

    @classmethod
    def event(cls, *values: object) -> str:
        """Return a socket.io event."""
        return f"42{cls.SPACE}{json.dumps(values)}"

    def moves(self) -> Sequence[tuple[WebSocket, bytes]]:
        frames = []
        for ply, cell in enumerate(CELLS):
            player = str(ply % 2)
            payload = {"type": "move", "args": [cell], "playerID": player, "credentials": None}
            text = self.event("update", {"type": "MAKE_MOVE", "payload": payload}, ply, self._match, player)
            frames.append((self.sockets[ply % 2], frame(text.encode())))
        return frames

    def meaning(self, player: int, message: bytes) -> int:
        return SEEN[player] if message.startswith(self.UPDATE) else 0

    def finished(self) -> bool:
        return all(b'"gameover":{"outcome":"draw"}' in message for message in self.last)

    async def renew(self) -> None:
        self.release()
        self._games += 1
        for player, socket in enumerate(self.sockets):
            socket.send(self.event("sync", self._match, str(player), None, 2))
            await socket.until(self.SYNC)


class Boardgame(Subject):
    """boardgame.io 0.50 with its storage in memory."""

    def __init__(self) -> None:
        self.name = "boardgame.io"
        self.child = _child("boardgame.js")

    async def _enter(self) -> WebSocket:
        socket = await connect(f"ws://127.0.0.1:{self.child.address}/socket.io/?EIO=4&transport=websocket")
        socket.replies = {b"2": frame(b"3")}
        await socket.until(b"0")
        socket.send(f"40{BoardgameRoom.SPACE}")
        await socket.until(b"40")
        return socket

    async def open_room(self, number: int) -> BoardgameRoom:
        room = BoardgameRoom((await self._enter(), await self._enter()), number)
        await room.renew()
        return room


def peers() -> list[Subject]:
    """Return the peers that can be measured here; print a line where they cannot."""
    reason = install()
    if reason:
        print(f"note: {reason}", flush=True)
        return []
    return [Colyseus(), Boardgame()]
