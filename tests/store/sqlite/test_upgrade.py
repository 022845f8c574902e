"""An older file is copied into a new one, and kept. The tests invent the schema after the present one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from noughts.store.archive import ArchivedValue
from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.kinds import ROOM
from noughts.store.machine_store import Change, IndexEntry
from noughts.store.sqlite.archive import SqliteArchive
from noughts.store.sqlite.database_file import DatabaseFile
from noughts.store.sqlite.schema import SCHEMA, SCHEMA_VERSION, Schema, create_statements, tables_of
from noughts.store.sqlite.store import SqliteStore
from noughts.store.sqlite.upgrade import upgrade
from tests.support.commits import commit
from tests.support.toy_machine import TOY_KINDS
from tests.support.whole_file import fill

NEXT = Schema(
    SCHEMA_VERSION + 1,
    tuple(sql.replace("data BLOB NOT NULL,", "data BLOB UNIQUE,") for sql in create_statements(TOY_KINDS)),
)


class PresentFile(SqliteArchive):
    """Reads the present schema for the next one, in which the bytes of each room end with an exclamation mark."""

    async def value(self, kind: str, id: str) -> ArchivedValue | None:
        value = await super().value(kind, id)
        return value and value._replace(stored=value.stored._replace(data=value.stored.data + b"!"))


class BrokenFile(SqliteArchive):
    """Fails at the second room."""

    async def value(self, kind: str, id: str) -> ArchivedValue | None:
        if id != "room1":
            raise StoreUnavailableError("the disk failed")
        return await super().value(kind, id)


class ForgetfulFile(SqliteArchive):
    """Returns other rooms each time."""

    calls = 0

    async def ids(self, kind: str) -> Sequence[str]:
        self.calls += 1
        return (await super().ids(kind))[self.calls :]


READERS = {SCHEMA_VERSION: lambda path: PresentFile(path, kinds=TOY_KINDS)}


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    path = tmp_path / "noughts.db"
    await fill(path, rooms=4)
    store = SqliteStore(path, kinds=TOY_KINDS)
    await store.open()
    for kind in TOY_KINDS:
        if kind.name != ROOM:
            entry = IndexEntry(5, "open", "plain", ("p_ann",))
            await commit(store, Change("one", 0, 1, b"bytes", entry, records=((1, b"record"),), kind=kind.name))
    await store.close()
    return path


def rooms(path: Path) -> dict[str, bytes]:
    return data_of(path, "rooms")


def data_of(path: Path, table: str) -> dict[str, bytes]:
    with closing(sqlite3.connect(path)) as db:
        return dict(db.execute(f"SELECT id, data FROM {table}"))


def test_everything_is_copied_and_the_old_file_is_kept(path: Path) -> None:
    before, lines = rooms(path), list[str]()
    upgrade(path, lines.append, NEXT, READERS)
    assert rooms(path) == {id: data + b"!" for id, data in before.items()}
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (NEXT.version,)
        assert db.execute("SELECT count(*) FROM players").fetchone() == (7,)
    old = path.with_name(f"noughts.db.schema{SCHEMA_VERSION}")
    assert f"It is kept as {old}" in lines[0]
    assert (
        f"To go back, stop the server, delete noughts.db, noughts.db-wal and noughts.db-shm, rename {old.name}"
        in lines[-1]
    )
    upgrade(path, lines.append, NEXT, READERS)  # nothing is left to do
    counts = ["3 rooms", *(f"1 {kind.name}" for kind in TOY_KINDS if kind.name != ROOM), "7 guests"]
    assert lines[-1].startswith(f"{path} is upgraded: {', '.join(counts)}.")
    path.unlink()
    old.rename(path)
    DatabaseFile(path).connect().close()
    assert rooms(path) == before


@pytest.mark.parametrize("kind", [kind.name for kind in TOY_KINDS if kind.name != ROOM])
def test_every_kind_of_machine_is_upgraded(path: Path, kind: str) -> None:
    tables = tables_of(kind)
    upgrade(path, print, NEXT, READERS)
    assert data_of(path, tables.values) == {"one": b"bytes!"}
    with closing(sqlite3.connect(path)) as db:
        assert db.execute(f"SELECT number, data FROM {tables.records}").fetchall() == [(1, b"record")]


def test_changes_in_the_log_are_copied_too(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("INSERT INTO bans VALUES('203.0.113.10')")
        file, log = path.read_bytes(), path.with_name("noughts.db-wal").read_bytes()
    path.write_bytes(file)
    path.with_name("noughts.db-wal").write_bytes(log)
    upgrade(path, print, NEXT, READERS)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM bans").fetchone() == (2,)


@pytest.mark.parametrize("reader", [BrokenFile, ForgetfulFile])
def test_an_upgrade_that_fails_changes_nothing(path: Path, reader: Callable[[Path], SqliteArchive]) -> None:
    before = rooms(path)
    with pytest.raises((SchemaError, StoreUnavailableError), match=r"the disk failed|is unchanged"):
        upgrade(path, print, NEXT, {SCHEMA_VERSION: reader})
    assert rooms(path) == before
    upgrade(path, print, NEXT, READERS)
    assert len(rooms(path)) == len(before)


def test_a_file_of_this_schema_and_a_missing_one_are_left_alone(path: Path, tmp_path: Path) -> None:
    before, lines = path.read_bytes(), list[str]()
    upgrade(path, lines.append)
    upgrade(tmp_path / "none.db", lines.append)
    assert (path.read_bytes(), lines, [entry.name for entry in tmp_path.iterdir()]) == (before, [], ["noughts.db"])


def test_a_schema_without_a_reader_is_rejected(path: Path) -> None:
    with pytest.raises(SchemaError, match=r"this version cannot upgrade it\. Use the version that wrote it"):
        upgrade(path, print, NEXT)
    assert SCHEMA.version == SCHEMA_VERSION


def test_a_file_in_use_is_left_alone(path: Path) -> None:
    server = DatabaseFile(path)
    server.lock()
    with pytest.raises(StoreUnavailableError, match="another server uses"):
        upgrade(path, print, NEXT, READERS)
    server.release()
    assert len(rooms(path)) == 3
