"""One TCP connection without a network: what its parser is given, and when its transport is read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import cast
from unittest.mock import Mock

import pytest
from aiohttp import web
from aiohttp.http_websocket import WebSocketReader
from aiohttp.test_utils import make_mocked_request

from noughts.app.delivery.admission import Admission
from noughts.app.delivery.guarded_handler import BYTES, FRAME_BYTES, FRAMES_A_TURN, HEAD_S, Doorkeeper, GuardedHandler
from noughts.app.runtime.addresses import LOOPBACK, Network
from noughts.app.runtime.metrics import Metrics
from tests.support.local_server import LocalServer
from tests.support.raw_websocket import CONTINUATION, LOBBY_HELLO, PING, PONG, TEXT, client_frame, handshake

FRAME = client_frame(PING, b"1")


class Parser:
    """A parser that keeps what it is given, and says when it has seen enough."""

    def __init__(self) -> None:
        self.data = b""
        self.ends = False

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        self.data += data
        return self.ends, b""

    def feed_eof(self) -> None: ...


class Line(asyncio.Transport):
    """A transport without a socket."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1)})
        self.reads = True
        self.closed = False
        self.protocol: asyncio.BaseProtocol | None = None

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True

    def get_write_buffer_size(self) -> int:
        return 0

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    abort = close


async def no_page(request: web.BaseRequest) -> web.StreamResponse:
    return web.Response()


async def connected(*, metered: bool = False, trusted: tuple[Network, ...] = ()) -> tuple[GuardedHandler, Line]:
    """Let a client through the door, whose request the server has not read yet."""
    line, admission = Line(), Admission(10, trusted, Metrics())
    server, loop = web.Server(no_page), asyncio.get_running_loop()
    handlers: list[GuardedHandler] = []

    def make(address: str) -> GuardedHandler:
        handlers.append(GuardedHandler(server, loop, address, admission, metered=metered))
        return handlers[0]

    Doorkeeper(make, admission).connection_made(line)
    assert line.protocol is handlers[0]
    assert len(admission) == 1
    await asyncio.sleep(0)  # the handler waits for a request from now on
    return handlers[0], line


async def upgraded(*, metered: bool = False, trusted: tuple[Network, ...] = ()) -> tuple[GuardedHandler, Line, Parser]:
    """Let a client through whose handshake is done."""
    handler, line = await connected(metered=metered, trusted=trusted)
    parser = Parser()
    handler.set_parser(cast(WebSocketReader, parser))
    return handler, line, parser


async def turns(condition: Callable[[], bool]) -> None:
    """Let the event loop turn until something shows."""
    async with asyncio.timeout(10.0):
        while not condition():  # noqa: ASYNC110 - it shows in a value
            await asyncio.sleep(0)


# --- frames -------------------------------------------------------------------------------------------------------


async def test_a_few_frames_a_turn_reach_the_parser() -> None:
    """Meanwhile nothing is read. All of them reach it, in their order."""
    handler, line, parser = await upgraded()
    handler.data_received(3 * FRAMES_A_TURN * FRAME)
    assert (parser.data, line.reads) == (FRAMES_A_TURN * FRAME, False)
    handler.data_received(FRAME)
    await turns(lambda: line.reads)
    assert parser.data == (3 * FRAMES_A_TURN + 1) * FRAME
    handler.connection_lost(None)


@pytest.mark.parametrize("cut", [1, 2, len(FRAME) - 1])
async def test_a_frame_in_two_parts_reaches_the_parser_whole(cut: int) -> None:
    """Reading goes on between them."""
    handler, line, parser = await upgraded()
    for part in (FRAME + FRAME[:cut], FRAME[cut:]):
        handler.data_received(part)
        assert line.reads
    assert parser.data == 2 * FRAME
    handler.connection_lost(None)


class ShortTexts:
    """Takes short texts, or leaves them to the parser."""

    def __init__(self, takes: bool) -> None:
        self.takes = takes
        self.frames: list[bytes] = []

    def short_text_received(self, frame: bytes) -> bool:
        self.frames.append(frame)
        return self.takes


