"""Which errors of SQLite concern a part of the file, and which the file or the disk as a whole."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from noughts.store.sqlite.damage import damage_text, is_damage


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (sqlite3.SQLITE_CORRUPT, True),
        (sqlite3.SQLITE_CORRUPT_INDEX, True),
        (sqlite3.SQLITE_IOERR_READ, True),
        (sqlite3.SQLITE_IOERR_WRITE, False),
        (sqlite3.SQLITE_IOERR_FSYNC, False),
        (sqlite3.SQLITE_FULL, False),
        (sqlite3.SQLITE_NOTADB, False),
        (sqlite3.SQLITE_BUSY, False),
    ],
)
def test_the_codes_of_damage(code: int, expected: bool) -> None:
    error = sqlite3.DatabaseError("some text")
    error.sqlite_errorcode = code
    assert is_damage(error) is expected


def test_errors_without_a_code() -> None:
    assert not is_damage(sqlite3.OperationalError("disk I/O error"))
    assert not is_damage(KeyError("Could not decode to UTF-8"))


def test_a_text_that_is_not_utf8_is_damage_and_is_not_quoted() -> None:
    with closing(sqlite3.connect(":memory:")) as db, pytest.raises(sqlite3.OperationalError) as raised:
        db.execute("SELECT CAST(x'736563726574ff' AS TEXT)").fetchone()
    assert "secret" in str(raised.value)
    assert is_damage(raised.value)
    assert damage_text(raised.value) == "a text is not UTF-8"
    assert damage_text(sqlite3.DatabaseError("database disk image is malformed")) == "database disk image is malformed"
