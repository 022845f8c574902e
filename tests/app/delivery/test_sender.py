"""What is sent to a client that reads, does not read and vanishes, in virtual time."""

from __future__ import annotations

import asyncio
import socket
import struct
from unittest.mock import Mock

import pytest

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.sender import Flusher, close_frame, reset, text_frame
from noughts.app.runtime.limits import FULL_BYTES, MAX_OUTBOX, SLOW_S
from noughts.protocol.close_codes import TOO_SLOW
from tests.support.virtual_time import in_virtual_time
from tests.support.wire import Wire, connection_to, end_of_turn


def opened() -> tuple[Wire, Connection]:
    wire = Wire()
    return wire, connection_to(wire, Flusher())


# --- a client that reads ------------------------------------------------------------------------------------------


async def test_frames_of_one_turn_are_written_in_one_piece() -> None:
    wire, connection = opened()
    connection.send(b"ok")
    connection.push(text_frame(b"view"), "view")
    connection.push(text_frame(b"newer view"), "view")
    assert wire.written == []
    await end_of_turn()
    assert wire.written == [text_frame(b"ok") + text_frame(b"view") + text_frame(b"newer view")]
    connection.send(b"later")
    await end_of_turn()
    assert wire.written[1:] == [text_frame(b"later")]


async def test_nothing_is_written_to_a_lost_client() -> None:
    wire, connection = opened()
    connection.send(b"one")
    wire.lost = True
    await end_of_turn()
    wire.unread_bytes = FULL_BYTES
    connection.send(b"two")
    connection.ping(1.0)
    connection.close(TOO_SLOW, "why")
    assert (wire.written, wire.shut) == ([], False)


# --- a client that does not read ----------------------------------------------------------------------------------


def test_of_what_waits_only_the_newest_view_is_kept() -> None:
    """Answers and chat lines all stay, in their order. Of views, crowds and lobbies the newest stays."""

    async def scenario() -> None:
        wire, connection = opened()
        wire.unread_bytes = FULL_BYTES
        for n in range(3):
            connection.push(text_frame(b"view %d" % n), "view")
            connection.push(text_frame(b"crowd %d" % n), "crowd")
            connection.push(text_frame(b"lobby %d" % n), "lobby")
            connection.send(b"line %d" % n)
        await asyncio.sleep(SLOW_S / 2)
        assert wire.written == []
        wire.unread_bytes = FULL_BYTES - 1
        await asyncio.sleep(SLOW_S / 2)
        texts = (b"line 0", b"line 1", b"view 2", b"crowd 2", b"lobby 2", b"line 2")
        assert wire.written == [b"".join(map(text_frame, texts))]
        connection.send(b"direct again")
        await end_of_turn()
        assert wire.written[1:] == [text_frame(b"direct again")]

    in_virtual_time(scenario())


def test_a_client_that_does_not_read_is_cut() -> None:
    """It is cut after ``SLOW_S``. The close code is written in case the client ever reads, and then the socket goes."""

    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        wire, connection = opened()
        wire.unread_bytes = FULL_BYTES
        connection.push(text_frame(b"view"), "view")
        while connection.state == "open":  # noqa: ASYNC110 - no event says so
            await asyncio.sleep(0.05)
        assert SLOW_S - 0.2 <= loop.time() <= SLOW_S + 0.2
        assert connection.state == "cut"
        assert wire.written == [close_frame(TOO_SLOW, "too slow to read")]
        connection.send(b"more")
        connection.push(text_frame(b"view"), "view")
        await asyncio.sleep(5.0)
        assert wire.aborted
        assert len(wire.written) == 1

    in_virtual_time(scenario())


def test_a_client_that_reads_slowly_is_not_cut() -> None:
    """Each byte that leaves the transport restarts the timeout."""

    async def scenario() -> None:
        wire, connection = opened()
        wire.unread_bytes = FULL_BYTES + 10
        connection.push(text_frame(b"view"), "view")
        for _ in range(10):
            await asyncio.sleep(SLOW_S - 1.0)
            assert connection.state == "open"
            wire.unread_bytes -= 1
        await asyncio.sleep(SLOW_S + 1.0)
        assert connection.state == "cut"

    in_virtual_time(scenario())


