"""The front door of a TCP connection: deadlines, answers to what is not HTTP, and bytes that are not read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest
import structlog
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from noughts.app.delivery import front_door
from noughts.app.delivery.admission import Admission
from noughts.app.delivery.front_door import FrontDoor, Upgraded
from noughts.app.runtime.addresses import LOOPBACK, Network
from noughts.app.runtime.limits import BYTES, GRANT, HEAD_S, KEEP_ALIVE_S, UNREAD_S
from noughts.app.runtime.metrics import Metrics
from tests.support.local_server import LocalServer, local_server
from tests.support.player import WAIT_S
from tests.support.raw_websocket import PING, client_frame, handshake

HALF_BODY = b"POST /api/players HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
BODY = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 99999999\r\n\r\n"

HANDSHAKE = b"GET /ws HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"

# --- with a network -----------------------------------------------------------------------------------------------


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


async def test_a_head_that_does_not_come_ends(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_door, "HEAD_S", 0.1)
    reader, writer = await sent(server, b"GET / HTTP/1.1\r\nHost: here\r\n")
    assert await ended(reader) == b""
    writer.close()


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


async def test_a_connection_too_many_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.app.delivery.admission.MAX_CONNECTIONS_OF_ADDRESS", 2)
    async with local_server(tmp_path, limits=True) as server:
        kept = [await sent(server, b"") for _ in range(2)]
        reader, writer = await sent(server, b"")
        answer = await ended(reader)
        assert answer.startswith(b"HTTP/1.1 429 ")
        assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == "rate_limited"
        for _, line in [*kept, (reader, writer)]:
            line.close()


async def test_a_client_that_sends_on_after_a_broken_frame_gets_the_close_code(server: LocalServer) -> None:
    """Unread bytes would make the kernel reset the connection, and the client would lose the Close frame."""
    for _ in range(20):
        async with handshake(server) as client:
            client.writer.write(client_frame(3, b""))
            for _ in range(5):
                client.writer.write(100 * client_frame(PING, bytes(100)))
                await asyncio.sleep(0.001)
            assert await client.close_code() == 1002
            assert await client.reader.read() == b""


# --- without a network --------------------------------------------------------------------------------------------


class Line(asyncio.Transport):
    """A transport without a socket."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1)})
        self.reads = True
        self.unread_bytes = 0
        self.aborted = self.closed = False
        self.protocol: asyncio.BaseProtocol = asyncio.Protocol()

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True

    def get_write_buffer_size(self) -> int:
        return self.unread_bytes

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        return self.protocol

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.aborted = True


async def no_page(request: web.BaseRequest) -> web.StreamResponse:
    while await request.content.readany():
        pass
    return web.Response()


async def entered(*, metered: bool = True, trusted: tuple[Network, ...] = ()) -> tuple[FrontDoor, Line]:
    """Let a client in."""
    line = Line()
    door = FrontDoor(web.Server(no_page), Admission(10, trusted, Metrics()), metered=metered)
    door.connection_made(line)
    await asyncio.sleep(0)  # aiohttp begins to wait for a request
    return door, line


