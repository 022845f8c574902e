"""A player or spectator: HTTP through aiohttp, WebSocket through the independent ``websockets`` library."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol, TypeAlias

import aiohttp
import websockets

WAIT_S: Final = 60.0
"""How long a test waits for something that must come, never how long it takes."""

Message: TypeAlias = dict[str, Any]
_ids = itertools.count(1)


class Served(Protocol):
    """A server that listens."""

    @property
    def url(self) -> str: ...

    @property
    def ws_url(self) -> str: ...


class Api:
    """The HTTP endpoints, as one guest or without a token. ``address`` is the client's own, if it matters."""

    def __init__(
        self, url: str, token: str | None = None, player: Message | None = None, address: str | None = None
    ) -> None:
        self.url = url
        self.token = token
        self.player = player or {}
        self.local: dict[str, Any] = {} if address is None else {"local_addr": (address, 0)}

    async def call(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        """Return status and body, which is parsed if it is JSON."""
        all_headers = dict(headers or {})
        if self.token is not None:
            all_headers.setdefault("Authorization", f"Bearer {self.token}")
        if method == "POST":
            all_headers.setdefault("Content-Type", "application/json")
        async with (
            aiohttp.ClientSession(connector=aiohttp.TCPConnector(**self.local)) as session,
            session.request(method, self.url + path, json=body, headers=all_headers) as answer,
        ):
            if answer.content_type == "application/json":
                return answer.status, await answer.json()
            return answer.status, await answer.text()

    async def get(self, path: str) -> Any:
        """Return the body of a GET that succeeds."""
        status, body = await self.call("GET", path)
        assert status == 200, (status, body)
        return body

    async def post(self, path: str, body: object = None) -> Any:
        """Return the body of a POST that succeeds."""
        status, answer = await self.call("POST", path, body)
        assert status in (200, 201), (status, answer)
        return answer


async def guest(url: str, name: str | None = None, address: str | None = None) -> Api:
    """Make a guest of the server, from this address if it matters."""
    answer = await Api(url, address=address).post("/api/players", {} if name is None else {"name": name})
    return Api(url, answer["token"], answer["player"], address)


class Socket:
    """One WebSocket in a room. ``seen`` holds all messages received, ``last`` the newest of each type."""

    def __init__(self, connection: websockets.ClientConnection) -> None:
        self.connection = connection
        self.seen: list[Message] = []
        self.last: dict[str, Message] = {}

    @property
    def room(self) -> Message:
        """Return the newest view."""
        return dict(self.last["room"]["room"])

    @property
    def you(self) -> Message:
        """Return what the newest view says about this client."""
        return dict(self.last["room"]["you"])

    async def receive(self) -> Message:
        """Return the next message."""
        async with asyncio.timeout(WAIT_S):
            message: Message = json.loads(await self.connection.recv())
        self.seen.append(message)
        if message["type"] != "room" or message["version"] >= self.last.get("room", message)["version"]:
            self.last[message["type"]] = message
        return message

    async def until(self, wanted: Callable[[Message], bool]) -> Message:
        """Receive until a message is as wanted."""
        while True:
            message = await self.receive()
            if wanted(message):
                return message

    async def until_room(self, wanted: Callable[[Message], bool]) -> Message:
        """Return the view as soon as it is as wanted. The newest one received may be."""
        while "room" not in self.last or not wanted(self.room):
            await self.receive()
        return self.room

    async def send(self, message: object) -> None:
        """Send text or bytes as they are, and anything else as JSON."""
        await self.connection.send(message if isinstance(message, str | bytes) else json.dumps(message))

    async def ask(self, type_: str, **fields: Any) -> Message:
        """Send a command and receive until its answer: ok, rejected or pong."""
        command_id = fields.pop("id", None) or f"c{next(_ids)}"
        await self.send({"type": type_, "id": command_id, **fields})
        return await self.until(lambda m: m["type"] in ("ok", "rejected", "pong") and m.get("id") == command_id)

    async def ok(self, type_: str, **fields: Any) -> Message:
        """Send a command that must be accepted. Return the answer once the view has its version."""
        answer = await self.ask(type_, **fields)
        assert answer["type"] == "ok", answer
        await self.until_room(lambda room: room["version"] >= answer["version"])
        return answer

    async def rejected(self, type_: str, **fields: Any) -> str:
        """Send a command that must be rejected. Return the code."""
        answer = await self.ask(type_, **fields)
        assert answer["type"] == "rejected", answer
        return str(answer["code"])

    async def move(self, cell: str) -> Message:
        """Fill a cell in the position as last seen."""
        game = self.room["game"]
        return await self.ok("move", game=game["number"], ply=len(game["moves"]), cell=cell)

    async def closed(self) -> int:
        """Receive until the server closes. Return the close code."""
        try:
            while True:
                await self.receive()
        except websockets.ConnectionClosed as error:
            return error.rcvd.code if error.rcvd is not None else 1006

    async def read_all(self) -> None:
        """Receive until cancelled."""
        while True:
            await self.receive()

    async def close(self) -> None:
        """Close the connection."""
        await self.connection.close()


@asynccontextmanager
async def connect(ws_url: str, hello: Message | None = None, **options: Any) -> AsyncIterator[Socket]:
    """Open a WebSocket, and send the hello if there is one."""
    async with websockets.connect(ws_url, compression=None, proxy=None, **options) as connection:
        socket = Socket(connection)
        if hello is not None:
            await socket.send({"type": "hello", "protocol": 1, **hello})
        yield socket


@asynccontextmanager
async def enter(server: Served, room: str, api: Api | None = None) -> AsyncIterator[Socket]:
    """Open a WebSocket in a room, as a guest or as a nameless spectator, and receive the first view."""
    hello: Message = {"room": room}
    if api is not None and api.token is not None:
        hello["token"] = api.token
    async with connect(server.ws_url, hello, **({} if api is None else api.local)) as socket:
        await socket.until_room(lambda view: True)
        yield socket


async def friends_room(server: Served, x: Api, **options: Any) -> Message:
    """Make a room for a friend, with its owner at X. Return the answer of the server."""
    body = {"variant": "classic", "opponent": "friend", "mark": "X", **options}
    return dict(await x.post("/api/rooms", body))


async def code_after(server: Served, hello: str | bytes | dict[str, Any]) -> int:
    """Send a hello that is not accepted. Return the close code; nothing else may be sent."""
    async with connect(server.ws_url) as client:
        await client.send({"type": "hello", "protocol": 1, **hello} if isinstance(hello, dict) else hello)
        code = await client.closed()
        assert client.seen == []
        return code
