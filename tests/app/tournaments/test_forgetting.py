"""A deleted guest in tournaments that are over."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.local_server import local_server
from tests.support.player import WAIT_S
from tests.support.tournament_client import new_cup


@pytest.mark.parametrize("how", ["asks", "does not come back"])
async def test_a_deleted_guest_is_someone_in_old_tournaments(tmp_path: Path, how: str) -> None:
    """Whether the guest asks for the deletion, or does not come back for too long."""
    async with local_server(tmp_path) as served:
        cup = await new_cup(served)
        ann, _ = await cup.entrants(2)
        await cup.ok("stop")
        if how == "asks":
            await ann.api.call("DELETE", "/api/players/me")
    with closing(sqlite3.connect(tmp_path / "noughts.db")) as db, db:
        db.execute("UPDATE players SET seen_ms=0 WHERE name='Player 1'")
    async with local_server(tmp_path) as again, asyncio.timeout(WAIT_S):
        while "someone" not in (names := {row["name"] for row in await cup.standings(again)}):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        assert names == {"Player 2", "someone"}
