"""Frames of a client, made up by rule from RFC 6455, sections 5 to 8, each with what the server must do.

The frames follow a hello to the lobby. Where a case has no close code, the connection must live on, and the server must
answer the commands and the Pings of the case.
"""

from __future__ import annotations

import itertools
import json
import struct
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from noughts.app.runtime.limits import MAX_FRAME
from tests.support.raw_websocket import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, client_frame

DATA: Final = (CONTINUATION, TEXT, BINARY)
CONTROL: Final = (CLOSE, PING, PONG)
RESERVED: Final = (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)
MAX_CONTROL: Final = 125
"""The largest content of a control frame, in bytes."""

SAID: Final = "κόσμε€😀"
"""Characters of two, three and four bytes."""
NOT_UTF_8: Final = {
    "a lone continuation": "80",
    "two continuations": "bf 80",
    "an overlong slash": "c0 af",
    "an overlong end of ASCII": "c1 bf",
    "an overlong slash in three bytes": "e0 80 af",
    "the last overlong in three bytes": "e0 9f bf",
    "an overlong slash in four bytes": "f0 80 80 af",
    "the last overlong in four bytes": "f0 8f bf bf",
    "the first surrogate": "ed a0 80",
    "the last surrogate": "ed bf bf",
    "a pair of surrogates": "ed a1 8c ed be b4",
    "beyond Unicode": "f4 90 80 80",
    "far beyond Unicode": "f5 80 80 80",
    "five bytes": "f8 88 80 80 80",
    "six bytes": "fc 84 80 80 80 80",
    "a byte that never occurs": "fe",
    "another byte that never occurs": "ff",
    "two bytes with one missing": "ce",
    "three bytes with two missing": "e2",
    "three bytes with one missing": "e2 82",
    "four bytes with three missing": "f0",
    "four bytes with two missing": "f0 9f",
    "four bytes with one missing": "f0 9f 98",
    "an interrupted character": "e2 82 41",
}


class Case(NamedTuple):
    """Frames, and what follows: one of these close codes, or answers to commands with these ids and Pongs."""

    frames: bytes
    codes: frozenset[int] = frozenset()
    ids: tuple[str, ...] = ()
    pongs: tuple[bytes, ...] = ()


def command(name: str, size: int = 0) -> bytes:
    """Return a command of the type ping with this id, padded with spaces to a size in bytes."""
    return json.dumps({"type": "ping", "id": name}, ensure_ascii=False).encode().ljust(size)


def parts(opcode: int, *contents: bytes) -> list[bytes]:
    """Return the frames of one message in parts."""
    last = len(contents) - 1
    return [client_frame(CONTINUATION if n else opcode, part, fin=n == last) for n, part in enumerate(contents)]


def message(*contents: bytes, opcode: int = TEXT) -> bytes:
    return b"".join(parts(opcode, *contents))


def closes(*codes: int, frames: bytes) -> Case:
    return Case(frames, frozenset(codes))


def declared(opcode: int, size: int, form: int) -> bytes:
    """Return the head of a frame with its length in a form of 2 or 8 bytes, and a mask of zeros."""
    flag = 126 if form == 2 else 127
    return struct.pack("!BB", 0x80 | opcode, 0x80 | flag) + size.to_bytes(form, "big") + bytes(4)


def _reserved_bits() -> Iterator[tuple[str, Case]]:
    for opcode, bits in itertools.product((*DATA, *CONTROL), range(1, 8)):
        yield (
            f"opcode {opcode}, reserved bits {bits:03b}",
            closes(1002, frames=client_frame(opcode, b"", reserved=bits)),
        )
    for bits in range(1, 8):
        first = client_frame(TEXT, b"{", fin=False, reserved=bits)
        yield f"the first part with reserved bits {bits:03b}", closes(1002, frames=first)


def _reserved_opcodes() -> Iterator[tuple[str, Case]]:
    for opcode, fin, size in itertools.product(RESERVED, (True, False), (0, 1, MAX_CONTROL)):
        frame = client_frame(opcode, bytes(size), fin=fin)
        yield f"opcode {opcode}, {size} bytes, {'whole' if fin else 'a part'}", closes(1002, frames=frame)


