"""Every test of this directory runs against every store. Another store is one more line in ``STORES``."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from noughts.store.contract import Store
from noughts.store.sqlite.store import SqliteStore

OpenStore = Callable[[], Awaitable[Store]]
Contents = Callable[[], Awaitable[dict[str, list[str]]]]


class StoreKind(NamedTuple):
    """How a store is made for a directory of its own, and how all that it keeps there is read past it."""

    make: Callable[[Path], Store]
    contents: Callable[[Path], dict[str, list[str]]]


def _sqlite(directory: Path) -> Store:
    return SqliteStore(directory / "noughts.db")


def _sqlite_contents(directory: Path) -> dict[str, list[str]]:
    with closing(sqlite3.connect(directory / "noughts.db")) as db:
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        return {table: sorted(map(repr, db.execute(f"SELECT * FROM {table}"))) for table in tables}


STORES = {"sqlite": StoreKind(_sqlite, _sqlite_contents)}


@pytest.fixture(params=sorted(STORES))
def kind(request: pytest.FixtureRequest) -> StoreKind:
    return STORES[request.param]


@pytest.fixture
async def open_store(kind: StoreKind, tmp_path: Path) -> AsyncIterator[OpenStore]:
    """Open one more store on the same data: what a restart finds."""
    stores: list[Store] = []

    async def open_() -> Store:
        store = kind.make(tmp_path)
        stores.append(store)
        await store.open()
        return store

    yield open_
    for store in stores:
        await store.close()


@pytest.fixture
async def store(open_store: OpenStore) -> Store:
    return await open_store()


@pytest.fixture
def contents(kind: StoreKind, store: Store, tmp_path: Path) -> Contents:
    """Return all that is stored, to see that nothing stays behind."""

    async def read() -> dict[str, list[str]]:
        await store.ping()
        return kind.contents(tmp_path)

    return read
