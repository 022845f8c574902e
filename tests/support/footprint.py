"""What a server in a process of its own takes: memory, descriptors, and rows of its file."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.server import RunningServer

PASSING: Final = frozenset(("alive", "downtimes", "writer"))
"""Tables whose rows say how the server fared."""


class Footprint(NamedTuple):
    """The resident memory of the server's main process, its descriptors, and the rows that clients made."""

    resident_kib: int
    descriptors: int
    rows: int

    def __str__(self) -> str:
        return f"{self.resident_kib / 1024:.0f} MiB, {self.descriptors} descriptors, {self.rows} rows"


def rss_kib(pid: int) -> int:
    """Return the resident memory of a process, in KiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise LookupError(pid)


def descriptors(pid: int) -> int:
    """Return how many descriptors a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def rows(file: Path) -> int:
    """Return the number of rows in a file that visitors can make."""
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as store:
        tables = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        counts = [store.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in set(tables) - PASSING]
    return int(sum(counts))


def footprint(server: RunningServer) -> Footprint:
    """Return what a server takes now."""
    return Footprint(rss_kib(server.pid), descriptors(server.pid), rows(server.data / "noughts.db"))


def largest(samples: list[Footprint]) -> Footprint:
    """Return the most of each figure."""
    return Footprint(*(max(figures) for figures in zip(*samples, strict=True)))