def _masks() -> Iterator[tuple[str, Case]]:
    for opcode, size in itertools.product((*DATA, *CONTROL), (0, 1, 125, 126, MAX_FRAME)):
        if opcode in DATA or size <= MAX_CONTROL:
            frame = client_frame(opcode, bytes(size), mask=False)
            yield f"opcode {opcode} without a mask, {size} bytes", closes(1002, frames=frame)
    for extra in range(16):
        content = command("masked")
        yield f"a mask over {extra} more bytes", Case(message(content.ljust(len(content) + extra)), ids=("masked",))
    content = command("zeros")
    yield "a mask of zeros", Case(struct.pack("!BB", 0x81, 0x80 | len(content)) + bytes(4) + content, ids=("zeros",))


def _lengths() -> Iterator[tuple[str, Case]]:
    for size in (125, 126, 127, 128, 255, 256, 1_000, 4_095, 4_096, MAX_FRAME - 1, MAX_FRAME):
        yield f"{size} bytes", Case(message(command("sized", size)), ids=("sized",))
    for opcode, size in itertools.product((TEXT, BINARY), (8_193, 8_194, 10_000, 65_535, 65_536, 70_000)):
        yield f"opcode {opcode}, {size} bytes", closes(1009, frames=client_frame(opcode, bytes(size)))
    for size in (1 << 17, 1 << 31, 1 << 32, 1 << 62, (1 << 63) - 1):
        yield f"{size} bytes that never come", closes(1009, frames=declared(TEXT, size, 8))
    for size in (1 << 63, (1 << 64) - 1):
        yield f"{size} bytes, the highest bit set", closes(1002, 1009, frames=declared(TEXT, size, 8))
    for size, form in ((0, 2), (1, 2), (125, 2), (0, 8), (1, 8), (125, 8), (126, 8), (MAX_FRAME, 8), (65_535, 8)):
        for opcode in (TEXT, BINARY):
            frames = declared(opcode, size, form) + bytes(size)
            yield f"opcode {opcode}, {size} bytes, their number in {form}", closes(1002, frames=frames)
    for opcode, form in itertools.product(CONTROL, (2, 8)):
        frames = declared(opcode, 5, form) + bytes(5)
        yield f"opcode {opcode}, 5 bytes, their number in {form}", closes(1002, frames=frames)


def _fragments() -> Iterator[tuple[str, Case]]:
    whole = command("parts")
    for at in range(len(whole) + 1):
        yield f"two parts, cut at {at}", Case(message(whole[:at], whole[at:]), ids=("parts",))
    for n, contents in enumerate(
        [(b"", b"", whole), (whole, b"", b""), (b"", whole, b""), [bytes((b,)) for b in whole]]
    ):
        yield f"parts, arrangement {n}", Case(message(*contents), ids=("parts",))
    first, last = parts(TEXT, whole[:9], whole[9:])
    ping, pong, close = client_frame(PING, b"between"), client_frame(PONG, b"for nothing"), client_frame(CLOSE, b"")
    yield "a Ping between parts", Case(first + ping + last, ids=("parts",), pongs=(b"between",))
    yield "a Pong between parts", Case(first + pong + last, ids=("parts",))
    yield "a Close between parts", closes(1000, frames=first + close + last)
    for fin, content in itertools.product((True, False), (b"", b"more")):
        frame = client_frame(CONTINUATION, content, fin=fin)
        yield f"a continuation of nothing, {content!r}, {fin}", closes(1002, frames=frame)
        yield f"a continuation after the end, {content!r}, {fin}", closes(1002, frames=first + last + frame)
        for outer, inner in itertools.product((TEXT, BINARY), (TEXT, BINARY)):
            for begun in (b"", b"{"):
                frames = client_frame(outer, begun, fin=False) + client_frame(inner, content, fin=fin)
                yield f"opcode {inner} within {outer}, {begun!r} {content!r} {fin}", closes(1002, frames=frames)
    for opcode, size in itertools.product(CONTROL, (0, 4)):
        frame = client_frame(opcode, bytes(size), fin=False)
        yield f"a part of opcode {opcode}, {size} bytes", closes(1002, frames=frame)
        yield f"a part of opcode {opcode}, {size} bytes, within", closes(1002, frames=first + frame)
    for size in (0, 1, 125, 126, MAX_FRAME):
        yield f"binary, {size} bytes", closes(1008, frames=client_frame(BINARY, bytes(size)))
    yield "binary in parts", closes(1008, frames=message(b"1", b"2", opcode=BINARY))
    yield "empty and binary in parts", closes(1008, frames=message(b"", b"", opcode=BINARY))
    half = MAX_FRAME // 2
    yield "as much as a message may have, in parts", Case(message(command("parts", half), half * b" "), ids=("parts",))
    for sizes in ((half, half + 1), (MAX_FRAME, 1), (1, MAX_FRAME), (0, MAX_FRAME + 1), 9 * (1_000,)):
        yield f"too much in parts of {sizes}", closes(1009, frames=message(*(size * b" " for size in sizes)))


