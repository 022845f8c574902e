"""How the file finds rooms. What every store promises about them is in ``tests/store/test_contract_rooms.py``."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

from noughts.store.contract import DamagedError, StoreUnavailableError
from noughts.store.machine_store import Change
from noughts.store.sqlite.store import SqliteStore
from noughts.store.sqlite.writer import Writer
from tests.support.commits import INDEX, commit_all, new_room
from tests.support.damaged_file import damage, page_with


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(tmp_path / "noughts.db")
    await store.open()
    yield store
    await store.close()


async def test_a_new_room_after_a_closed_one_is_the_newest(store: SqliteStore) -> None:
    """SQLite may give the number of a deleted row again, but only that of the newest."""
    await commit_all(store, [new_room(f"r{n}") for n in range(3)])
    await commit_all(store, [Change("r0", 1, 2, closes=True), Change("r2", 1, 2, closes=True), new_room("r3")])
    assert [row.id for row in await store.newest(9)] == ["r3", "r1"]
    assert await store.count() == 2


async def test_lists_skip_rooms_on_damaged_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is damaged while the server runs. Everything that needs no damaged page goes on."""
    path, store = tmp_path / "noughts.db", SqliteStore(tmp_path / "noughts.db")
    await store.open()
    variants = ["classic", "gomoku"]
    entries = [INDEX._replace(variant=variants[n % 2]) for n in range(8)]
    await commit_all(store, [new_room(f"r{n}", entries[n], data=b"%d" % n * 3_000) for n in range(8)])
    await store.close()
    await store.open()
    for room in (6, 7):
        damage(path, page_with(path, b"%d" % room * 1_000), "zeros", Random(room))
    assert [row.id for row in await store.listed("open", None, 5)] == ["r5", "r4", "r3"]
    assert [row.id for row in await store.listed("open", "gomoku", 9)] == ["r5", "r3", "r1"]
    assert [row.id for row in await store.newest(4)] == ["r5", "r4"]
    with pytest.raises(DamagedError):
        await store.load("r7")
    assert await store.count() == 8

    async def failing(writer: Writer, sql: str, parameters: object = ()) -> None:
        raise StoreUnavailableError("out of order")

    monkeypatch.setattr(Writer, "row", failing)  # not damage: no list without these rooms is right
    with pytest.raises(StoreUnavailableError, match="out of order"):
        await store.newest(4)
    await store.close()
