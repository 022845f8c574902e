"""The headers of a client's frames (RFC 6455, section 5.2), read before aiohttp parses the frames.

aiohttp does not report the parts of a message, which this module counts. aiohttp also accepts some frames that the RFC
forbids. This module finds them: frames without a mask, lengths in a longer form than they need, and a new message within
another whose first part was empty.
"""

from __future__ import annotations

from typing import Final

MASKED: Final = 0x80
FINAL: Final = 0x80
TEXT: Final = 1
BINARY: Final = 2
SHORT_START: Final = 6
"""Where the payload of a short frame begins: behind its head of two bytes and its mask of four."""
_WHOLE_TEXT: Final = FINAL | TEXT
_LEAST_IN_2_BYTES: Final = 126
_LEAST_IN_8_BYTES: Final = 65_536


class MalformedFrameError(Exception):
    """A frame of a client breaks the protocol. ``at`` is where it begins in the data."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(reason)
        self.at = at


class FrameHeaders:
    """Follows the frames of one client through the pieces in which their bytes arrive."""

    __slots__ = ("_in_parts", "_left")

    def __init__(self) -> None:
        self._left = 0
        """Bytes of the current frame, behind its length, that have not arrived yet."""
        self._in_parts = False
        """Whether a message has begun whose last part has not."""

    def is_short_text(self, data: bytes) -> bool:
        """Return whether the data is one whole text of up to 125 bytes and nothing else, as almost always."""
        size = len(data) - SHORT_START
        return (
            0 <= size < _LEAST_IN_2_BYTES
            and data[0] == _WHOLE_TEXT
            and data[1] == MASKED | size
            and not self._left
            and not self._in_parts
        )

    def end_of(self, data: bytes, frames: int) -> tuple[int, int]:
        """Return where the next ``frames`` frames end in ``data``, and how many frames begin before that.

        Bytes before the end count as read, and the next call goes on behind them. The end is never within the length of a
        frame. Raise :class:`MalformedFrameError`.
        """
        size = len(data)
        at, count = min(self._left, size), 0
        self._left -= at
        while size - at >= 2 and count < frames:
            first, bits = data[at], data[at + 1]
            if not bits & MASKED:
                raise MalformedFrameError(at, "a frame of a client has no mask")
            length, start = bits & 0x7F, at + 2
            if length >= 126:
                least = _LEAST_IN_2_BYTES if length == 126 else _LEAST_IN_8_BYTES
                start += 2 if length == 126 else 8
                if start > size:
                    break
                length = int.from_bytes(data[at + 2 : start])
                if length < least:
                    raise MalformedFrameError(at, "the length of a frame has a longer form than it needs")
            if first != _WHOLE_TEXT or self._in_parts:
                self._follow(first, at)
            behind = start + 4 + length
            count += 1
            at = min(behind, size)
            self._left = behind - at
        return at, count

    def _follow(self, first: int, at: int) -> None:
        """Follow the parts of a message. Control frames may come between them."""
        opcode = first & 0x0F
        if opcode > BINARY:
            return
        if opcode and self._in_parts:
            raise MalformedFrameError(at, "a message begins within another")
        self._in_parts = not first & FINAL
