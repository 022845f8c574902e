"""A file as an archive: what a server on it prevents. tests/store/test_archive.py tests the rest."""

from __future__ import annotations

import fcntl
import resource
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from noughts.store.archive import ArchivedPlayer, ArchivedRest
from noughts.store.contract import StoredPlayer, StoredToken, StoreUnavailableError
from noughts.store.kinds import ROOM
from noughts.store.sqlite.archive import SqliteArchive
from noughts.store.sqlite.store import SqliteStore


async def test_the_lock_of_a_server_is_seen(tmp_path: Path) -> None:
    archive = SqliteArchive(tmp_path / "noughts.db")
    assert not await archive.is_used()
    with (tmp_path / "lock").open("w") as lock:
        assert not await archive.is_used()
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert await archive.is_used()
    assert not await archive.is_used()


async def test_a_server_of_another_directory_is_seen(tmp_path: Path) -> None:
    """It holds a lock on the file itself. The archive can be open or not."""
    store = SqliteStore(tmp_path / "noughts.db")
    await store.open()
    archive = SqliteArchive(tmp_path / "noughts.db")
    assert await archive.is_used()
    await archive.open()
    assert await archive.is_used()
    await archive.close()
    await store.close()
    assert not await archive.is_used()


async def test_a_time_that_is_not_known_is_not_stored(tmp_path: Path) -> None:
    archive = SqliteArchive(tmp_path / "noughts.db")
    await archive.begin()
    await archive.put_rest(ArchivedRest())
    await archive.complete()
    await archive.open()
    assert await archive.rest() == ArchivedRest()
    await archive.close()
    with closing(sqlite3.connect(tmp_path / "noughts.db")) as db:
        assert db.execute("SELECT count(*) FROM alive").fetchone() == (0,)


async def test_two_names_of_one_file_are_one_store(tmp_path: Path) -> None:
    """A copy from one to the other would begin with deleting everything."""
    (tmp_path / "link.db").symlink_to(tmp_path / "noughts.db")
    names = [tmp_path / "noughts.db", tmp_path / "link.db", tmp_path / "another.db"]
    here, same, elsewhere = [await SqliteArchive(name).identity() for name in names]
    assert here == same != elsewhere


async def write_guests(archive: SqliteArchive, count: int) -> None:
    for number in range(count):
        player = StoredPlayer(f"p_{number}", "x" * 900, 1)
        await archive.put_player(ArchivedPlayer(player, (StoredToken(b"%d" % number),), None))
    await archive.complete()


async def test_a_full_disk_leaves_nothing_of_a_copy(tmp_path: Path) -> None:
    archive = SqliteArchive(tmp_path / "noughts.db")
    await archive.begin()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
    try:
        with pytest.raises(StoreUnavailableError):
            await write_guests(archive, 5_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    await archive.close()
    assert list(tmp_path.iterdir()) == []


async def test_a_copy_that_cannot_be_completed_is_unavailable(tmp_path: Path) -> None:
    """Its name is taken by something else meanwhile."""
    archive = SqliteArchive(tmp_path / "noughts.db")
    await archive.begin()
    (tmp_path / "noughts.db").mkdir()
    with pytest.raises(StoreUnavailableError, match="cannot be written"):
        await archive.complete()
    with pytest.raises(StoreUnavailableError, match="there is no"):
        await archive.ids(ROOM)