@pytest.mark.parametrize(
    ("metered", "trusted", "reads"), [(True, (), False), (False, (), True), (True, LOOPBACK, True)]
)
async def test_the_bytes_of_requests_are_charged(metered: bool, trusted: tuple[Network, ...], reads: bool) -> None:
    """A body that no endpoint asks for is read for a while. The requests of many clients come through a proxy."""
    door, line = await entered(metered=metered, trusted=trusted)
    door.data_received(BODY)
    for _ in range(2 * int(BYTES.burst) // GRANT):
        door.data_received(bytes(GRANT))
        for _ in range(3):
            await asyncio.sleep(0)
    assert line.reads is reads
    door.connection_lost(None)


async def test_a_websocket_gets_what_has_arrived_and_is_read_on() -> None:
    """It is under none of these deadlines, and is counted until it has ended. aiohttp has nothing of it any more."""
    admission, line, websocket = Admission(10, (), Metrics()), Line(), Mock(asyncio.Protocol)
    releases: list[Callable[[], None]] = []

    async def accept(request: web.BaseRequest) -> web.StreamResponse:
        door.data_received(b"later")
        releases.append(door.become_websocket(websocket))
        return Upgraded()

    server = web.Server(accept)
    door = FrontDoor(server, admission, metered=True)
    door.connection_made(line)
    await asyncio.sleep(0)
    early = bytes(2 * int(BYTES.burst))
    door.data_received(HANDSHAKE + early)
    assert not line.reads
    async with asyncio.timeout(WAIT_S):
        while not releases or server.connections:  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0)
    assert (line.reads, line.get_protocol(), line.is_closing()) == (True, websocket, False)
    websocket.data_received.assert_called_once_with(early + b"later")
    assert (door.is_overdue(1e9), len(admission)) == (False, 1)
    releases[0]()
    assert len(admission) == 0


async def test_the_head_of_each_request_has_a_deadline() -> None:
    """An idle connection may stay longer, and so may the body of a request. A connection that is gone has no deadline."""
    door, line = await entered()
    late_s = asyncio.get_running_loop().time() + HEAD_S + 1.0
    overdue = [door.is_overdue(late_s - HEAD_S), door.is_overdue(late_s)]
    door.begin_request()
    door.data_received(HALF_BODY)
    overdue.append(door.is_overdue(late_s))
    door.end_request()
    overdue.append(door.is_overdue(late_s))
    door.data_received(b"GET /hea")
    overdue.append(door.is_overdue(late_s))
    door.connection_lost(None)
    overdue.append(door.is_overdue(late_s))
    assert overdue == [False, True, False, False, True, False]
    door.abort()  # as when its address is displaced in the same turn
    assert not line.aborted


@pytest.mark.parametrize(("trusted", "closed"), [((), True), (LOOPBACK, False)])
async def test_an_idle_connection_of_a_stranger_is_closed(trusted: tuple[Network, ...], closed: bool) -> None:
    """A proxy keeps its own for longer. A request that arrives is never cut off."""
    door, line = await entered(trusted=trusted)
    late_s = asyncio.get_running_loop().time() + KEEP_ALIVE_S + 1.0
    door.begin_request()
    door.close_if_idle(late_s)
    door.end_request()
    door.close_if_idle(late_s - 2.0)
    door.data_received(b"GET /hea")
    door.close_if_idle(late_s)
    assert not line.is_closing()
    door.begin_request()
    door.end_request()
    door.close_if_idle(late_s)
    assert line.is_closing() is closed


async def test_a_client_has_some_time_to_read_a_part_of_an_answer() -> None:
    door, line = await entered()
    door.begin_request()
    overdue = []
    for now_s, line.unread_bytes in ((0, 0), (90, 9), (119, 9), (119.5, 8), (149, 8), (150, 8), (151, 0)):
        overdue.append(door.is_overdue(now_s))
    assert UNREAD_S == 30.0
    assert overdue == [False, False, False, False, False, True, False]


async def test_a_fault_of_ours_is_answered_and_logged_by_aiohttp(caplog: pytest.LogCaptureFixture) -> None:
    """What the client did wrong is neither."""
    door, _ = await entered()
    request = make_mocked_request("GET", "/", writer=Mock(output_size=0))
    ours = door.handle_error(request, 500, KeyError("a bug"))
    assert (ours.status, len(caplog.records)) == (500, 1)
    theirs = door.handle_error(request, 400, ValueError("half a header"))
    assert isinstance(theirs, web.Response)
    assert json.loads(theirs.body)["error"]["code"] == "bad_message"  # type: ignore[arg-type]
    assert len(caplog.records) == 1
    door.connection_lost(None)
