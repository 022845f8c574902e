"""The headers of a client's frames, in parts of every size."""

from __future__ import annotations

import struct

import pytest

from noughts.app.delivery.frame_headers import FrameHeaders, MalformedFrameError
from tests.support.raw_websocket import BINARY, CONTINUATION, PING, TEXT, client_frame

FRAMES = [client_frame(TEXT, b"x" * size) for size in (0, 1, 125, 126, 5_000, 65_535, 65_536)]


@pytest.mark.parametrize("length", [1, 2, 3, 5, 7, 1_000, 70_000, 1 << 20])
def test_every_frame_is_counted_once_however_it_arrives(length: int) -> None:
    headers, data, count, rest = FrameHeaders(), b"".join(FRAMES), 0, b""
    for at in range(0, len(data), length):
        part = rest + data[at : at + length]
        end, frames = headers.end_of(part, 1 << 30)
        rest = part[end:]
        assert len(rest) < 10
        count += frames
    assert (count, rest) == (len(FRAMES), b"")


@pytest.mark.parametrize("size", [0, 1, 125])
def test_a_short_text_alone_is_one_frame(size: int) -> None:
    """Each time: nothing of it is left over for the next one."""
    headers, frame = FrameHeaders(), client_frame(TEXT, b"x" * size)
    for _ in range(2):
        assert headers.is_short_text(frame)
        assert headers.end_of(frame, 9) == (len(frame), 1)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x81",
        client_frame(TEXT, b"x" * 126),
        client_frame(TEXT, b"hello")[:-1],
        client_frame(TEXT, b"hello") + b"\x81",
        client_frame(TEXT, b"hello", fin=False),
        client_frame(TEXT, b"hello" + bytes(4), mask=False),
        client_frame(BINARY, b"hello"),
        client_frame(PING, b"hello"),
    ],
    ids=["nothing", "a byte", "longer", "too little", "too much", "not the last", "no mask", "binary", "ping"],
)
def test_what_is_not_one_short_text(data: bytes) -> None:
    """A longer text, a part of a text, more than a text, and every other frame."""
    assert not FrameHeaders().is_short_text(data)


def test_it_stops_between_two_frames() -> None:
    headers, one = FrameHeaders(), client_frame(PING, b"12345678")
    data = 10 * one
    assert headers.end_of(data, 4) == (4 * len(one), 4)
    assert headers.end_of(data[4 * len(one) :], 100) == (6 * len(one), 6)


def test_a_part_of_a_long_frame_that_looks_like_a_short_one_is_none() -> None:
    headers, short = FrameHeaders(), client_frame(TEXT, b"hello")
    long = client_frame(TEXT, 5_000 * b"x")
    assert headers.end_of(long[:1_000], 9) == (1_000, 1)
    assert not headers.is_short_text(short)
    assert headers.end_of(short, 9) == (len(short), 0)
    assert headers.end_of(long[1_000 + len(short) :] + short, 9) == (len(long) - 1_000, 1)


def test_a_short_text_within_a_message_in_parts_is_an_error() -> None:
    headers = FrameHeaders()
    headers.end_of(client_frame(TEXT, b"", fin=False), 9)
    assert not headers.is_short_text(client_frame(TEXT, b"hello"))
    with pytest.raises(MalformedFrameError):
        headers.end_of(client_frame(TEXT, b"hello"), 9)


@pytest.mark.parametrize("cut", range(3))
def test_a_frame_without_a_mask_is_found(cut: int) -> None:
    headers, good = FrameHeaders(), client_frame(TEXT, b"hello")
    data = good + client_frame(TEXT, b"hello", mask=False)
    read, _ = headers.end_of(data[:cut], 9)
    with pytest.raises(MalformedFrameError) as raised:
        headers.end_of(data[read:], 9)
    assert raised.value.at == len(good) - read


FORBIDDEN = {
    "a short length in two bytes": struct.pack("!BBH", 0x81, 0xFE, 125) + bytes(4 + 125),
    "a short length in eight bytes": struct.pack("!BBQ", 0x81, 0xFF, 65_535) + bytes(4 + 65_535),
    "a message within another": client_frame(TEXT, b"", fin=False) + client_frame(TEXT, b"hello"),
    "a binary message within another": client_frame(TEXT, b"", fin=False) + client_frame(BINARY, b""),
}


@pytest.mark.parametrize("kind", FORBIDDEN)
@pytest.mark.parametrize("length", [1, 3, 100_000])
def test_what_aiohttp_would_accept_is_found(kind: str, length: int) -> None:
    headers, data = FrameHeaders(), client_frame(TEXT, b"hello") + FORBIDDEN[kind]

    def feed() -> None:
        rest = b""
        for at in range(0, len(data), length):
            part = rest + data[at : at + length]
            end, _ = headers.end_of(part, 9)
            rest = part[end:]

    with pytest.raises(MalformedFrameError):
        feed()


def test_parts_and_control_frames_are_accepted() -> None:
    frames = [
        client_frame(TEXT, b"", fin=False),
        client_frame(PING, b"between"),
        client_frame(CONTINUATION, b"", fin=False),
        client_frame(CONTINUATION, b"end"),
        client_frame(BINARY, b"", fin=False),
        client_frame(CONTINUATION, b""),
        client_frame(TEXT, b"whole"),
    ]
    assert FrameHeaders().end_of(b"".join(frames), 99) == (sum(map(len, frames)), len(frames))
