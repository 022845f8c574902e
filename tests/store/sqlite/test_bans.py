"""How the file holds bans. What every store promises about them is in ``tests/store/test_contract_bans.py``."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from noughts.store.sqlite.store import SqliteStore


async def test_an_address_is_one_row(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "noughts.db")
    await store.open()
    for address in ("203.0.113.9", "198.51.100.1", "203.0.113.9"):
        await store.ban(address)
    assert await store.banned() == ["198.51.100.1", "203.0.113.9"]
    await store.unban("198.51.100.1")
    await store.close()
    with closing(sqlite3.connect(tmp_path / "noughts.db")) as db:
        assert db.execute("SELECT address FROM bans").fetchall() == [("203.0.113.9",)]
