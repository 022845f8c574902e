"""What is SQLite's own: group commit, the schema, a store that is not open."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing

import pytest

from noughts.room.record import SCHEMA
from noughts.store.contract import Change, Found, StoredPlayer, StoreUnavailableError
from noughts.store.sqlite_store import MAX_BATCH, SchemaError, SqliteStore

FOUND = Found(1_000, None, "classic", ())


@pytest.fixture
async def store(tmp_path):
    store = SqliteStore(tmp_path / "noughts.db")
    await store.open()
    yield store
    await store.close()


async def test_many_changes_share_a_commit(store):
    before = store.batches
    stored = await asyncio.gather(*[store.commit(Change(f"r{i}", 1, 0, b"one", FOUND)) for i in range(1_000)])
    assert all(stored)
    assert store.batches - before <= 20


async def test_a_batch_of_nothing_but_poison(store):
    asked = [store.rename("p_ann", "\ud800") for _ in range(MAX_BATCH + 200)]
    told = await asyncio.gather(*asked, store.commit(Change("r1", 1, 0, b"one", FOUND)), return_exceptions=True)
    assert all(isinstance(answer, UnicodeEncodeError) for answer in told[:-1])
    assert told[-1] is True


async def test_it_writes_through_to_the_disk_before_it_answers(store, tmp_path):
    with closing(sqlite3.connect(tmp_path / "noughts.db")) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    level = await store._ask(lambda db: db.execute("PRAGMA synchronous").fetchone())
    assert level == (2,)  # FULL
    await store.add_player(StoredPlayer("p_ann", "Ann", 1), b"token")
    with closing(sqlite3.connect(tmp_path / "noughts.db")) as db:
        assert db.execute("SELECT name FROM players").fetchall() == [("Ann",)]


async def test_no_secret_stands_in_the_file(store, tmp_path):
    """The store is given hashes and keeps what it is given."""
    await store.add_player(StoredPlayer("p_ann", "Ann", 1), b"\x01hash")
    with closing(sqlite3.connect(tmp_path / "noughts.db")) as db:
        assert db.execute("SELECT hash FROM tokens").fetchall() == [(b"\x01hash",)]


async def test_the_file_of_a_newer_program_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "noughts.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version={SCHEMA + 1}")
        db.execute("CREATE TABLE rooms(of_tomorrow)")
        db.commit()
    with pytest.raises(SchemaError, match="newer version"):
        await SqliteStore(path).open()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT sql FROM sqlite_master").fetchall() == [("CREATE TABLE rooms(of_tomorrow)",)]


async def test_what_is_no_database_is_told_as_unavailable(tmp_path):
    path = tmp_path / "noughts.db"
    path.write_bytes(b"this is a diary, not a database" * 100)
    with pytest.raises(StoreUnavailableError, match=r"noughts\.db cannot be used"):
        await SqliteStore(path).open()


async def test_a_store_that_is_closed_is_unavailable(tmp_path):
    store = SqliteStore(tmp_path / "noughts.db")
    with pytest.raises(StoreUnavailableError):
        await store.ping()
    await store.open()
    await store.close()
    with pytest.raises(StoreUnavailableError):
        await store.ping()


async def test_a_failed_commit_is_told_to_all_of_its_batch_and_the_store_goes_on(tmp_path):
    store = SqliteStore(tmp_path / "noughts.db")
    await store.open()
    await store.commit(Change("r1", 1, 0, b"one", FOUND))
    # Another writer holds the file for longer than the store waits: no commit comes through.
    with closing(sqlite3.connect(tmp_path / "noughts.db", isolation_level=None)) as other:
        await store._ask(lambda db: db.execute("PRAGMA busy_timeout=50"))
        other.execute("BEGIN IMMEDIATE")
        asked = [store.commit(Change("r1", 2, 1, b"two")) for _ in range(5)]
        told = await asyncio.gather(*asked, return_exceptions=True)
        assert all(isinstance(answer, StoreUnavailableError) for answer in told)
        other.execute("ROLLBACK")
    assert (await store.load("r1")).data == b"one"
    assert await store.commit(Change("r1", 2, 1, b"two"))
    await store.close()
