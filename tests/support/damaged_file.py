"""Damage to single pages of a database file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final

PAGE: Final = 4096
"""Bytes in a page."""
ROWS: Final = 13
"""The first byte of a page with rows, and not with entries of an index."""
DAMAGE: Final[dict[str, Callable[[bytes, Random], bytes]]] = {
    "zeros": lambda page, random: bytes(PAGE),
    "noise": lambda page, random: random.randbytes(PAGE),
    "head": lambda page, random: random.randbytes(64) + page[64:],
}
"""What becomes of a page: a sector that was never written, one with other content, and one whose beginning is lost."""


def page_count(path: Path) -> int:
    """Return the number of pages of a file, and empty its log."""
    with closing(sqlite3.connect(path)) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.stat().st_size // PAGE


def damage(path: Path, number: int, kind: str, random: Random) -> None:
    """Damage a page in place. The first page has number 1."""
    with path.open("r+b") as file:
        file.seek((number - 1) * PAGE)
        page = file.read(PAGE)
        file.seek((number - 1) * PAGE)
        file.write(DAMAGE[kind](page, random))


def page_with(path: Path, text: bytes) -> int:
    """Return the number of the first page that has rows, and some bytes among them. Raise StopIteration if there is none."""
    content = path.read_bytes()
    starts = range(PAGE, len(content), PAGE)
    return next(
        start // PAGE + 1 for start in starts if content[start] == ROWS and text in content[start : start + PAGE]
    )
