"""A connection without a network: which frames it passes on, when it reads, and how it closes."""

from __future__ import annotations

import asyncio
import json

import pytest

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.sender import Flusher, close_frame, text_frame
from noughts.app.runtime.limits import BYTES, CLOSE_S, FRAME_BYTES, FULL_BYTES, PIECE, ByteMeter
from noughts.protocol.close_codes import POLICY
from tests.attacks.frame_cases import GROUPS, Case, cases
from tests.support.raw_websocket import CLOSE, CONTINUATION, PONG, TEXT, client_frame
from tests.support.virtual_time import in_virtual_time
from tests.support.wire import Wire, end_of_turn

FRAME = client_frame(TEXT, b"{}")


class Client:
    """A client, and what the server receives of it."""

    def __init__(self, meter: ByteMeter | None = None) -> None:
        self.wire = Wire()
        self.connection = Connection(self.wire, Flusher(), "203.0.113.9", 0.0, meter)
        self.connection.receiver = self
        self.texts: list[str] = []
        self.pings: list[bytes] = []
        self.broken = False

    def text_received(self, text: str) -> None:
        if self.broken:
            raise ZeroDivisionError
        self.texts.append(text)

    def ping_received(self, payload: bytes) -> None:
        self.pings.append(payload)

    def pong_received(self, payload: bytes) -> None: ...

    def send(self, *frames: bytes) -> None:
        """Send frames in one piece."""
        self.connection.data_received(b"".join(frames))

    async def turns(self, count: int = 300) -> None:
        """Let the event loop turn, so that the server reads on."""
        for _ in range(count):
            await asyncio.sleep(0)


# --- frames -------------------------------------------------------------------------------------------------------


async def failure(case: Case, step: int) -> str:
    """Send the frames of a case in pieces. Return an empty text if the connection does as it must."""
    client = Client()
    for at in range(0, len(case.frames), step):
        client.send(case.frames[at : at + step])
    await client.turns()
    code = client.wire.close_code
    if case.codes:
        return "" if code in case.codes else f"{code} instead of {sorted(case.codes)}"
    ids, pongs = tuple(json.loads(text)["id"] for text in client.texts), tuple(client.pings)
    return "" if (code, ids, pongs) == (None, case.ids, case.pongs) else f"{code}, {ids}, {pongs}"


@pytest.mark.parametrize("step", [1_000_000, 7])
@pytest.mark.parametrize("group", GROUPS)
async def test_frames_are_received_by_the_rules_of_the_rfc(group: str, step: int) -> None:
    failures = {name: await failure(case, step) for name, case in cases(group)}
    assert {name: reason for name, reason in failures.items() if reason} == {}


async def test_a_fault_closes_with_1011_and_is_logged(capsys: pytest.CaptureFixture[str]) -> None:
    client = Client()
    client.broken = True
    client.send(FRAME, FRAME)
    assert (client.wire.close_code, client.connection.failed) == (1011, True)
    assert capsys.readouterr().out.count("a frame failed") == 1


# --- pieces and pauses --------------------------------------------------------------------------------------------