async def test_an_outbox_that_grows_too_long_cuts_the_client() -> None:
    wire, connection = opened()
    wire.unread_bytes = FULL_BYTES
    for n in range(10 * MAX_OUTBOX):
        connection.push(text_frame(b"view %d" % n), "view")
    for n in range(MAX_OUTBOX - 1):
        connection.send(b"line %d" % n)
    assert wire.written == []
    connection.send(b"one more")
    assert connection.state == "cut"
    assert wire.written == [close_frame(TOO_SLOW, "too slow to read")]


def test_waiting_ends_with_the_connection() -> None:
    """No task is left over for a client that is gone, whether its socket was lost or dropped."""

    async def scenario() -> None:
        for end in ("lost", "closing"):
            wire, connection = opened()
            wire.unread_bytes = FULL_BYTES
            connection.send(b"waits")
            assert len(asyncio.all_tasks()) == 2
            if end == "lost":
                connection.connection_lost(None)
            else:
                wire.lost = True
            await asyncio.sleep(1.0)
            assert len(asyncio.all_tasks()) == 1
            assert (wire.written, connection.state) == ([], "open")

    in_virtual_time(scenario())


# --- signs of life ------------------------------------------------------------------------------------------------


async def test_a_ping_has_one_answer() -> None:
    """The payload is random, so only a client that has received the ping can answer it, and only once."""
    wire, connection = opened()
    connection.ping(100.0)
    connection.ping(105.0)  # not before the first is answered
    (ping,) = wire.written
    assert ping[:2] == b"\x89\x08"
    assert not connection.pong_received(b"x" * 8, 100.01)
    assert connection.pong_received(ping[2:], 100.25)
    assert connection.lag_ms == 250
    assert not connection.pong_received(ping[2:], 130.0)
    assert connection.lag_ms == 250
    connection.ping(140.0)
    assert wire.written[1][2:] != ping[2:]


@pytest.mark.parametrize("payload", [b"", b"x" * 8, b"x" * 125, (100 * 10**9).to_bytes(8, "big")])
async def test_a_pong_that_answers_nothing_measures_nothing(payload: bytes) -> None:
    _, connection = opened()
    assert not connection.pong_received(payload, 200.0)
    assert connection.lag_ms is None


async def test_the_lag_is_the_shortest_of_the_last_round_trips() -> None:
    """One answer that was held up somewhere says nothing about the network."""
    wire, connection = opened()
    lags = []
    for number, round_trip_s in enumerate((0.7, 0.25, 0.75, 0.75, 0.5, 0.75, 0.75)):
        connection.ping(10.0 * number)
        connection.pong_received(wire.written[number][2:], 10.0 * number + round_trip_s)
        lags.append(connection.lag_ms)
    assert lags == [700, 250, 250, 250, 250, 250, 500]


async def test_a_client_that_does_not_read_is_not_pinged() -> None:
    """The ping would wait behind the unread bytes and measure them."""
    wire, connection = opened()
    wire.unread_bytes = FULL_BYTES
    connection.send(b"waits")
    connection.ping(1.0)
    assert wire.written == []
    connection.connection_lost(None)


# --- a reset ------------------------------------------------------------------------------------------------------


def test_the_kernel_keeps_nothing_for_the_client() -> None:
    """The socket does not linger: closing it sends a reset."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        line, _ = server.accept()
        transport = Mock(get_extra_info=lambda name: line)
        reset(transport)
        transport.abort.assert_called_once_with()
        assert line.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8) == struct.pack("ii", 1, 0)
        line.close()


@pytest.mark.parametrize("descriptor", [None, ValueError("negative file descriptor")])
def test_a_transport_without_a_socket_is_aborted(descriptor: ValueError | None) -> None:
    """uvloop raises ValueError where the descriptor is closed."""
    transport = Mock(get_extra_info=Mock(side_effect=[descriptor]))
    reset(transport)
    transport.abort.assert_called_once_with()
