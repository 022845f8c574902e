"""Looking at a file before it is used, and what of it. tests/store/sqlite/test_database_file.py tests the kinds of files."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.sqlite.database_file import DatabaseFile
from noughts.store.sqlite.inspection import check_kind, check_pages, log_of, reading
from noughts.store.sqlite.schema import SCHEMA_VERSION
from tests.support.damaged_file import DAMAGE, damage, page_count


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file with a room, without a log."""
    path = tmp_path / "noughts.db"
    with closing(DatabaseFile(path).connect()) as db:
        db.execute("INSERT INTO bans VALUES('203.0.113.9')")
    return path


def test_a_whole_file(path: Path) -> None:
    assert check_kind(path) == SCHEMA_VERSION
    assert check_pages(path)
    assert [entry.name for entry in path.parent.iterdir()] == ["noughts.db"]


def test_what_is_in_the_log_is_read_too(path: Path) -> None:
    """It stays there: a log without its file, or carried out in part, would be of no use."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("INSERT INTO bans VALUES('203.0.113.10')")
        file, log = path.read_bytes(), log_of(path).read_bytes()
    path.write_bytes(file)
    log_of(path).write_bytes(log)
    with reading(path) as db:
        assert db.execute("SELECT count(*) FROM bans").fetchone() == (2,)
    assert (path.read_bytes(), log_of(path).read_bytes()) == (file, log)


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_on_any_page(path: Path, kind: str) -> None:
    whole = path.read_bytes()
    for number in range(1, page_count(path) + 1):
        path.write_bytes(whole)
        damage(path, number, kind, Random(number))
        with pytest.raises(SchemaError, match="save what can be read"):
            check_pages_of_a_database(path)


def check_pages_of_a_database(path: Path) -> None:
    check_kind(path)
    check_pages(path)


class _OverTime(threading.Thread):
    """A timer whose time is over at once, and stays so: an interrupt before a statement has no effect."""

    def __init__(self, seconds: float, interrupt: Callable[[], None]) -> None:
        super().__init__()
        self._interrupt = interrupt
        self._cancelled = threading.Event()

    def run(self) -> None:
        while not self._cancelled.wait(0.0001):
            self._interrupt()

    def cancel(self) -> None:
        self._cancelled.set()


def test_a_check_that_takes_too_long_ends(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN")
        for number in range(3_000):
            db.execute("INSERT INTO rooms VALUES(?,1,?,x'',0,NULL,'classic','')", (f"r{number}", b"x" * 3_000))
        db.execute("COMMIT")
    assert check_pages(path)
    monkeypatch.setattr("noughts.store.sqlite.inspection.threading.Timer", _OverTime)
    assert not check_pages(path)


def test_a_file_that_cannot_be_read_is_unavailable(path: Path) -> None:
    path.unlink()
    with pytest.raises(StoreUnavailableError, match="cannot be used"):
        check_pages(path)


def emptied(path: Path) -> None:
    """Leave a file without a byte."""
    path.write_bytes(b"")


def newer(path: Path) -> None:
    """Give the file the schema of a later release."""
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version={SCHEMA_VERSION + 1}")


def foreign(path: Path) -> None:
    """Put the database of another program in its place."""
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE songs(title)")
        db.execute("PRAGMA user_version=2")


def cut(path: Path) -> None:
    """Leave only the first bytes, by which it looks like a database."""
    path.write_bytes(path.read_bytes()[:50])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (emptied, "is empty. Put a backup in its place"),
        (newer, "written by a newer version of Noughts. Upgrade Noughts"),
        (foreign, "is a database of another program. Choose another file"),
        (cut, "is damaged .*`noughts check` shows the damage"),
    ],
)
def test_a_file_that_cannot_be_used_is_rejected(path: Path, change: Callable[[Path], None], words: str) -> None:
    change(path)
    before = path.read_bytes()
    with pytest.raises(SchemaError, match=words):
        check_kind(path)
    assert path.read_bytes() == before


def test_a_fault_of_the_disk_is_no_damage(path: Path) -> None:
    """The log cannot be read. The file may be whole."""
    log_of(path).mkdir()
    with pytest.raises(StoreUnavailableError, match="cannot be used"):
        check_pages(path)
