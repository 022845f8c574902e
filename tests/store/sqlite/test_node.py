"""A beat proves that the disk takes a write."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from noughts.store.sqlite.store import SqliteStore
from tests.support.statuses import STATUS


async def test_each_beat_writes(tmp_path: Path) -> None:
    """SQLite leaves out an update that changes nothing, so a beat of that kind would prove nothing."""
    store = SqliteStore(tmp_path / "noughts.db")
    await store.open()
    with closing(sqlite3.connect(tmp_path / "noughts.db")) as observer:
        for _ in range(3):
            before = observer.execute("PRAGMA data_version").fetchone()
            await store.beat(STATUS, 10)
            assert observer.execute("PRAGMA data_version").fetchone() != before
    await store.close()
