"""Frames against the layout that RFC 6455 draws in section 5.2, and what is read of them against the library alone."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pytest
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

from noughts.app.delivery.frames import BrokenFrameError, FrameReader, Received
from noughts.app.delivery.sender import Flusher, close_frame, control_frame, text_frame
from noughts.app.runtime.limits import MAX_FRAME
from tests.support.raw_websocket import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, client_frame
from tests.support.wire import Wire, connection_to

# --- frames of the server -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "head"),
    [
        (0, b"\x81\x00"),
        (1, b"\x81\x01"),
        (125, b"\x81\x7d"),
        (126, b"\x81\x7e\x00\x7e"),
        (65_535, b"\x81\x7e\xff\xff"),
        (65_536, b"\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00"),
    ],
)
def test_the_head_of_a_text_frame_gives_its_length(size: int, head: bytes) -> None:
    payload = b"x" * size
    assert text_frame(payload) == head + payload


@pytest.mark.parametrize(
    ("frame", "data"),
    [
        (control_frame(Opcode.PING, b"12345678"), b"\x89\x0812345678"),
        (control_frame(Opcode.PONG, b""), b"\x8a\x00"),
        (control_frame(Opcode.PONG, b"x" * 125), b"\x8a\x7d" + b"x" * 125),
        (close_frame(4503, "too slow"), b"\x88\x0a\x11\x97too slow"),
        (close_frame(4503, "x" * 500), b"\x88\x7d\x11\x97" + b"x" * 123),
    ],
    ids=lambda data: repr(data[:8]),
)
def test_a_control_frame_has_at_most_125_bytes_of_payload(frame: bytes, data: bytes) -> None:
    """A longer reason of a Close frame is cut."""
    assert frame == data


# --- frames of a client -------------------------------------------------------------------------------------------

STREAMS = {
    "texts": [(TEXT, b""), (TEXT, b'{"type":"ping","id":"1"}'), (TEXT, "κόσμε€😀".encode()), (TEXT, b"x" * 126)],
    "controls": [
        (PING, b""),
        (TEXT, b"{}"),
        (PONG, b"\xff" * 125),
        (PING, b"1"),
        (CLOSE, b"\x03\xe8bye"),
        (TEXT, b"late"),
    ],
    "binary": [(BINARY, b"\0\xff"), (TEXT, b"after"), (CLOSE, b"")],
    "not UTF-8": [(TEXT, b"before"), (TEXT, b"\xce"), (TEXT, b"after")],
}
"""Frames of whole messages, by opcode and content."""
PARTS = [
    client_frame(TEXT, "κό".encode()[:3], fin=False),
    client_frame(PING, b"between"),
    client_frame(CONTINUATION, "κό".encode()[3:], fin=False),
    client_frame(CONTINUATION, b""),
    client_frame(BINARY, b"", fin=False),
    client_frame(CONTINUATION, b"2"),
    client_frame(TEXT, b"behind"),
]
STRICTER = ("a control frame is too long", "the length of a frame has a longer form than it needs")
"""Reasons for which the reader closes with 1002 where the library reads on, or closes with 1009."""


class Reading(NamedTuple):
    """What was read: messages, Pings and Pongs, then the code for the Close frame, and why."""

    received: list[tuple[Opcode, object]]
    code: int | None = None
    reason: str = ""


def pieces(data: bytes, cuts: Iterable[int]) -> Iterator[bytes]:
    """Yield the data cut at some places."""
    begin = 0
    for cut in (*cuts, len(data)):
        yield data[begin:cut]
        begin = cut


def read(data: bytes, *cuts: int) -> Reading:
    """Return what the reader makes of the data, which arrives in pieces."""
    reader, received = FrameReader(), list[Received]()
    for piece in pieces(data, cuts):
        reader.feed(piece)
        try:
            while (frame := reader.next_frame()) is not None:
                if frame[0] is Opcode.CLOSE:
                    return Reading(received, frame[1])
                if frame[0] is not Opcode.CONT:
                    received.append(frame)
        except BrokenFrameError as error:
            return Reading(received, error.code, error.reason)
    return Reading(received)


class Client:
    """Receives the frames of one client."""

    def __init__(self) -> None:
        self.received: list[tuple[Opcode, object]] = []

    def text_received(self, text: str) -> None:
        self.received.append((Opcode.TEXT, text))

    def ping_received(self, payload: bytes) -> None:
        self.received.append((Opcode.PING, payload))

    def pong_received(self, payload: bytes) -> None:
        self.received.append((Opcode.PONG, payload))


async def read_by_connection(data: bytes, *cuts: int) -> Reading:
    """Return what a connection makes of the data, which arrives in pieces."""
    wire, client = Wire(), Client()
    connection = connection_to(wire, Flusher())
    connection.receiver = client
    for piece in pieces(data, cuts):
        connection.data_received(piece)
        while not wire.reads:  # noqa: ASYNC110 - the rest of a long piece is read in later turns
            await asyncio.sleep(0)
    reason = wire.written[-1][4:].decode() if wire.written else ""
    connection.connection_lost(None)
    return Reading(client.received, wire.close_code, reason)


def read_by_library(data: bytes) -> Reading:
    """Return what the library alone makes of the data: the oracle."""
    protocol = ServerProtocol(max_size=MAX_FRAME, state=State.OPEN)
    protocol.receive_data(data)
    received: list[tuple[Opcode, object]] = []
    kind, parts = Opcode.CONT, b""
    for event in protocol.events_received():
        assert isinstance(event, Frame)
        if event.opcode in (Opcode.PING, Opcode.PONG):
            received.append((event.opcode, bytes(event.data)))
            continue
        if event.opcode is Opcode.CLOSE:
            assert protocol.close_rcvd is not None
            return Reading(received, 1000 if protocol.close_rcvd.code == 1005 else protocol.close_rcvd.code)
        kind = kind if event.opcode is Opcode.CONT else event.opcode
        parts += event.data
        if event.fin:
            try:
                received.append((kind, parts.decode() if kind is Opcode.TEXT else parts))
            except UnicodeDecodeError:
                return Reading(received, 1007)
            parts = b""
    code = protocol.close_sent.code if protocol.close_sent is not None else None
    return Reading(received, code, str(protocol.parser_exc or ""))


def assert_alike(ours: Reading, theirs: Reading) -> None:
    """Check that the reader does as the library, or is stricter for a known reason."""
    if ours.reason in STRICTER:
        assert ours.received == theirs.received[: len(ours.received)]
        return
    assert ours.received == theirs.received
    if "incomplete fragmented message" in theirs.reason:  # RFC 6455 lets control frames come between parts
        assert ours.code is not None
    else:
        assert ours.code == theirs.code


async def check(data: bytes, *cuts: int) -> None:
    """Check that the reader, and a connection, read what the library alone reads. A connection takes no binary message."""
    theirs = read_by_library(data)
    assert_alike(read(data, *cuts), theirs)
    kinds = [kind for kind, _ in theirs.received]
    if Opcode.BINARY in kinds:
        theirs = Reading(theirs.received[: kinds.index(Opcode.BINARY)], 1008)
    assert_alike(await read_by_connection(data, *cuts), theirs)


def stream(name: str) -> bytes:
    return b"".join(client_frame(opcode, content) for opcode, content in STREAMS[name])


@pytest.mark.parametrize("name", [*STREAMS, "parts"])
async def test_frames_cut_at_any_byte_are_read_as_by_the_library_alone(name: str) -> None:
    data = b"".join(PARTS) if name == "parts" else stream(name)
    assert read_by_library(data).received
    await check(data)
    await check(data, *range(len(data)))
    for cut in range(len(data)):
        await check(data, cut)


@pytest.mark.parametrize("seed", range(20))
async def test_mutated_frames_are_read_as_by_the_library_alone(seed: int) -> None:
    """Bytes are changed, lost, added and doubled. Each stream closes with a code, or waits for more, as the library does."""
    rng = random.Random(seed)
    for _ in range(100):
        data = bytearray(b"".join(rng.choices([*PARTS, *map(stream, STREAMS)], k=3)))
        for _ in range(rng.randint(1, 4)):
            at, byte = rng.randrange(len(data)), rng.randrange(256)
            data[at : at + rng.randint(0, 1)] = rng.choice(
                (b"", bytes((byte,)), bytes((data[at] ^ 1 << byte % 8,)), data[at:][:9])
            )
        cuts = sorted(rng.sample(range(len(data)), 3))
        await check(bytes(data), *cuts)


def test_a_control_frame_is_no_part_of_the_message_around_it() -> None:
    """The largest message may have a Ping between its parts. The library counts the Ping as a part of it."""
    first, ping = client_frame(TEXT, b"x" * MAX_FRAME, fin=False), client_frame(PING, b"1")
    data = first + ping + client_frame(CONTINUATION, b"")
    assert read(data).received == [(Opcode.PING, b"1"), (Opcode.TEXT, "x" * MAX_FRAME)]
    assert read_by_library(data).code == 1009


SHORT = client_frame(TEXT, b"{}")


@pytest.mark.parametrize(
    "frames",
    [
        [client_frame(TEXT, b"x" * 40)[:20], SHORT, b"x" * 6],
        [client_frame(TEXT, b"a", fin=False), SHORT],
        [client_frame(TEXT, b"a", fin=False), client_frame(PING, b""), SHORT],
        [SHORT, SHORT[:3], SHORT[3:], SHORT, client_frame(PING, b""), SHORT, client_frame(TEXT, b"\xce"), SHORT],
        [client_frame(TEXT, b"a", fin=False), client_frame(CONTINUATION, b"b"), SHORT, SHORT + SHORT, SHORT],
    ],
    ids=["within a frame", "within a message", "behind a Ping in it", "between others", "after parts"],
)
async def test_a_piece_like_a_short_text_is_one_only_between_messages(frames: list[bytes]) -> None:
    data = b"".join(frames)
    cuts = itertools.accumulate(map(len, frames[:-1]))
    await check(data, *cuts)
