"""The headers of a client's frames (RFC 6455, section 5.2), read before aiohttp parses the frames.

aiohttp accepts frames without a mask, and it does not report the parts of a message. This module finds the first and counts
the second.
"""

from __future__ import annotations

from typing import Final

MASKED: Final = 0x80


class UnmaskedFrameError(Exception):
    """A frame of a client has no mask. ``at`` is where it begins in the data."""

    def __init__(self, at: int) -> None:
        super().__init__("a frame of a client has no mask")
        self.at = at


class FrameHeaders:
    """Follows the frames of one client through the pieces in which their bytes arrive."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = 0
        """Bytes of the current frame, behind its length, that have not arrived yet."""

    def end_of(self, data: bytes, frames: int) -> tuple[int, int]:
        """Return where the next ``frames`` frames end in ``data``, and how many frames begin before that.

        Bytes before the end count as read, and the next call goes on behind them. The end is never within the length of a
        frame. Raise :class:`UnmaskedFrameError`.
        """
        size = len(data)
        at, count = min(self._left, size), 0
        self._left -= at
        while size - at >= 2 and count < frames:
            bits = data[at + 1]
            if not bits & MASKED:
                raise UnmaskedFrameError(at)
            length, start = bits & 0x7F, at + 2
            if length >= 126:
                start += 2 if length == 126 else 8
                if start > size:
                    break
                length = int.from_bytes(data[at + 2 : start])
            behind = start + 4 + length
            count += 1
            at = min(behind, size)
            self._left = behind - at
        return at, count
