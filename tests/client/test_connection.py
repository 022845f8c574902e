"""A connection that comes back: what it sends again, and when it gives up, against servers that behave as written here."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeAlias

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from noughts.client.connection import MAX_MESSAGE, UNAVAILABLE_TRIES, Command, Connection
from noughts.client.decoding import Message
from noughts.client.errors import ConnectError, Rejected, RoomGone
from noughts.protocol.close_codes import POLICY, RESTART, ROOM_CLOSED, UNAUTHORIZED, UNKNOWN_ROOM
from noughts.protocol.messages import PROTOCOL, Hello, Reaction, Speaker
from noughts.room.commands import Ping, Stand
from tests.support.one_answer import answering
from tests.support.player import WAIT_S
from tests.support.ports import free_port
from tests.support.waiting import until

Script: TypeAlias = Callable[[ServerConnection, int], Awaitable[None]]
"""What a server does on a connection, whose number is counted from 1."""
WELCOME = {"type": "welcome", "protocol": PROTOCOL, "player": None, "now_ms": 0, "reactions": []}


REACTION = {"type": "reaction", "from": {"player": "p_ann", "name": "Ann", "mark": "X"}, "emoji": "👍"}


class AtOnce(random.Random):
    """Draws the shortest delay."""

    def uniform(self, a: float, b: float) -> float:
        return a


class Recorder:
    """Records what a connection reports."""

    def __init__(self) -> None:
        self.welcomes = 0
        self.welcomed = asyncio.Event()
        self.messages: list[Message] = []
        self.end: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()

    def connected(self) -> None:
        self.welcomes += 1
        self.welcomed.set()

    def receive(self, message: Message) -> None:
        self.messages.append(message)

    def ended(self, error: Exception) -> None:
        self.end.set_result(error)


@asynccontextmanager
async def connected(script: Script) -> AsyncIterator[tuple[Connection, Recorder]]:
    """Run a server, and a connection to it."""
    numbers = iter(range(1, 1_000))

    async def handle(socket: ServerConnection) -> None:
        await script(socket, next(numbers))

    async with serve(handle, "127.0.0.1", 0) as server, asyncio.timeout(WAIT_S):
        port = next(iter(server.sockets)).getsockname()[1]
        recorder = Recorder()
        connection = Connection(f"ws://127.0.0.1:{port}/ws", Hello(PROTOCOL, room="r"), recorder, AtOnce())
        connection.open()
        try:
            yield connection, recorder
        finally:
            await connection.close()


async def send(socket: ServerConnection, message: object) -> None:
    await socket.send(json.dumps(message))


async def receive(socket: ServerConnection) -> dict[str, Any]:
    return dict(json.loads(await socket.recv()))


async def greet(socket: ServerConnection) -> None:
    fields = {"room": "r", "token": None, "lobby": False, "tournament": None}
    assert await receive(socket) == {"type": "hello", "protocol": 1, **fields}
    await send(socket, WELCOME)


async def test_a_command_is_sent_again_under_its_id_until_it_is_answered() -> None:
    received: list[dict[str, Any]] = []

    async def script(socket: ServerConnection, number: int) -> None:
        await greet(socket)
        received.append(await receive(socket))
        if number == 4:
            await send(socket, {"type": "ok", "id": received[-1]["id"], "version": 7})
            await socket.wait_closed()
        elif number == 3:
            await socket.close(RESTART)
        else:
            socket.transport.abort()

    async with connected(script) as (connection, recorder):
        assert await connection.ask(Stand(connection.next_id())) == 7
        assert recorder.welcomes == 4
    assert len(received) == 4
    assert received == received[:1] * 4


async def test_answers_reach_the_command_of_their_id() -> None:
    async def script(socket: ServerConnection, number: int) -> None:
        await greet(socket)
        commands = [await receive(socket) for _ in range(3)]
        await send(socket, {"type": "ok", "id": "unknown", "version": 1})
        await send(socket, {"type": "rejected", "id": None, "code": "bad_message", "message": "No."})
        await send(socket, {"type": "weather"})
        await send(socket, REACTION)
        for command in reversed(commands):
            if command["type"] == "ping":
                await send(socket, {"type": "pong", "id": command["id"], "now_ms": 5})
            elif command["id"].endswith("-1"):
                await send(socket, {"type": "ok", "id": command["id"], "version": 9})
            else:
                await send(
                    socket, {"type": "rejected", "id": command["id"], "code": "new", "message": "No.", "retry_ms": 3}
                )
        await socket.wait_closed()

    async with connected(script) as (connection, recorder):
        commands: list[Command] = [kind(connection.next_id()) for kind in (Stand, Stand, Ping)]
        version, rejected, pong = await asyncio.gather(
            *[connection.ask(command) for command in commands], return_exceptions=True
        )
    assert (version, pong) == (9, 0)
    assert isinstance(rejected, Rejected)
    assert (rejected.code, rejected.message, rejected.retry_ms) == ("new", "No.", 3)
    assert recorder.messages == [Reaction(Speaker("p_ann", "Ann", "X"), "👍")]


@pytest.mark.parametrize("answers_at", [3, UNAVAILABLE_TRIES + 1])
async def test_an_unknown_outcome_is_asked_again_under_the_same_id(answers_at: int) -> None:
    ids: list[str] = []

    async def script(socket: ServerConnection, number: int) -> None:
        await greet(socket)
        while True:
            ids.append((await receive(socket))["id"])
            answer = {"type": "ok", "version": 4}
            if len(ids) < answers_at:
                answer = {"type": "rejected", "code": "unavailable", "message": "Try again.", "retry_ms": 1}
            await send(socket, {**answer, "id": ids[-1]})

    async with connected(script) as (connection, _):
        asking = connection.ask(Stand("mine"))
        if answers_at <= UNAVAILABLE_TRIES:
            assert await asking == 4
        else:
            with pytest.raises(Rejected, match="unavailable"):
                await asking
    assert ids == ["mine"] * min(answers_at, UNAVAILABLE_TRIES)


@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        (POLICY, ConnectError, 'speaks protocol 1: it says "say hello in 2". Install the version'),
        (UNAUTHORIZED, Rejected, "does not know this token: connect without it"),
        (UNKNOWN_ROOM, RoomGone, "Say hello in 2: ask for another link"),
        (ROOM_CLOSED, RoomGone, "The room was closed"),
        ({**WELCOME, "protocol": 2}, ConnectError, "not accept this client, which speaks protocol 1: it speaks 2"),
        ("hello!", ConnectError, "its messages cannot be read"),
    ],
)
async def test_some_answers_are_final(answer: object, kind: type[Exception], text: str) -> None:
    """A close code, another protocol, or text that is no message."""

    async def script(socket: ServerConnection, number: int) -> None:
        await receive(socket)
        if isinstance(answer, int):
            await socket.close(answer, "say hello in 2")
        else:
            await send(socket, answer)
            await socket.wait_closed()

    async with connected(script) as (connection, recorder):
        with pytest.raises(kind, match=text):
            await connection.ask(Stand("mine"))
        assert isinstance(await recorder.end, kind)
        with pytest.raises(kind):
            await connection.ask(Stand("mine"))


UNAVAILABLE = b"HTTP/1.1 503 Wait\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
"""What a proxy answers for a server that is not there yet."""
NOT_FOUND = b"HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
OTHER_PROTOCOL = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"


@asynccontextmanager
async def answered(answer: bytes) -> AsyncIterator[tuple[Recorder, asyncio.Queue[None]]]:
    """Connect to a server that answers each handshake with these bytes. The queue counts the tries."""
    tries: asyncio.Queue[None] = asyncio.Queue()
    async with asyncio.timeout(WAIT_S), answering(answer, tries) as url:
        recorder = Recorder()
        connection = Connection(f"{url.replace('http', 'ws')}/ws", Hello(PROTOCOL), recorder, AtOnce())
        connection.open()
        yield recorder, tries
        await connection.close()


@pytest.mark.parametrize(("answer", "words"), [(NOT_FOUND, "it answered 404"), (OTHER_PROTOCOL, "at ws://127.0.0.1:")])
async def test_another_web_server_is_no_noughts_server(answer: bytes, words: str) -> None:
    """It has no WebSocket, or it says 101 and means another protocol."""
    async with answered(answer) as (recorder, _):
        error = await recorder.end
        assert isinstance(error, ConnectError)
        assert words in str(error)


@pytest.mark.parametrize(
    "answer", [UNAVAILABLE, b"", b"HTTP/1.1 101 Sw", b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: web"]
)
async def test_a_handshake_that_fails_is_tried_again(answer: bytes) -> None:
    """The server starts, or a proxy that is restarted answers in part."""
    async with answered(answer) as (recorder, tries):
        for _ in range(3):
            await tries.get()
        assert not recorder.end.done()


async def test_a_server_that_is_not_there_yet_is_tried_again() -> None:
    async def script(socket: ServerConnection) -> None:
        await greet(socket)
        await socket.wait_closed()

    port, recorder = free_port(), Recorder()
    connection = Connection(f"ws://127.0.0.1:{port}/ws", Hello(PROTOCOL, room="r"), recorder, AtOnce())
    connection.open()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await recorder.welcomed.wait()
    async with asyncio.timeout(WAIT_S), serve(script, "127.0.0.1", port):
        await recorder.welcomed.wait()
        await connection.close()


async def test_leaving_ends_what_waits() -> None:
    """The socket is closed normally, so the server sees that the client has left, and not that it failed."""
    closed: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()

    async def script(socket: ServerConnection, number: int) -> None:
        await greet(socket)
        await socket.wait_closed()
        closed.set_result(socket.close_code)

    before = asyncio.all_tasks()
    async with connected(script) as (connection, recorder):
        asking = asyncio.ensure_future(connection.ask(Stand("mine")))
        await recorder.welcomed.wait()
        await connection.close()
        with pytest.raises(ConnectError, match="You have left"):
            await asking
        assert await closed == 1000
    await until(lambda: asyncio.all_tasks() <= before)


async def test_a_connection_that_was_never_opened_may_be_closed() -> None:
    recorder = Recorder()
    connection = Connection("ws://127.0.0.1:1/ws", Hello(PROTOCOL), recorder, AtOnce())
    await connection.close()
    assert isinstance(recorder.end.result(), ConnectError)


async def test_an_endless_message_ends_the_connection() -> None:
    """The client keeps no more than it may read, and does not come back for more."""

    async def script(socket: ServerConnection, number: int) -> None:
        await send(socket, WELCOME)
        with suppress(ConnectionClosed):
            await socket.send(["x" * MAX_MESSAGE, "x"], text=True)
        await socket.wait_closed()

    async with connected(script) as (_, recorder):
        error = await recorder.end
        assert isinstance(error, ConnectError)
        assert f"more than {MAX_MESSAGE} bytes" in str(error)


def test_an_error_is_safe_to_print() -> None:
    rejected = Rejected("no\x1b", "Not\x1b[2J\nnow.")
    assert (str(rejected), rejected.message) == ("no\ufffd: Not\ufffd[2J now.", "Not\ufffd[2J now.")
