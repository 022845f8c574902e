"""A file as an archive: what a server on it prevents. tests/store/test_archive.py tests the rest."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from noughts.store.contract import StoreUnavailableError
from noughts.store.sqlite.archive import SqliteArchive


async def test_the_lock_of_a_server_is_seen(tmp_path: Path) -> None:
    archive = SqliteArchive(tmp_path / "noughts.db")
    assert not await archive.is_used()
    with (tmp_path / "lock").open("w") as lock:
        assert not await archive.is_used()
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert await archive.is_used()
    assert not await archive.is_used()


async def test_another_file_is_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "noughts.db"
    path.write_text("no database at all, but some other text")
    with pytest.raises(StoreUnavailableError, match="cannot be read"):
        await SqliteArchive(path).open()
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailableError, match="cannot be written"):
        await SqliteArchive(tmp_path / "file" / "noughts.db").begin()
