"""What is read of a damaged file: all that is not damaged, nothing that was deleted, and nothing made up."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from noughts.app.rooms.repository import index_entry
from noughts.room.creation import new_room
from noughts.room.seat import Person
from noughts.room.storage import room_bytes
from noughts.rules.variant import VARIANTS
from noughts.store.archive import ArchivedRoom
from noughts.store.contract import Change, StoredPlayer
from noughts.store.sqlite.archive import SqliteArchive
from noughts.store.sqlite.damaged_archive import DamagedArchive
from noughts.store.sqlite.store import SqliteStore
from tests.support.commits import commit
from tests.support.damaged_file import DAMAGE, damage, page_count, page_with
from tests.support.manual_clock import START_MS
from tests.support.statuses import STATUS
from tests.support.whole_file import POLICY, ROOMS, fill


async def rooms_of(archive: DamagedArchive | SqliteArchive) -> dict[str, ArchivedRoom]:
    rooms = {}
    for id in await archive.room_ids():
        room = await archive.room(id)
        assert room is not None
        rooms[id] = room
    return rooms


async def opened(path: Path) -> DamagedArchive:
    archive = DamagedArchive(path, lambda line: None)
    await archive.open()
    return archive


async def test_a_whole_file_is_read_whole(tmp_path: Path) -> None:
    """Also what is only in its log, and in the order in which rooms were created."""
    path = tmp_path / "noughts.db"
    await fill(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute("INSERT INTO bans VALUES('203.0.113.10')")
        whole, damaged = SqliteArchive(path), await opened(path)
        await whole.open()
        assert await damaged.room_ids() == await whole.room_ids()
        assert await rooms_of(damaged) == await rooms_of(whole)
        assert await damaged.player_ids() == await whole.player_ids()
        for id in await whole.player_ids():
            assert await damaged.player(id) == await whole.player(id)
        assert await damaged.banned() == ["203.0.113.10", "203.0.113.9"]
        assert await damaged.downtimes() == await whole.downtimes()
        assert await damaged.beat_ms() == START_MS
        assert damaged.losses == (0, [], 0)
        await whole.close()
        await damaged.close()


@pytest.mark.parametrize("kind", DAMAGE)
async def test_only_what_is_on_a_damaged_page_is_lost(tmp_path: Path, kind: str) -> None:
    """For each page of a file. A room of which only games or lines are lost is there without them."""
    path = tmp_path / "noughts.db"
    await fill(path)
    whole = await opened(path)
    rooms, players = await rooms_of(whole), set(await whole.player_ids())
    await whole.close()
    pages, content, random = page_count(path), path.read_bytes(), Random(12)
    lost_rooms = lost_players = 0
    for number in range(1, pages + 1):
        path.write_bytes(content)
        damage(path, number, kind, random)
        archive = await opened(path)
        read = await rooms_of(archive)
        assert read.keys() <= rooms.keys()
        for id, room in read.items():
            assert (room.stored.version, room.stored.data) == (rooms[id].stored.version, rooms[id].stored.data)
            assert set(room.games) <= set(rooms[id].games)
            assert set(room.stored.lines) <= set(rooms[id].stored.lines)
        here = set(await archive.player_ids())
        assert here <= players
        lost_rooms = max(lost_rooms, len(rooms) - len(read))
        lost_players = max(lost_players, len(players) - len(here))
        await archive.close()
    assert len(rooms) == ROOMS - 1
    assert lost_rooms <= 10
    assert lost_players == 0  # a lost record is made again from the token and the rooms


async def test_a_room_that_cannot_be_decoded_is_named(tmp_path: Path) -> None:
    path = tmp_path / "noughts.db"
    await fill(path, rooms=3)
    with closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute("UPDATE rooms SET data=x'93' WHERE id='room1'")
        store.execute("UPDATE rooms SET answered=x'c1' WHERE id='room2'")
        store.execute("UPDATE games SET data=x'c1' WHERE room='room2'")
    archive = await opened(path)
    assert archive.losses.rooms == ["room1"]
    (room,) = (await rooms_of(archive)).values()
    assert (room.id, room.stored.answered, room.games) == ("room2", b"", ())
    await archive.close()


async def test_progress_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.store.sqlite.damaged_archive.PROGRESS_EVERY", 5)
    path = tmp_path / "noughts.db"
    await fill(path)
    damage(path, page_with(path, b"room5"), "zeros", Random(1))
    lines: list[str] = []
    archive = DamagedArchive(path, lines.append)
    await archive.open()
    await archive.close()
    assert len(lines) > 2
    assert lines[-1].endswith(" pages")


async def test_one_damaged_row_costs_no_other_on_its_page(tmp_path: Path) -> None:
    path = tmp_path / "noughts.db"
    await fill(path, rooms=3)
    page_count(path)
    content = bytearray(path.read_bytes())
    at = content.index(b"p_0_aName 0")
    content[at - 2] = 0x0B  # a kind of value that SQLite has none of
    path.write_bytes(content)
    archive = await opened(path)
    assert archive.losses.cells == 1
    assert len(await archive.player_ids()) == 5
    await archive.close()


async def test_a_page_that_goes_bad_during_a_copy_costs_its_rows(tmp_path: Path) -> None:
    """The disk fails more and more. What was found at first may be gone when it is copied."""
    path = tmp_path / "noughts.db"
    await fill(path)
    archive = await opened(path)
    content = path.read_bytes()
    damage(path, page_with(path, b"room5"), "zeros", Random(1))
    rooms = [await archive.room(id) for id in await archive.room_ids()]
    assert None in rooms
    assert any(room is not None and room.stored.lines for room in rooms)
    path.write_bytes(content)
    whole = await opened(path)
    for number in range(2, page_count(path) + 1):
        path.write_bytes(content)
        damage(path, number, "zeros", Random(1))
        for id in await whole.room_ids():
            room = await whole.room(id)
            assert room is None or {line.n for line in room.stored.lines} <= {1, 2}
    for each in (archive, whole):
        await each.close()


async def test_the_last_beat_and_a_room_of_an_engine_are_read(tmp_path: Path) -> None:
    """An engine has a seat and no name."""
    path = tmp_path / "noughts.db"
    room = new_room(
        room_id="room0",
        invite="secret",
        owner=Person("p_ann", "Ann"),
        variant=VARIANTS["classic"],
        opponent="engine",
        mark="X",
        engines=("novice",),
        clock=None,
        visibility="unlisted",
        now_ms=START_MS,
    )
    store = SqliteStore(path)
    await store.open()
    await store.add_player(StoredPlayer("p_ann", "Ann", START_MS), b"hash")
    await commit(store, Change(room.id, 0, 1, room_bytes(room), index_entry(room, POLICY)))
    await store.beat(STATUS, START_MS + 60_000)
    await store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DELETE FROM players")
    archive = await opened(path)
    assert await archive.beat_ms() == START_MS + 60_000
    assert list(await archive.room_ids()) == ["room0"]
    assert (await archive.player("p_ann")).player.name == "Ann"  # type: ignore[union-attr]
    await archive.close()
