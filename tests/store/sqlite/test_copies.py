"""A copy of a database file is one state of it, or is not there. It is flushed in small steps."""

from __future__ import annotations

import errno
import itertools
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from noughts.store.contract import StoreUnavailableError
from noughts.store.sqlite.copies import FLUSHED_BYTES, back_up
from noughts.store.sqlite.database_file import DatabaseFile


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "noughts.db"


@pytest.fixture
def db(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file as a server does, with a guest in its log."""
    with closing(DatabaseFile(path).connect()) as db:
        db.execute("INSERT INTO players(id, name, seen_ms) VALUES('p_ann', 'Ann', 1)")
        yield db


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


def test_a_copy_is_for_this_account_alone(db: sqlite3.Connection, path: Path, tmp_path: Path) -> None:
    path.chmod(0o644)
    back_up(path, tmp_path / "copy")
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600


def test_a_broken_off_copy_leaves_no_file(db: sqlite3.Connection, path: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    with pytest.raises(StoreUnavailableError, match="directory"):
        back_up(path, tmp_path / "copy")
    assert not (tmp_path / "copy.partial").exists()


def fill(db: sqlite3.Connection) -> None:
    db.executemany(
        "INSERT INTO players(id, name, seen_ms) VALUES(?, ?, 1)", [(f"p{number}", "x" * 900) for number in range(3_000)]
    )


def test_no_flush_of_a_copy_is_large(
    db: sqlite3.Connection, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server's log on the same disk waits for each flush."""
    fill(db)
    sizes, flush = [0], os.fsync

    def measured(file: int) -> None:
        sizes.append(os.fstat(file).st_size)
        flush(file)

    monkeypatch.setattr(os, "fsync", measured)
    back_up(path, tmp_path / "copy")
    steps = [size - before for before, size in itertools.pairwise(sizes[:-1])]  # the last flush is the directory's
    assert sum(steps) == (tmp_path / "copy").stat().st_size > 20 * FLUSHED_BYTES
    assert max(steps) < 2.5 * FLUSHED_BYTES


def test_a_flush_that_fails_ends_the_copy(
    db: sqlite3.Connection, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk reports each failure once, so that the flush at the end would succeed."""
    fill(db)
    flush, faults = os.fsync, [OSError(errno.EIO, "Input/output error")]

    def failing(file: int) -> None:
        if faults:
            raise faults.pop()
        flush(file)

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(StoreUnavailableError, match="Input/output error"):
        back_up(path, tmp_path / "copy")
    assert not list(tmp_path.glob("copy*"))