@pytest.mark.parametrize("takes", [True, False])
async def test_a_short_text_reaches_the_parser_unless_it_is_taken(takes: bool) -> None:
    """Either way it is charged once. Other frames always reach the parser."""
    handler, line, parser = await upgraded(metered=True)
    short_texts, text = ShortTexts(takes), client_frame(TEXT, b"{}")
    handler.give_short_texts_to(short_texts)
    for _ in range(int(BYTES.burst) // (len(text) + FRAME_BYTES)):
        handler.data_received(text)
    assert set(short_texts.frames) == {text}
    assert set(parser.data) == (set() if takes else set(text))
    assert line.reads
    parser.data = b""
    handler.data_received(FRAME + text)
    assert parser.data == FRAME + text


async def test_what_a_client_sent_before_it_hung_up_is_parsed() -> None:
    handler, _, parser = await upgraded()
    handler.data_received(3 * FRAMES_A_TURN * FRAME)
    handler.connection_lost(None)
    assert parser.data == 3 * FRAMES_A_TURN * FRAME
    await asyncio.sleep(0)  # the turn in which more would have been parsed
    assert parser.data == 3 * FRAMES_A_TURN * FRAME


async def test_a_malformed_frame_ends_the_connection_behind_those_before_it() -> None:
    handler, _, parser = await upgraded()
    handler.data_received(FRAME + client_frame(PING, b"", mask=False))
    assert parser.data.startswith(FRAME)
    assert parser.data[len(FRAME)] & 0x70, "the reserved bits, for which the parser closes with 1002"
    before = parser.data
    handler.data_received(FRAME)
    assert parser.data == before
    handler.connection_lost(None)


async def test_nothing_is_parsed_behind_the_last_frame() -> None:
    handler, _, parser = await upgraded()
    parser.ends = True
    handler.data_received(FRAME)
    handler.data_received(FRAME)
    assert parser.data == FRAME
    handler.connection_lost(None)


async def test_frames_may_come_with_the_handshake(server: LocalServer) -> None:
    early = client_frame(TEXT, LOBBY_HELLO) + client_frame(PING, b"early")
    async with handshake(server, more=early) as client:
        assert await client.until_frame(PONG) == b"early"


# --- credit -------------------------------------------------------------------------------------------------------


async def test_while_a_client_is_held_nothing_is_read_or_parsed() -> None:
    handler, line, parser = await upgraded()
    handler.data_received(3 * FRAMES_A_TURN * FRAME)
    handler.hold(0.001)
    handler.hold(1_000.0)  # it is held already
    handler.data_received(FRAME)
    await asyncio.sleep(0)
    assert (parser.data, line.reads) == (FRAMES_A_TURN * FRAME, False)
    await turns(lambda: line.reads)
    assert parser.data == (3 * FRAMES_A_TURN + 1) * FRAME
    handler.connection_lost(None)


async def test_a_queue_that_was_emptied_does_not_end_a_hold() -> None:
    """A client that is held and has sent nothing is read again once it has credit."""
    handler, line, _ = await upgraded()
    handler.hold(0.01)
    handler.resume_reading(resume_parser=False)
    assert not line.reads
    await turns(lambda: line.reads)
    handler.connection_lost(None)


async def test_a_client_that_hangs_up_while_it_is_held_is_heard_no_more() -> None:
    """It had no credit for what is left."""
    handler, line, parser = await upgraded()
    handler.hold(0.0)
    handler.data_received(FRAME)
    handler.connection_lost(None)
    handler.hold(0.0)
    for _ in range(3):
        await asyncio.sleep(0)
    assert (parser.data, line.reads) == (b"", False)


@pytest.mark.parametrize("metered", [True, False])
async def test_bytes_beyond_the_credit_hold_a_metered_client(metered: bool) -> None:
    handler, line, _ = await upgraded(metered=metered)
    part = client_frame(TEXT, b"x" * 60_000, fin=False)
    for _ in range(int(BYTES.burst) // len(part) + 2):
        handler.data_received(part)
    assert line.reads is not metered
    handler.connection_lost(None)


def held_s(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a list that grows by the seconds of each hold."""
    holds: list[float] = []
    monkeypatch.setattr(GuardedHandler, "hold", lambda _, seconds: holds.append(seconds))
    return holds


async def test_a_hold_is_as_long_as_what_was_read_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel may hand over a quarter of a megabyte at once, far more than the client has credit for."""
    handler, _, _ = await upgraded(metered=True)
    holds = held_s(monkeypatch)
    handler.data_received(client_frame(TEXT, b"x" * (int(BYTES.burst) + 262_144), fin=False))
    assert sum(holds) == pytest.approx(262_144 / BYTES.per_s, rel=0.1)
    handler.connection_lost(None)


async def test_frames_without_content_are_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    handler, _, _ = await upgraded(metered=True)
    holds = held_s(monkeypatch)
    most = int(BYTES.burst) // FRAME_BYTES
    handler.data_received(client_frame(TEXT, b"", fin=False))
    for _ in range(most // FRAMES_A_TURN + 1):
        handler.data_received(FRAMES_A_TURN * client_frame(CONTINUATION, b"", fin=False))
        await asyncio.sleep(0)
    assert holds
    handler.connection_lost(None)


@pytest.mark.parametrize("proxy", [True, False])
async def test_the_bytes_of_requests_are_charged(proxy: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that no endpoint asks for is read on for a while. The requests of many clients come through a proxy."""
    handler, _ = await connected(metered=True, trusted=LOOPBACK if proxy else ())
    holds = held_s(monkeypatch)
    handler.data_received(b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 99999999\r\n\r\n")
    for _ in range(8):
        handler.data_received(60_000 * b"x")
    assert bool(holds) is not proxy
    handler.connection_lost(None)


@pytest.mark.parametrize("proxy", [True, False])
async def test_a_socket_is_charged_wherever_it_comes_from(proxy: bool) -> None:
    handler, line, _ = await upgraded(metered=True, trusted=LOOPBACK if proxy else ())
    handler.data_received(client_frame(TEXT, b"x" * 500_000, fin=False))
    assert not line.reads
    handler.connection_lost(None)


# --- the end of the connection ------------------------------------------------------------------------------------


async def test_a_connection_that_is_gone_has_no_deadline() -> None:
    handler, _ = await connected()
    late_s = asyncio.get_running_loop().time() + HEAD_S + 1.0
    overdue = [handler.is_overdue(late_s)]
    handler.connection_lost(None)
    overdue.append(handler.is_overdue(late_s))
    handler.abort()  # as when its address is displaced in the same turn
    assert overdue == [True, False]


async def test_a_fault_of_ours_is_answered_and_logged_by_aiohttp(caplog: pytest.LogCaptureFixture) -> None:
    """What the client did wrong is neither."""
    handler, _ = await connected()
    request = make_mocked_request("GET", "/", writer=Mock(output_size=0))
    ours = handler.handle_error(request, 500, KeyError("a bug"))
    assert (ours.status, len(caplog.records)) == (500, 1)
    theirs = handler.handle_error(request, 400, ValueError("half a header"))
    assert isinstance(theirs, web.Response)
    assert json.loads(theirs.body)["error"]["code"] == "bad_message"  # type: ignore[arg-type]
    assert len(caplog.records) == 1
    handler.connection_lost(None)
