"""Copies of a database file: one state of it, complete or not there, and as closed to others as the file."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from noughts.store.contract import StoreUnavailableError
from noughts.store.sqlite.database_file import DatabaseFile, back_up, copy_database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "noughts.db"


@pytest.fixture
def db(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file as a server does, with a guest in its log."""
    with closing(DatabaseFile(path).connect()) as db:
        db.execute("INSERT INTO players(id, name, seen_ms) VALUES('p_ann', 'Ann', 1)")
        yield db


def test_a_copy_holds_what_is_still_in_the_log(db: sqlite3.Connection, path: Path, tmp_path: Path) -> None:
    copied = back_up(path, tmp_path / "copy")
    assert str(copied) == "0 rooms, 1 guest"
    assert sorted(entry.name for entry in tmp_path.iterdir() if entry.name.startswith("copy")) == ["copy"]
    assert db.in_transaction is False


def test_a_copy_is_one_state_while_a_server_writes(db: sqlite3.Connection, path: Path, tmp_path: Path) -> None:
    """Each transaction writes a guest and a token: the copy has as many of one as of the other."""
    ended = threading.Event()

    def write() -> None:
        number = 0
        while not ended.is_set():
            number += 1
            db.execute("BEGIN")
            db.execute("INSERT INTO players(id, name, seen_ms) VALUES(?, ?, 1)", (f"p{number}", "x" * 2_000))
            db.execute("INSERT INTO tokens VALUES(?, ?)", (b"%d" % number, f"p{number}"))
            db.execute("COMMIT")

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for number in range(5):
            back_up(path, tmp_path / f"copy{number}")
    finally:
        ended.set()
        thread.join()
    for number in range(5):
        with closing(sqlite3.connect(tmp_path / f"copy{number}")) as copy:
            assert copy.execute("SELECT (SELECT count(*) FROM players) - (SELECT count(*) FROM tokens)").fetchone() == (
                1,
            )


def test_a_copy_has_the_rights_of_the_file(db: sqlite3.Connection, path: Path, tmp_path: Path) -> None:
    path.chmod(0o600)
    back_up(path, tmp_path / "copy")
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600


def test_a_broken_off_copy_leaves_no_file(db: sqlite3.Connection, path: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    with pytest.raises(OSError, match="directory"):
        copy_database(db, path, tmp_path / "copy")
    assert not (tmp_path / "copy.partial").exists()


def test_a_damaged_file_is_reported(db: sqlite3.Connection, path: Path, tmp_path: Path) -> None:
    db.executemany("INSERT INTO bans VALUES(?)", [(f"{number:0200}",) for number in range(2_000)])
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2 // 4096 * 4096)
        file.write(os.urandom(4_096))
    with pytest.raises(StoreUnavailableError, match=r"damaged|malformed"):
        back_up(path, tmp_path / "copy")
