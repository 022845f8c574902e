"""Noughts itself, driven over HTTP and WebSocket as any client would."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import aiohttp

from bench.child import Child
from bench.subject import ACKNOWLEDGED, GAME, SEEN, Room, Subject
from bench.websocket import WebSocket, connect, frame

TREE: Final = Path(__file__).resolve().parents[1]
"""The source tree that this file belongs to."""
ROOMS_A_GUEST: Final = 20
"""How many of the rooms that are only held belong to one guest."""
_ENVIRONMENT: Final = {"NOUGHTS_ENGINE_PACE_MS": "0", "NOUGHTS_ENGINES_PACE_MS": "0", "NOUGHTS_LIMITS": "off"}
_NEW_GAME: Final = b'"moves":[]'
"""A part of the view of a game that has just begun."""


class NoughtsRoom(Room):
    """A friends' room; the marks change sides with each rematch."""

    awaits = SEEN[0] | SEEN[1] | ACKNOWLEDGED

    def __init__(self, room_id: str, sockets: tuple[WebSocket, WebSocket]) -> None:
        super().__init__(sockets)
        self.id = room_id
        self._x = 0
        self._ids = 0

    def moves(self) -> Sequence[tuple[WebSocket, bytes]]:
        frames = []
        for ply, cell in enumerate(GAME):
            self._ids += 1
            text = f'{{"type":"move","id":"m{self._ids}","ply":{ply},"cell":"{cell}"}}'
            frames.append((self.sockets[(ply + self._x) % 2], frame(text.encode())))
        return frames

    def meaning(self, player: int, message: bytes) -> int:
        if message.startswith(b'{"type":"room"'):
            return SEEN[player]
        if message.startswith(b'{"type":"ok"'):
            return ACKNOWLEDGED
        if message.startswith(b'{"type":"rejected"'):
            raise AssertionError(message)
        return 0

    def finished(self) -> bool:
        return all(b'"reason":"full_board"' in message for message in self.last)

    async def renew(self) -> None:
        self.release()
        self._ids += 1
        first, second = self.sockets
        first.send(f'{{"type":"offer","id":"r{self._ids}","what":"rematch"}}')
        await first.until(b'{"type":"ok"')
        second.send(f'{{"type":"answer","id":"r{self._ids}","what":"rematch","accept":true}}')
        await first.until_each(_NEW_GAME)
        await second.until_each(b'{"type":"ok"', _NEW_GAME)
        self._x = 1 - self._x


class Noughts(Subject):
    """``noughts serve`` of a source tree, on a new data directory, by the tree's own Python if it has one.

    ``settings`` are added to its environment.
    """

    program: tuple[str, ...] = ("-m", "noughts")
    """What Python runs."""

    def __init__(
        self,
        tree: Path = TREE,
        name: str = "noughts",
        settings: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.name = name
        self._settings = settings
        self._folder = tempfile.TemporaryDirectory()
        self._tree = tree
        self._session: aiohttp.ClientSession | None = None
        self.view_size = 0
        self.folder = Path(self._folder.name)
        """Its working directory."""
        self.child = self._new_child()

    def _new_child(self) -> Child:
        folder = self.folder
        own = self._tree / ".venv" / "bin" / "python"
        python = str(own) if own.exists() else sys.executable
        command = [python, *self.program, "serve", "--port", "0", "--data", str(folder / "data")]
        environment = {**_ENVIRONMENT, **self._settings, "PYTHONPATH": str(self._tree / "server")}
        return Child(command, r"open (http://\S+)", environment, folder)

    async def start(self) -> None:
        await super().start()
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=32))

    @property
    def url(self) -> str:
        return self.child.address

    @property
    def ws_url(self) -> str:
        return self.url.replace("http", "ws", 1) + "/ws"

    async def post(self, path: str, body: object, token: str | None = None) -> dict[str, Any]:
        """Return the answer of an HTTP call."""
        assert self._session is not None
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        async with self._session.post(self.url + path, json=body, headers=headers) as response:
            answer: dict[str, Any] = await response.json()
            assert response.status in (200, 201), answer
            return answer

    async def get(self, path: str) -> tuple[bytes, int]:
        """Return the body of an HTTP answer, and its size on the wire."""
        assert self._session is not None
        async with self._session.get(self.url + path) as response:
            body = await response.read()
            assert response.status == 200, (path, response.status)
            return body, int(response.headers.get("Content-Length", len(body)))

    async def guest(self) -> str:
        """Return the token of a new guest."""
        return str((await self.post("/api/players", {}))["token"])

    async def enter(self, room: str, token: str | None = None) -> WebSocket:
        """Return a connection in a room, which has received its first view."""
        socket = await connect(self.ws_url)
        hello = {"type": "hello", "protocol": 1, "room": room}
        socket.send(json.dumps(hello if token is None else {**hello, "token": token}))
        await socket.until(b'{"type":"room"')
        return socket

    async def hold_rooms(self, count: int) -> list[str]:
        """Create rooms in which the engine's opponent is to move, and return their ids; nobody is connected to them."""
        tokens = [await self.guest() for _ in range(max(1, count // ROOMS_A_GUEST))]
        body = {"variant": "classic", "opponent": "engine", "mark": "X", "level": "perfect"}
        gate = asyncio.Semaphore(32)

        async def one(number: int) -> str:
            async with gate:
                return str((await self.post("/api/rooms", body, tokens[number % len(tokens)]))["room"]["id"])

        return list(await asyncio.gather(*(one(number) for number in range(count))))

    async def open_room(self, number: int) -> NoughtsRoom:
        first, second = await self.guest(), await self.guest()
        body = {"variant": "classic", "opponent": "friend", "mark": "X"}
        answer = await self.post("/api/rooms", body, first)
        room = str(answer["room"]["id"])
        sockets = (await self.enter(room, first), await self.enter(room, second))
        sockets[1].send(json.dumps({"type": "sit", "id": "sit", "mark": "O", "invite": answer["invite"]}))
        await sockets[1].until_each(b'{"type":"ok"', _NEW_GAME)
        self.view_size = len(await sockets[0].until_each(_NEW_GAME))
        return NoughtsRoom(room, sockets)

    async def stop(self) -> None:
        if self._session is not None:
            await self._session.close()
        await super().stop()
        self._folder.cleanup()
