"""Looking at a file before it is used, what of it is damaged, and which errors of SQLite are damage.

tests/store/sqlite/test_database_file.py tests the kinds of files.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from noughts.room.storage import room_from
from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.kinds import ROOM, Kind
from noughts.store.machine_store import Change, IndexEntry, Stored
from noughts.store.sqlite.database_file import DatabaseFile
from noughts.store.sqlite.inspection import check_file, check_pages, damage_text, is_damage, log_of
from noughts.store.sqlite.schema import tables_of
from noughts.store.sqlite.store import SqliteStore
from tests.support.commits import commit
from tests.support.damaged_file import damage, page_count, page_with
from tests.support.toy_machine import TOY_KINDS
from tests.support.whole_file import fill


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file with a room, without a log."""
    path = tmp_path / "noughts.db"
    with closing(DatabaseFile(path).connect()) as db:
        db.execute("INSERT INTO bans VALUES('203.0.113.9')")
    return path


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
        for number in range(12_000):
            db.execute("INSERT INTO rooms VALUES(?,1,?,x'',0,NULL,'classic','',0)", (f"r{number}", b"x" * 3_000))
        db.execute("COMMIT")
    assert check_pages(path)
    monkeypatch.setattr("noughts.store.sqlite.inspection.threading.Timer", _OverTime)
    assert not check_pages(path)


def test_a_fault_of_the_disk_is_no_damage(path: Path) -> None:
    """The log cannot be read. The file may be whole."""
    log_of(path).mkdir()
    with pytest.raises(StoreUnavailableError, match="cannot be used"):
        check_pages(path)


# --- a check of the whole file --------------------------------------------------------------------------------------


@pytest.fixture
async def filled(tmp_path: Path) -> Path:
    path = tmp_path / "noughts.db"
    await fill(path, rooms=12)
    return path


def test_a_whole_file(filled: Path) -> None:
    lines: list[str] = []
    health = check_file(filled, lines.append)
    assert (health.whole, str(health.counts)) == (True, "11 rooms, 0 tournaments, 23 guests")
    assert "  11 of 11 rooms" in lines


def test_damage_is_said_in_few_lines(filled: Path) -> None:
    damage(filled, page_with(filled, b"room5"), "zeros", Random(1))
    health = check_file(filled, lambda line: None)
    assert 0 < len(health.damage) < 60
    assert (ROOM, "room5") in health.lost


@pytest.mark.parametrize("named", ["seated", "games", "lines"])
def test_a_room_whose_row_is_gone_is_named(filled: Path, named: str) -> None:
    others = {"seated", "games", "lines"} - {named}
    with closing(sqlite3.connect(filled, isolation_level=None)) as store:
        store.execute("DELETE FROM rooms WHERE id='room3'")
        for table in others:
            store.execute(f"DELETE FROM {table} WHERE room='room3'")
    health = check_file(filled, lambda line: None)
    assert (health.whole, health.damage, health.lost) == (False, (), ((ROOM, "room3"),))


def test_damage_on_each_page_is_seen(filled: Path) -> None:
    """The check names each room that the server can no longer serve, and leaves the file as it is."""
    pages, content = page_count(filled), filled.read_bytes()
    named = 0
    for number in range(2, pages + 1):
        filled.write_bytes(content)
        damage(filled, number, "noise", Random(number))
        before = filled.read_bytes()
        try:
            health = check_file(filled, lambda line: None)
        except SchemaError:  # the table of tables is damaged
            continue
        finally:
            assert filled.read_bytes() == before
        assert not health.whole
        lost = {room for room in (f"room{room}" for room in range(1, 12)) if not can_be_read(filled, room)}
        assert lost <= {id for _, id in (*health.lost, *health.unreadable)}, number
        named += len(lost)
    assert named > 0


def can_be_read(path: Path, room: str) -> bool:
    with closing(sqlite3.connect(path)) as store:
        try:
            row = store.execute("SELECT data FROM rooms WHERE id=?", (room,)).fetchone()
            return row is not None and room_from(row[0]).id == room
        except Exception:  # the bytes may be anything
            return False


def test_players_that_differ_between_a_room_and_the_index(filled: Path) -> None:
    with closing(sqlite3.connect(filled, isolation_level=None)) as store:
        store.execute("DELETE FROM seated WHERE room='room3' AND player='p_3_a'")
    assert check_file(filled, lambda line: None).damage == ("seated of room room3 differ from its row",)


def test_rooms_that_cannot_be_decoded(filled: Path) -> None:
    with closing(sqlite3.connect(filled, isolation_level=None)) as store:
        store.execute("UPDATE rooms SET data=x'93' WHERE id='room3'")
        store.execute("UPDATE games SET data=x'93' WHERE room='room4'")
    health = check_file(filled, lambda line: None)
    assert (health.damage, health.unreadable) == ((), ((ROOM, "room3"), (ROOM, "room4")))


@pytest.mark.parametrize("kind", TOY_KINDS, ids=lambda kind: kind.name)
async def test_each_kind_of_machine_is_checked(tmp_path: Path, kind: Kind) -> None:
    """Its values and records are decoded, and those whose row is gone are named."""
    path, tables = tmp_path / "noughts.db", tables_of(kind.name)
    store = SqliteStore(path, kinds=TOY_KINDS)
    await store.open()
    entry = IndexEntry(5, "open", "plain", ("p_ann",))
    for id in ("gone", "noise"):
        change = Change(id, 0, 1, b"\xc1", entry, records=((1, b"\xc1"),), kind=kind.name)
        assert await commit(store, change) == Stored(1)
    await store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(f"DELETE FROM {tables.values} WHERE id='gone'")
    health = check_file(path, lambda line: None, TOY_KINDS)
    assert (health.lost, health.unreadable) == (((kind.name, "gone"),), ((kind.name, "noise"),))
    assert health.counts.values[kind.name] == 1


# --- which errors are damage ----------------------------------------------------------------------------------------


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


def test_a_text_that_is_not_utf8_is_damage_and_is_not_quoted() -> None:
    with closing(sqlite3.connect(":memory:")) as db, pytest.raises(sqlite3.OperationalError) as raised:
        db.execute("SELECT CAST(x'736563726574ff' AS TEXT)").fetchone()
    assert "secret" in str(raised.value)
    assert is_damage(raised.value)
    assert damage_text(raised.value) == "a text is not UTF-8"
    assert damage_text(sqlite3.DatabaseError("database disk image is malformed")) == "database disk image is malformed"
