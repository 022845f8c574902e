"""What the file holds of a player's secrets."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from noughts.store.contract import StoredPlayer
from noughts.store.sqlite.store import SqliteStore


async def test_no_secret_stands_in_the_file(tmp_path: Path) -> None:
    """The store is given hashes and keeps what it is given."""
    store = SqliteStore(tmp_path / "noughts.db")
    await store.open()
    await store.add_player(StoredPlayer("p_ann", "Ann", 1), b"\x01hash")
    with closing(sqlite3.connect(tmp_path / "noughts.db")) as db:
        assert db.execute("SELECT hash, player FROM tokens").fetchall() == [(b"\x01hash", "p_ann")]
    await store.close()
