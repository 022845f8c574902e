"""While a backup read the data file, its log grew, and it kept that size for good: the disk of a small server was full."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from noughts.store.sqlite import database_file
from noughts.store.sqlite.store import SqliteStore

LIMIT = 100_000
GROWN = 40 * 8_192


async def test_the_log_shrinks_when_nobody_reads_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_file, "LOG_BYTES", LIMIT)
    store, log = SqliteStore(tmp_path / "noughts.db"), tmp_path / "noughts.db-wal"
    await store.open()
    with closing(sqlite3.connect(tmp_path / "noughts.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM players").fetchone()
        for number in range(40):
            await store.secret(f"s{number}", 8_192 * b"x")
        assert log.stat().st_size > GROWN
        reader.execute("COMMIT")
        reader.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
    await store.secret("one more", b"x")
    assert log.stat().st_size <= LIMIT
    await store.close()
