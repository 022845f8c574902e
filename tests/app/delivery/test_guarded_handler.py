"""One TCP connection: its deadlines, what it is answered that is not HTTP, and floods that are read no further."""

from __future__ import annotations

import asyncio
import json
import socket
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import structlog

from noughts.app.delivery import guarded_handler
from noughts.app.delivery.guarded_handler import GuardedHandler
from noughts.app.endpoints.command_receiver import CommandReceiver
from noughts.store.coordination import Rate
from tests.support.local_server import LocalServer, local_server
from tests.support.metrics import metric
from tests.support.player import WAIT_S
from tests.support.raw_websocket import CONTINUATION, LOBBY_HELLO, PING, PONG, TEXT, client_frame, handshake
from tests.support.waiting import until

HALF_BODY = b"POST /api/players HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"


async def sent(server: LocalServer, data: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection(server.host, server.port)
    writer.write(data)
    return reader, writer


async def ended(reader: asyncio.StreamReader) -> bytes:
    """Return all that comes until the server closes."""
    try:
        async with asyncio.timeout(WAIT_S):
            return await reader.read()
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize("head", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: here\r\n"])
async def test_a_head_that_does_not_come_ends(
    server: LocalServer, monkeypatch: pytest.MonkeyPatch, head: bytes
) -> None:
    monkeypatch.setattr(guarded_handler, "HEAD_S", 0.1)
    reader, writer = await sent(server, head)
    assert await ended(reader) == b""
    writer.close()


async def test_a_second_head_has_the_same_deadline(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """An idle connection may stay longer."""
    monkeypatch.setattr(guarded_handler, "HEAD_S", 0.1)
    reader, writer = await sent(server, b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
    await reader.readuntil(b"}")
    writer.write(b"GET /hea")
    assert await ended(reader) == b""
    writer.close()


async def test_an_answer_that_nobody_reads_ends(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded_handler, "UNREAD_S", 0.1)
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(client, (server.host, server.port))
        await loop.sock_sendall(client, 200 * b"GET /api/openapi.json HTTP/1.1\r\nHost: here\r\n\r\n")
        async with asyncio.timeout(WAIT_S):
            while not client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):  # noqa: ASYNC110 - there is no event
                await asyncio.sleep(0.05)


@pytest.mark.parametrize(
    "garbage", [b"\x16\x03\x01\x02\x00\x01\r\n\r\n", b"hello there\r\n\r\n", b"GET / HTTP/9\r\n\r\n"]
)
async def test_what_is_not_http_is_answered_shortly(server: LocalServer, garbage: bytes) -> None:
    reader, writer = await sent(server, garbage)
    answer = await ended(reader)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert json.loads(body)["error"]["code"] == "bad_message"
    assert b"aiohttp" not in answer
    assert b"Python" not in answer
    assert b"nosniff" in head
    writer.close()


async def test_a_client_that_leaves_a_body_behind_is_not_logged(server: LocalServer) -> None:
    with structlog.testing.capture_logs() as lines:
        for _ in range(5):
            _, writer = await sent(server, HALF_BODY)
            await writer.drain()
            await asyncio.sleep(0)
            writer.transport.abort()
        reader, writer = await sent(server, b"GET /healthz HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
        assert b"200" in await ended(reader)
        writer.close()
    assert not lines


async def test_a_connection_too_many_is_told_so(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.app.delivery.admission.MAX_CONNECTIONS_OF_ADDRESS", 2)
    async with local_server(tmp_path, limits=True) as server:  # type: ignore[arg-type]
        kept = [await sent(server, b"") for _ in range(2)]
        reader, writer = await sent(server, b"")
        answer = await ended(reader)
        assert answer.startswith(b"HTTP/1.1 429 ")
        assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == "rate_limited"
        for _, line in [*kept, (reader, writer)]:
            line.close()


@pytest.fixture
async def pings(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Counter[int]]:
    """Count the pings that the server receives in each turn of the event loop."""
    turn, received = 0, Counter[int]()
    receive = CommandReceiver.ping_received

    async def count_turns() -> None:
        nonlocal turn
        while True:
            turn += 1
            await asyncio.sleep(0)

    def counted(receiver: CommandReceiver, payload: bytes) -> None:
        received[turn] += 1
        receive(receiver, payload)

    monkeypatch.setattr(CommandReceiver, "ping_received", counted)
    counting = asyncio.create_task(count_turns())
    yield received
    counting.cancel()
    await asyncio.wait([counting])


async def test_frames_are_parsed_a_few_a_turn(server: LocalServer, pings: Counter[int]) -> None:
    """A thousand pings in one segment are all answered, and other clients have their turns between.

    In one turn, the last frames that waited for the answer to the hello may be followed by the first that did not.
    """
    async with handshake(server) as client:
        client.writer.write(client_frame(TEXT, LOBBY_HELLO) + 1_000 * client_frame(PING, b"1"))
        for _ in range(1_000):
            assert await client.until_frame(PONG) == b"1"
    assert pings.total() == 1_000
    assert max(pings.values()) <= 2 * guarded_handler.FRAMES_A_TURN


async def test_few_frames_of_a_lost_client_are_parsed(server: LocalServer, pings: Counter[int]) -> None:
    """It broke off while thousands of its frames waited for their turns."""
    async with handshake(server) as client:
        client.writer.write(client_frame(TEXT, LOBBY_HELLO) + client_frame(PING, b"1"))
        await client.until_frame(PONG)
        client.writer.write(10_000 * client_frame(PING, b"1"))
        await until(lambda: pings.total() > 1)
        client.writer.transport.abort()
        async with asyncio.timeout(WAIT_S):
            while await metric(server, "noughts_connections"):
                pass
    assert max(pings.values()) <= guarded_handler.FRAMES_AT_END + guarded_handler.FRAMES_A_TURN


async def test_bytes_beyond_the_rate_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of one message cost no other credit."""
    held_s: list[float] = []
    monkeypatch.setattr(guarded_handler, "BYTES", Rate(16_384, 1_024))
    monkeypatch.setattr(GuardedHandler, "hold", lambda handler, seconds: held_s.append(seconds))
    parts = 4_000 * client_frame(CONTINUATION, b"", fin=False)
    message = client_frame(TEXT, b"{", fin=False) + parts + client_frame(CONTINUATION, b"}")
    async with local_server(tmp_path, limits=True) as server, handshake(server) as client:
        client.writer.write(client_frame(TEXT, LOBBY_HELLO) + message + client_frame(PING, b"1"))
        assert await client.until_frame(PONG) == b"1"
    assert held_s
    assert min(held_s) > 0
