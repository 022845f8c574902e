"""A beat proves that the disk takes a write."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from noughts.room.downtime import Downtime
from noughts.room.storage import room_bytes
from noughts.store.sqlite.store import SqliteStore
from tests.support.commits import commit
from tests.support.commits import new_room as new_change
from tests.support.room_play import new_room
from tests.support.statuses import STATUS


async def opened(directory: Path) -> SqliteStore:
    store = SqliteStore(directory / "noughts.db")
    await store.open()
    return store


async def test_each_beat_writes(tmp_path: Path) -> None:
    """SQLite leaves out an update that changes nothing, so a beat of that kind would prove nothing."""
    store = SqliteStore(tmp_path / "noughts.db")
    await store.open()
    with closing(sqlite3.connect(tmp_path / "noughts.db")) as observer:
        for _ in range(3):
            before = observer.execute("PRAGMA data_version").fetchone()
            await store.beat(STATUS, 10)
            assert observer.execute("PRAGMA data_version").fetchone() != before
    await store.close()


async def test_the_time_between_two_starts_is_downtime(tmp_path: Path) -> None:
    """From the last beat before a stop to the first after it. Every later start knows all of it."""
    store = await opened(tmp_path)
    assert (await store.beat(STATUS, 10)).downtimes == ()
    await store.beat(STATUS, 20)
    await store.close()
    store = await opened(tmp_path)
    assert (await store.beat(STATUS, 5_000)).downtimes == (Downtime(20, 5_000),)
    assert (await store.beat(STATUS, 6_000)).downtimes == (Downtime(20, 5_000),)
    await store.close()
    store = await opened(tmp_path)
    assert (await store.beat(STATUS, 9_000)).downtimes == (Downtime(20, 5_000), Downtime(6_000, 9_000))
    await store.close()


async def test_an_outage_is_kept(tmp_path: Path) -> None:
    store = await opened(tmp_path)
    await store.beat(STATUS, 10)
    await store.add_downtime(Downtime(30, 40))
    assert (await store.beat(STATUS, 50)).downtimes == (Downtime(30, 40),)
    await store.close()
    store = await opened(tmp_path)
    assert (await store.beat(STATUS, 50)).downtimes == (Downtime(30, 40),)
    await store.close()


async def test_time_continues_from_the_last_beat(tmp_path: Path) -> None:
    """Though the clock of the machine was set back before this start."""
    store = await opened(tmp_path)
    await store.beat(STATUS, 7_200_000)
    await store.close()
    store = await opened(tmp_path)
    pulses = [await store.beat(STATUS, now_ms) for now_ms in (5_000, 7_201_000)]
    await store.close()
    assert [pulse.now_ms for pulse in pulses] == [7_200_000, 7_201_000]
    assert pulses[1].downtimes == ()


async def test_time_continues_from_the_newest_change_of_a_room(tmp_path: Path) -> None:
    """A room without a clock may be newer than the last beat. One that cannot be decoded says nothing."""
    store = await opened(tmp_path)
    rooms = [room_bytes(new_room(used_ms=used_ms)) for used_ms in (3_000, 9_000, 6_000)]
    for id, data in zip("abcd", (*rooms, b"no room"), strict=True):
        await commit(store, new_change(id, data=data))
    assert (await store.beat(STATUS, 5_000)).now_ms == 9_000
    assert (await store.beat(STATUS, 9_500)).now_ms == 9_500
    await store.close()
