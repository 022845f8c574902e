"""The pages in a write-ahead log: those that were committed, and no others."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from noughts.store.sqlite.inspection import log_of
from noughts.store.sqlite.log_pages import committed_pages
from tests.support.damaged_file import PAGE

FRAME = PAGE + 24


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """Return a log with three commits, each of one page."""
    path = tmp_path / "some.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute("PRAGMA journal_mode=WAL")
        store.execute("CREATE TABLE words(word)")
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for word in ("one", "two", "three"):
            store.execute("INSERT INTO words VALUES(?)", (word,))
        yield log_of(path)


def test_the_newest_committed_page(log: Path) -> None:
    pages = committed_pages(log, PAGE)
    assert list(pages) == [2]
    assert all(word in pages[2] for word in (b"one", b"two", b"three"))


@pytest.mark.parametrize("change", ["cut", "bytes"])
def test_what_follows_damage_was_not_committed(log: Path, change: str) -> None:
    content = log.read_bytes()
    assert len(content) == 32 + 3 * FRAME
    end = len(content) - FRAME + 100
    log.write_bytes(content[:end] if change == "cut" else content[:end] + b"?" + content[end + 1 :])
    pages = committed_pages(log, PAGE)
    assert b"two" in pages[2]
    assert b"three" not in pages[2]


def test_a_log_that_is_none(log: Path) -> None:
    assert committed_pages(log, 512) == {}
    content = log.read_bytes()
    other_salt = bytes([content[20] ^ 1])  # salts are random
    for nonsense in (b"", b"short", b"x" + content[1:], content[:20] + other_salt + content[21:]):
        log.write_bytes(nonsense)
        assert committed_pages(log, PAGE) == {}
    assert committed_pages(log.with_name("nothing"), PAGE) == {}


def test_a_change_of_several_pages_is_committed_whole(log: Path) -> None:
    """Without its last page, it was not committed."""
    with closing(sqlite3.connect(log.with_name("some.db"), isolation_level=None)) as store:
        store.execute("INSERT INTO words VALUES(?)", ("x" * 2 * PAGE,))
        content = log.read_bytes()
        assert list(committed_pages(log, PAGE)) == [2, 1, 3, 4]
        log.write_bytes(content[:-FRAME])
        assert list(committed_pages(log, PAGE)) == [2]
        assert b"three" in committed_pages(log, PAGE)[2]
        log.write_bytes(content)
