"""What a check finds: damaged pages, rooms that cannot be decoded, and nothing in a file that is whole."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from noughts.room.storage import room_from
from noughts.store.contract import SchemaError
from noughts.store.sqlite.checking import check_file
from noughts.store.sqlite.schema import SCHEMA_VERSION
from tests.support.damaged_file import damage, page_count, page_with
from tests.support.whole_file import fill


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    path = tmp_path / "noughts.db"
    await fill(path, rooms=12)
    return path


def test_a_whole_file(path: Path) -> None:
    lines: list[str] = []
    health = check_file(path, lines.append)
    assert (health.whole, health.rooms, health.players) == (True, 11, 23)
    assert lines[-1] == "  11 of 11 rooms"


def test_damage_is_said_in_few_lines(path: Path) -> None:
    damage(path, page_with(path, b"room5"), "zeros", Random(1))
    health = check_file(path, lambda line: None)
    assert 0 < len(health.damage) < 60
    assert "room5" in health.lost_rooms


@pytest.mark.parametrize("named", ["seated", "games", "lines"])
def test_a_room_whose_row_is_gone_is_named(path: Path, named: str) -> None:
    others = {"seated", "games", "lines"} - {named}
    with closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute("DELETE FROM rooms WHERE id='room3'")
        for table in others:
            store.execute(f"DELETE FROM {table} WHERE room='room3'")
    health = check_file(path, lambda line: None)
    assert (health.whole, health.damage, health.lost_rooms) == (False, (), ("room3",))


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
        assert lost <= {*health.lost_rooms, *health.unreadable_rooms}, number
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
    assert (health.damage, health.unreadable_rooms) == ((), ("room3", "room4"))


def test_a_file_of_an_older_program_is_rejected(path: Path) -> None:
    with closing(sqlite3.connect(path)) as store:
        store.execute(f"PRAGMA user_version={SCHEMA_VERSION - 1}")
    with pytest.raises(SchemaError, match="start a server on it once"):
        check_file(path, lambda line: None)
