"""Every test of this directory runs against every store. Another store is one more function in ``OPENERS``."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from noughts.store.contract import Store
from noughts.store.sqlite_store import SqliteStore

Opener = Callable[[], Awaitable[Store]]


def _sqlite(directory: Path) -> Store:
    return SqliteStore(directory / "noughts.db")


OPENERS = {"sqlite": _sqlite}


@pytest.fixture(params=sorted(OPENERS))
async def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Opener]:
    """Open the store once more, on the same data: what a restart finds."""
    opened: list[Store] = []

    async def open_() -> Store:
        store = OPENERS[request.param](tmp_path)
        await store.open()
        opened.append(store)
        return store

    yield open_
    for store in opened:
        await store.close()


@pytest.fixture
async def store(open_store: Opener) -> Store:
    return await open_store()


@pytest.fixture
def leftovers(store: Store, tmp_path: Path) -> Callable[[], Awaitable[object]]:
    """All that is kept, whatever asks for it: to see that nothing stays behind."""

    async def sqlite() -> object:
        with closing(sqlite3.connect(tmp_path / "noughts.db")) as db:
            tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
            return {table: sorted(map(repr, db.execute(f"SELECT * FROM {table}"))) for table in tables}

    return {SqliteStore: sqlite}[type(store)]
