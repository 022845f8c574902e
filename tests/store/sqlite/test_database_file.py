"""The file is opened safely, or rejected in a clear sentence and left alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.sqlite.database_file import DatabaseFile
from noughts.store.sqlite.migration import Migration
from noughts.store.sqlite.schema import SCHEMA_VERSION


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "noughts.db"


def test_a_commit_is_on_the_disk_before_it_is_answered(path: Path) -> None:
    with closing(DatabaseFile(path).connect()) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
        assert db.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_opening_writes_even_when_nothing_is_missing(path: Path) -> None:
    """The commit proves that the disk takes writes, and flushes what a failed one left in the log."""
    DatabaseFile(path).connect().close()
    with closing(sqlite3.connect(path)) as observer:
        before = observer.execute("PRAGMA data_version").fetchone()
        with closing(DatabaseFile(path).connect()):
            assert observer.execute("PRAGMA data_version").fetchone() != before


def test_the_file_of_a_newer_program_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version={SCHEMA_VERSION + 1}")
        db.execute("CREATE TABLE rooms(of_tomorrow)")
        db.commit()
    before = path.read_bytes()
    with pytest.raises(SchemaError, match=r"noughts\.db was written by a newer version of Noughts\. Upgrade Noughts"):
        DatabaseFile(path).connect()
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == ["noughts.db"]


def test_the_file_of_an_older_program_needs_a_migration(path: Path) -> None:
    """The migration runs before the tables of this program are made. Then the file is one of this program."""
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version=1")
    before = path.read_bytes()
    with pytest.raises(
        SchemaError, match=r"noughts\.db was written by an older version of Noughts and cannot be upgraded"
    ):
        DatabaseFile(path).connect()
    assert path.read_bytes() == before
    tables: list[int] = []

    class CountTables(Migration):
        def run(self, db: sqlite3.Connection, path: Path) -> None:
            tables.append(db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])

    for _ in range(2):
        with closing(DatabaseFile(path, CountTables(bytes, bytes)).connect()) as db:
            assert db.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    assert tables == [0]


def test_another_kind_of_file_is_unavailable(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this is a diary, not a database" * 100)
    with pytest.raises(StoreUnavailableError, match=r"noughts\.db cannot be used"):
        DatabaseFile(path).connect()
    assert path.read_bytes() == b"this is a diary, not a database" * 100


def test_a_directory_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(StoreUnavailableError, match="cannot be used"):
        DatabaseFile(tmp_path / "data" / "noughts.db").connect()
