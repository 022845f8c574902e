"""WebSocket frames of a server (RFC 6455, section 5.2). They are not masked, so one frame serves every client."""

from __future__ import annotations

from struct import Struct
from typing import Final

MAX_CONTROL_PAYLOAD: Final = 125
_SHORT_HEADS: Final = tuple([bytes((0x81, size)) for size in range(126)])
_longer_head: Final = Struct(">HH").pack


def text_frame(payload: bytes) -> bytes:
    """Return one unfragmented text frame::

    0x81 | length, 7 bits                 up to 125 bytes
    0x81 | 126 | length, 16 bits          up to 65,535
    0x81 | 127 | length, 64 bits          beyond
    """
    size = len(payload)
    if size < 126:
        return _SHORT_HEADS[size] + payload
    if size < 65_536:
        return _longer_head(0x817E, size) + payload
    return b"\x81\x7f" + size.to_bytes(8, "big") + payload


def close_frame(code: int, reason: str) -> bytes:
    """Return a Close frame with a close code and a reason of at most 123 bytes."""
    payload = code.to_bytes(2, "big") + reason.encode()[: MAX_CONTROL_PAYLOAD - 2]
    return b"\x88" + bytes((len(payload),)) + payload


def ping_frame(payload: bytes) -> bytes:
    """Return a Ping frame with at most 125 bytes of payload."""
    return b"\x89" + bytes((len(payload),)) + payload


def pong_frame(payload: bytes) -> bytes:
    """Return a Pong frame with at most 125 bytes of payload."""
    return b"\x8a" + bytes((len(payload),)) + payload
