"""What is read of a damaged file: all that is not damaged, nothing that was deleted, and nothing made up."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from noughts.store.archive import ArchivedRoom
from noughts.store.sqlite.archive import SqliteArchive
from noughts.store.sqlite.damaged_archive import DamagedArchive
from tests.support.damaged_file import DAMAGE, damage, page_count, page_with
from tests.support.manual_clock import START_MS
from tests.support.whole_file import ROOMS, fill


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