def _controls() -> Iterator[tuple[str, Case]]:
    for content in (b"", b"1", b"22", 63 * b"x", 124 * b"x", 125 * b"x", bytes(range(125)), b"\xff\xfe\x80"):
        yield f"a Ping with {content[:4]!r}, {len(content)} bytes", Case(client_frame(PING, content), pongs=(content,))
        yield f"a Pong with {content[:4]!r}, {len(content)} bytes", Case(client_frame(PONG, content))
    for opcode, size in itertools.product(CONTROL, (126, 127, 200, 1_000, 65_535, 65_536)):
        yield f"opcode {opcode}, {size} bytes", closes(1002, frames=client_frame(opcode, bytes(size)))
    several = [f"{n}".encode() for n in range(9)]
    yield "nine Pings", Case(b"".join(client_frame(PING, content) for content in several), pongs=tuple(several))


def _closes() -> Iterator[tuple[str, Case]]:
    sent = (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999)
    never = (0, 1, 500, 999, 1004, 1005, 1006, 1015, 1016, 1100, 1999, 2000, 2999, 5000, 9999, 65_535)
    for code in sent:
        yield f"close code {code}", closes(code, frames=client_frame(CLOSE, struct.pack("!H", code)))
    for code in never:
        yield f"close code {code}, never sent", closes(1002, frames=client_frame(CLOSE, struct.pack("!H", code)))
    normal = struct.pack("!H", 1000)
    yield "a Close without a code", closes(1000, frames=client_frame(CLOSE, b""))
    yield "a Close with half a code", closes(1002, frames=client_frame(CLOSE, b"\x03"))
    for reason in ("a", 122 * "x", 123 * "x", SAID, 30 * "😀"):
        yield (
            f"a Close because {reason[:8]}, {len(reason)}",
            closes(1000, frames=client_frame(CLOSE, normal + reason.encode())),
        )
    for kind, content in NOT_UTF_8.items():
        frame = client_frame(CLOSE, normal + bytes.fromhex(content))
        yield f"a Close because of {kind}", closes(1007, frames=frame)
    close = client_frame(CLOSE, normal)
    yield "commands after a Close", closes(1000, frames=close + 5 * message(command("late")))
    yield "another Close after a Close", closes(1000, frames=close + client_frame(CLOSE, struct.pack("!H", 1001)))
    yield "a malformed frame after a Close", closes(1000, 1002, frames=close + client_frame(3, b""))


def _texts() -> Iterator[tuple[str, Case]]:
    whole = command(SAID)
    begin = whole.index(SAID.encode())
    for at in range(begin, begin + len(SAID.encode()) + 1):
        yield f"characters cut at {at}", Case(message(whole[:at], whole[at:]), ids=(SAID,))
    for kind, content in NOT_UTF_8.items():
        sequence = bytes.fromhex(content)
        text = whole[:begin] + sequence + b'"}'
        yield f"{kind}, whole", closes(1007, frames=message(text))
        yield f"{kind} at the end", closes(1007, frames=message(sequence))
        for at in range(1, len(sequence)):
            cut = begin + at
            yield f"{kind}, cut at {at}", closes(1007, frames=message(text[:cut], text[cut:]))


GROUPS: Final = {
    "reserved bits": _reserved_bits,
    "reserved opcodes": _reserved_opcodes,
    "masks": _masks,
    "lengths": _lengths,
    "fragments": _fragments,
    "control frames": _controls,
    "closes": _closes,
    "texts": _texts,
}


def cases(group: str) -> Sequence[tuple[str, Case]]:
    """Return the cases of a group, each with a name of its own."""
    return list(GROUPS[group]())
