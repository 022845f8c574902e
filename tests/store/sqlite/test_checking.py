"""What a check finds: damaged pages, rooms that cannot be decoded, and nothing in a file that is whole."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from noughts.room.storage import room_from
from noughts.store.contract import SchemaError
from noughts.store.kinds import ROOM, Kind
from noughts.store.machine_store import Change, IndexEntry, Stored
from noughts.store.sqlite.checking import check_file
from noughts.store.sqlite.schema import SCHEMA_VERSION, tables_of
from noughts.store.sqlite.store import SqliteStore
from tests.support.commits import commit
from tests.support.damaged_file import damage, page_count, page_with
from tests.support.toy_machine import TOY_KINDS
from tests.support.whole_file import fill


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    path = tmp_path / "noughts.db"
    await fill(path, rooms=12)
    return path


def test_a_whole_file(path: Path) -> None:
    lines: list[str] = []
    health = check_file(path, lines.append)
    assert (health.whole, str(health.counts)) == (True, "11 rooms, 23 guests")
    assert "  11 of 11 rooms" in lines


def test_damage_is_said_in_few_lines(path: Path) -> None:
    damage(path, page_with(path, b"room5"), "zeros", Random(1))
    health = check_file(path, lambda line: None)
    assert 0 < len(health.damage) < 60
    assert (ROOM, "room5") in health.lost


@pytest.mark.parametrize("named", ["seated", "games", "lines"])
def test_a_room_whose_row_is_gone_is_named(path: Path, named: str) -> None:
    others = {"seated", "games", "lines"} - {named}
    with closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute("DELETE FROM rooms WHERE id='room3'")
        for table in others:
            store.execute(f"DELETE FROM {table} WHERE room='room3'")
    health = check_file(path, lambda line: None)
    assert (health.whole, health.damage, health.lost) == (False, (), ((ROOM, "room3"),))


def test_damage_on_each_page_is_seen(path: Path) -> None:
    """The check names each room that the server can no longer serve, and leaves the file as it is."""
    pages, content = page_count(path), path.read_bytes()
    named = 0
    for number in range(2, pages + 1):
        path.write_bytes(content)
        damage(path, number, "noise", Random(number))
        before = path.read_bytes()
        try:
            health = check_file(path, lambda line: None)
        except SchemaError:  # the table of tables is damaged
            continue
        finally:
            assert path.read_bytes() == before
        assert not health.whole
        lost = {room for room in (f"room{room}" for room in range(1, 12)) if not can_be_read(path, room)}
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


def test_rooms_that_cannot_be_decoded(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute("UPDATE rooms SET data=x'93' WHERE id='room3'")
        store.execute("UPDATE games SET data=x'93' WHERE room='room4'")
    health = check_file(path, lambda line: None)
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


def test_a_file_of_an_older_program_is_rejected(path: Path) -> None:
    with closing(sqlite3.connect(path)) as store:
        store.execute(f"PRAGMA user_version={SCHEMA_VERSION - 1}")
    with pytest.raises(SchemaError, match="start a server on it once"):
        check_file(path, lambda line: None)
