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
from noughts.store.sqlite.inspection import check_kind, check_pages, log_of
from tests.support.damaged_file import DAMAGE, damage, page_count


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file with a room, without a log."""
    path = tmp_path / "noughts.db"
    with closing(DatabaseFile(path).connect()) as db:
        db.execute("INSERT INTO bans VALUES('203.0.113.9')")
    return path


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


def test_a_fault_of_the_disk_is_no_damage(path: Path) -> None:
    """The log cannot be read. The file may be whole."""
    log_of(path).mkdir()
    with pytest.raises(StoreUnavailableError, match="cannot be used"):
        check_pages(path)
