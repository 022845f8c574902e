"""One object fulfils all contracts, with one file and one writer."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from noughts.store.contract import SchemaError, Store, StoredPlayer, StoreUnavailableError
from noughts.store.sqlite.migration import Migration
from noughts.store.sqlite.store import SqliteStore
from tests.support.commits import commit, new_room
from tests.support.statuses import STATUS


async def test_all_contracts_share_one_file(tmp_path: Path) -> None:
    store: Store = SqliteStore(tmp_path / "data" / "noughts.db")
    await store.open()
    await commit(store, new_room())
    await store.add_player(StoredPlayer("p_ann", "Ann", 1), b"hash")
    await store.ban("203.0.113.9")
    await store.beat(STATUS, 10)
    await store.close()
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["noughts.db"]
    with closing(sqlite3.connect(tmp_path / "data" / "noughts.db")) as db:
        counts = [
            db.execute(f"SELECT count(*) FROM {table}").fetchone() for table in ("rooms", "players", "bans", "alive")
        ]
    assert counts == [(1,)] * 4


async def test_all_contracts_share_one_commit(tmp_path: Path) -> None:
    """Requests of one turn of the event loop are one transaction, whatever they are about."""
    store = SqliteStore(tmp_path / "noughts.db")
    await store.open()
    before = store.commits
    await asyncio.gather(
        commit(store, new_room()), store.ban("203.0.113.9"), store.beat(STATUS, 10), store.player_count()
    )
    assert store.commits == before + 1
    await store.close()


async def test_the_migration_is_that_of_the_caller(tmp_path: Path) -> None:
    path = tmp_path / "noughts.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE rooms(of_yesterday)")
        db.execute("CREATE TABLE players(of_yesterday)")
        db.execute("PRAGMA user_version=1")
    lines: list[str] = []
    with pytest.raises(SchemaError, match="older version"):
        await SqliteStore(path).open()
    store = SqliteStore(path, Migration(bytes, bytes, lines.append))
    with pytest.raises(StoreUnavailableError, match="no such index"):  # it starts, and finds none of the old tables
        await store.open()
    assert "is copied to" in lines[0]
