"""A file as an archive: what a server on it prevents. tests/store/test_archive.py tests the rest."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from noughts.store.contract import SchemaError, StoreUnavailableError
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


async def test_another_file_is_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "noughts.db"
    path.write_text("no database at all, but some other text")
    with pytest.raises(SchemaError, match="cannot be used: it is not a database"):
        await SqliteArchive(path).open()
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailableError, match="cannot be written"):
        await SqliteArchive(tmp_path / "file" / "noughts.db").begin()