async def test_a_piece_a_turn_is_received() -> None:
    """Meanwhile the transport is not read. All frames are received, in their order."""
    client, count = Client(), 4 * PIECE
    client.send(*[client_frame(TEXT, b"%d" % n) for n in range(count)])
    before = len(client.texts)
    assert 0 < before <= PIECE // 7 + 1
    assert not client.wire.reads
    await client.turns(2)
    assert before < len(client.texts) <= 3 * (PIECE // 7 + 1)
    client.send(client_frame(TEXT, b"last"))
    await client.turns()
    assert client.texts == [*[f"{n}" for n in range(count)], "last"]
    assert client.wire.reads


async def test_nothing_is_received_during_a_pause() -> None:
    client = Client()
    client.connection.pause()
    client.connection.pause()
    client.send(FRAME)
    client.connection.resume()
    assert (client.texts, client.wire.reads) == ([], False)
    client.connection.resume()
    assert (client.texts, client.wire.reads) == (["{}"], True)


def test_a_rest_follows_the_present_piece() -> None:
    """The longest of several counts."""

    async def scenario() -> None:
        client = Client()
        for seconds in (1.0, 2.0, 0.5):
            client.connection.rest(seconds)
        client.send(FRAME, FRAME)
        client.send(FRAME)
        await asyncio.sleep(1.9)
        assert (client.texts, client.wire.reads) == (["{}", "{}"], False)
        await asyncio.sleep(0.2)
        assert (client.texts, client.wire.reads) == (["{}"] * 3, True)

    in_virtual_time(scenario())


@pytest.mark.parametrize(
    ("frame", "count"),
    [
        (client_frame(CONTINUATION, b"", fin=False), int(BYTES.burst) // FRAME_BYTES),
        (client_frame(PONG, bytes(120)), int(BYTES.burst) // (126 + FRAME_BYTES) + 100),
    ],
    ids=["without content", "with content"],
)
async def test_bytes_beyond_the_credit_are_not_read(frame: bytes, count: int) -> None:
    """A frame without content costs too. Parts of one message cost no other credit."""
    client, free = Client(ByteMeter()), Client()
    for each in (client, free):
        each.send(client_frame(TEXT, b"", fin=False), *[frame] * count)
        await each.turns(count // 4 + 300)
    assert (client.wire.reads, free.wire.reads) == (False, True)


def test_a_rest_is_as_long_as_the_bytes_cost() -> None:
    meter = ByteMeter()
    wait_s = meter.charge(int(BYTES.burst) + 256 * 1024)
    assert wait_s == pytest.approx(256 * 1024 / BYTES.per_s, rel=0.05)
    assert meter.charge(1 << 30) == 10.0


# --- the end ------------------------------------------------------------------------------------------------------


def test_nothing_follows_our_close_frame() -> None:
    """What the client still sends is read and dropped: unread bytes would make the kernel reset the connection."""

    async def scenario() -> None:
        client = Client()
        connection, wire = client.connection, client.wire
        connection.pause()
        client.send(FRAME)
        connection.send(b"[]")
        connection.close(POLICY, "why")
        assert wire.written == [text_frame(b"[]"), close_frame(POLICY, "why")]
        assert (wire.shut, wire.reads, wire.aborted, connection.state) == (True, True, False, "closing")
        connection.resume()
        connection.pause()
        client.send(FRAME)
        client.send(FRAME, client_frame(CLOSE, b""), client_frame(3, b""))
        for push in (connection.send, connection.pong):
            push(b"{}")
        connection.ping(1.0)
        connection.close(1012, "again")
        await end_of_turn()
        assert (client.texts, len(wire.written), wire.reads) == ([], 2, True)
        await asyncio.sleep(CLOSE_S + 0.1)
        assert wire.aborted, "a client that does not end the connection is dropped"

    in_virtual_time(scenario())


def test_a_client_that_ends_the_connection_is_not_dropped() -> None:
    async def scenario() -> None:
        client = Client()
        client.connection.close(POLICY, "why")
        client.connection.connection_lost(None)
        client.connection.connection_lost(None)
        await client.connection.ended
        await asyncio.sleep(2 * CLOSE_S)
        assert not client.wire.aborted

    in_virtual_time(scenario())


@pytest.mark.parametrize(
    ("content", "answer"), [(b"\x03\xe8", 1000), (b"\x03\xe9why", 1001), (b"\x0f\xa0", 4000), (b"", 1000)]
)
async def test_a_clients_close_is_answered_with_its_code(content: bytes, answer: int) -> None:
    """1000 answers a Close frame without a code."""
    client = Client()
    client.send(client_frame(CLOSE, content), FRAME)
    client.send(FRAME)
    assert (client.texts, client.wire.written, client.wire.shut) == ([], [close_frame(answer, "")], True)


async def test_a_client_that_resets_the_connection_meets_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client()

    def reset() -> None:
        raise OSError("not connected")

    monkeypatch.setattr(client.wire, "write_eof", reset)
    client.connection.close(POLICY, "why")
    assert client.connection.state == "closing"
    client.connection.connection_lost(None)


async def test_the_outbox_of_a_slow_client_is_not_sent_after_the_close() -> None:
    client = Client()
    client.wire.unread_bytes = FULL_BYTES
    client.connection.send(b"waits")
    client.connection.close(POLICY, "why")
    client.wire.unread_bytes = 0  # it reads again
    await end_of_turn()
    assert client.wire.written == [close_frame(POLICY, "why")]
