"""Reads the write-ahead log of a database without SQLite.

The layout and the checksum are those of SQLite's documentation, "Database File Format", section 4.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_LOG_HEADER: Final = 32
_FRAME_HEADER: Final = 24
_LOG_MAGIC: Final = {0x377F0682: "<", 0x377F0683: ">"}
"""The beginning of a log, and the byte order of its checksums."""


def committed_pages(path: Path, size: int) -> Mapping[int, bytes]:
    """Return the pages that were committed to the log. What follows a frame with a wrong checksum was not committed."""
    try:
        log = path.read_bytes()
    except OSError:
        return {}
    if len(log) < _LOG_HEADER:
        return {}
    magic, _, page_size, _, salt_1, salt_2, *checksum = struct.unpack(">8I", log[:_LOG_HEADER])
    order = _LOG_MAGIC.get(magic)
    sums = _checksum(order or "<", log[: _LOG_HEADER - 8], (0, 0))
    if order is None or page_size != size or sums != tuple(checksum):
        return {}
    pages: dict[int, bytes] = {}
    pending: dict[int, bytes] = {}
    for start in range(_LOG_HEADER, len(log) - _FRAME_HEADER - size + 1, _FRAME_HEADER + size):
        number, commit, frame_1, frame_2, *checksum = struct.unpack(">6I", log[start : start + _FRAME_HEADER])
        page = log[start + _FRAME_HEADER : start + _FRAME_HEADER + size]
        sums = _checksum(order, page, _checksum(order, log[start : start + 8], sums))
        if (frame_1, frame_2) != (salt_1, salt_2) or sums != tuple(checksum):
            break
        pending[number] = page
        if commit:
            pages |= pending
            pending = {}
    return pages


def _checksum(order: str, data: bytes, start: tuple[int, int]) -> tuple[int, int]:
    """Return the checksum of a log up to here. It is that of section 4.2, over pairs of 32-bit words."""
    first, second = start
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for i in range(0, len(words), 2):
        first = first + words[i] + second & 0xFFFFFFFF
        second = second + words[i + 1] + first & 0xFFFFFFFF
    return first, second
