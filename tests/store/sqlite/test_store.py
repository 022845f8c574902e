"""One object fulfils all contracts, with one file and one writer."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from noughts.store.contract import Store, StoredPlayer
from noughts.store.sqlite.store import SqliteStore
from tests.support.commits import commit, new_room
from tests.support.statuses import STATUS


async def test_all_contracts_share_one_file(tmp_path: Path) -> None:
    store: Store = SqliteStore(tmp_path / "data" / "noughts.db")
    await store.open()
    await commit(store, new_room())
    await store.add_player(StoredPlayer("p_ann", "Ann", 1), b"hash")
    await store.ban("203.0.113.9")
    await store.beat(STATUS, 10)
    await store.close()
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["noughts.db"]
    with closing(sqlite3.connect(tmp_path / "data" / "noughts.db")) as db:
        counts = [
            db.execute(f"SELECT count(*) FROM {table}").fetchone() for table in ("rooms", "players", "bans", "alive")
        ]
    assert counts == [(1,)] * 4


async def test_all_contracts_share_one_commit(tmp_path: Path) -> None:
    """Requests of one turn of the event loop are one transaction, whatever they are about."""
    store = SqliteStore(tmp_path / "noughts.db")
    await store.open()
    before = store.commits
    await asyncio.gather(
        commit(store, new_room()), store.ban("203.0.113.9"), store.beat(STATUS, 10), store.player_count()
    )
    assert store.commits == before + 1
    await store.close()
