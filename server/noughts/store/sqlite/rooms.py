"""Rooms, their finished games and their chat, as the writer's thread reads them."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from noughts.store.contract import Change, CommitReceiver, DamagedError, HeldRoom, ListedRoom, Listing, StoredRoom
from noughts.store.sqlite.changes import load_room
from noughts.store.sqlite.writer import Writer


class SqliteRooms:
    """A :class:`~noughts.store.contract.RoomStore`."""

    shared: Final = False

    _writer: Writer

    def submit(self, change: Change, receiver: CommitReceiver) -> None:
        self._writer.submit(change, receiver)

    async def load(self, room: str) -> StoredRoom | None:
        return await self._writer.run(lambda db: load_room(db, room))

    async def hold(self, room: str) -> HeldRoom | None:
        stored = await self.load(room)
        return None if stored is None else HeldRoom(stored)

    def release(self, room: str) -> None:
        pass

    async def game(self, room: str, number: int) -> bytes | None:
        sql = "SELECT data FROM games WHERE room=? AND number=?"
        row = await self._writer.row(sql, (room, number))
        return None if row is None else row[0]

    async def deadlines(self) -> Sequence[tuple[str, int]]:
        return await self._writer.rows("SELECT id, wake_at_ms FROM rooms")

    async def claim_due(self, now_ms: int, limit: int, retry_ms: int) -> Sequence[str]:
        def work(db: sqlite3.Connection) -> list[str]:
            sql = "SELECT id FROM rooms WHERE wake_at_ms<=? ORDER BY wake_at_ms LIMIT ?"
            rooms = [row[0] for row in db.execute(sql, (now_ms, limit))]
            db.executemany("UPDATE rooms SET wake_at_ms=? WHERE id=?", [(now_ms + retry_ms, room) for room in rooms])
            return rooms

        return await self._writer.run(work)

    async def postpone(self, room: str, at_ms: int) -> None:
        await self._writer.execute("UPDATE rooms SET wake_at_ms=? WHERE id=?", (at_ms, room))

    async def listed(self, listing: Listing, variant: str | None, limit: int) -> Sequence[ListedRoom]:
        sql = "SELECT id, data FROM rooms WHERE listing=? AND (? IS NULL OR variant=?) ORDER BY rowid DESC LIMIT ?"
        row_sql = "SELECT rowid FROM rooms WHERE listing=? ORDER BY rowid DESC LIMIT ?"
        return await self._rooms(sql, (listing, variant, variant, limit), row_sql, (listing, limit), variant)

    async def rooms_of(self, player: str) -> Sequence[str]:
        sql = "SELECT room FROM seated WHERE player=?"
        rows = await self._writer.rows(sql, (player,))
        return [row[0] for row in rows]

    async def room_count(self) -> int:
        row = await self._writer.row("SELECT count(*) FROM rooms")
        return int(row[0])

    async def newest(self, limit: int) -> Sequence[ListedRoom]:
        sql = "SELECT id, data FROM rooms ORDER BY rowid DESC LIMIT ?"
        # The index of the ids has the numbers of the rows too.
        row_sql = "SELECT rowid FROM rooms INDEXED BY sqlite_autoindex_rooms_1 WHERE id>='' ORDER BY rowid DESC LIMIT ?"
        return await self._rooms(sql, (limit,), row_sql, (limit,), None)

    async def _rooms(
        self,
        sql: str,
        parameters: Sequence[Any],
        row_sql: str,
        row_parameters: Sequence[Any],
        variant: str | None,
    ) -> Sequence[ListedRoom]:
        """Return the rooms of a query. If it meets damage, take their row numbers from an index, and skip damaged rows."""
        with suppress(DamagedError):
            return [ListedRoom(*row) for row in await self._writer.rows(sql, parameters)]
        numbers = await self._writer.rows(row_sql, row_parameters)
        one = "SELECT id, data FROM rooms WHERE rowid=? AND (? IS NULL OR variant=?)"
        reads = [self._writer.row(one, (number, variant, variant)) for (number,) in numbers]
        rows = await asyncio.gather(*reads, return_exceptions=True)
        for row in rows:
            if isinstance(row, BaseException) and not isinstance(row, DamagedError):
                raise row
        return [ListedRoom(*row) for row in rows if isinstance(row, tuple)]
