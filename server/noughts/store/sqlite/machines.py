"""The values of one kind, their records and their chat, as the writer's thread reads them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from noughts.store.contract import DamagedError
from noughts.store.kinds import ROOM
from noughts.store.machine_store import Change, CommitReceiver, Due, HeldRow, ListedRow, Listing, StoredRow, WholeRow
from noughts.store.sqlite.changes import load_row, whole_row
from noughts.store.sqlite.schema import tables_of
from noughts.store.sqlite.writer import Word, Writer


class SqliteMachines:
    """A :class:`~noughts.store.contract.MachineStore`."""

    shared: Final = False

    def __init__(self, writer: Writer, kind: str = ROOM) -> None:
        self._writer = writer
        self.submit: Callable[[Change, CommitReceiver], None] = writer.submit
        self._tables = tables_of(kind)
        self._claimed = (-1, 0)
        """The deadline and the row number of the last value that was returned as due."""

    async def load(self, id: str) -> StoredRow | None:
        return await self._writer.run(lambda db: load_row(db, self._tables, id))

    async def hold(self, id: str) -> HeldRow | None:
        stored = await self.load(id)
        return None if stored is None else HeldRow(stored)

    def release(self, id: str) -> None:
        pass

    async def record(self, id: str, number: int) -> bytes | None:
        sql = f"SELECT data FROM {self._tables.records} WHERE {self._tables.key}=? AND number=?"
        row = await self._writer.row(sql, (id, number))
        return None if row is None else row[0]

    async def claim_due(self, until_ms: int, limit: int, retry_ms: int) -> Sequence[Due]:
        sql = (
            f"SELECT id, wake_at_ms, rowid FROM {self._tables.values}"
            " WHERE (wake_at_ms, rowid)>(?, ?) AND wake_at_ms<=? ORDER BY wake_at_ms, rowid LIMIT ?"
        )
        rows = await self._writer.rows(sql, (*self._claimed, until_ms, limit))
        if rows:
            self._claimed = rows[-1][1:]
        return [Due(id, at_ms) for id, at_ms, _ in rows]

    async def postpone(self, id: str, at_ms: int) -> None:
        await self._writer.execute(f"UPDATE {self._tables.values} SET wake_at_ms=? WHERE id=?", (at_ms, id))

    async def time_runs(self) -> bool:
        values = self._tables.values
        sql = f"SELECT 1 FROM {values} INDEXED BY {values}_running WHERE time_runs=1 LIMIT 1"
        return await self._writer.row(sql) is not None

    async def listed(self, listing: Listing, variant: str | None, limit: int) -> Sequence[ListedRow]:
        where = f"FROM {self._tables.values} WHERE listing=?"
        sql = f"SELECT id, data {where} AND (? IS NULL OR variant=?) ORDER BY rowid DESC LIMIT ?"
        row_sql = f"SELECT rowid {where} ORDER BY rowid DESC LIMIT ?"
        return await self._rows(sql, (listing, variant, variant, limit), row_sql, (listing, limit), variant)

    async def newest(self, limit: int) -> Sequence[ListedRow]:
        values = self._tables.values
        sql = f"SELECT id, data FROM {values} ORDER BY rowid DESC LIMIT ?"
        # The index of the ids has the numbers of the rows too.
        index = f"sqlite_autoindex_{values}_1"
        row_sql = f"SELECT rowid FROM {values} INDEXED BY {index} WHERE id>='' ORDER BY rowid DESC LIMIT ?"
        return await self._rows(sql, (limit,), row_sql, (limit,), None)

    async def ids_of(self, player: str) -> Sequence[str]:
        rows = await self._writer.rows(
            f"SELECT {self._tables.key} FROM {self._tables.owners} WHERE player=?", (player,)
        )
        return [row[0] for row in rows]

    async def ids_with_lines_of(self, player: str) -> Sequence[str]:
        sql = f"SELECT DISTINCT {self._tables.key} FROM {self._tables.lines} WHERE player=?"
        return [id for (id,) in await self._writer.rows(sql, (player,))]

    async def ids(self) -> Sequence[str]:
        return [id for (id,) in await self._writer.rows(f"SELECT id FROM {self._tables.values} ORDER BY rowid")]

    async def whole(self, id: str) -> WholeRow | None:
        return await self._writer.run(lambda db: whole_row(db, self._tables, id))

    async def count(self, listing: Listing | None = None) -> int:
        where, parameters = ("", ()) if listing is None else (" WHERE listing=?", (listing,))
        row = await self._writer.row(f"SELECT count(*) FROM {self._tables.values}{where}", parameters)
        return int(row[0])

    async def records(self, id: str, numbers: Sequence[int]) -> Sequence[bytes | None]:
        tables = self._tables
        sql = (
            f"SELECT number, data FROM {tables.records} WHERE {tables.key}=?"
            " AND number IN (SELECT value FROM json_each(?))"
        )
        rows = dict(await self._writer.rows(sql, (id, json.dumps(list(numbers)))))
        return [rows.get(number) for number in numbers]

    async def _rows(
        self,
        sql: str,
        parameters: Sequence[Word],
        row_sql: str,
        row_parameters: Sequence[Word],
        variant: str | None,
    ) -> Sequence[ListedRow]:
        """Return the values of a query. If it meets damage, take their row numbers from an index, and skip damaged rows."""
        with suppress(DamagedError):
            return [ListedRow(*row) for row in await self._writer.rows(sql, parameters)]
        numbers = await self._writer.rows(row_sql, row_parameters)
        one = f"SELECT id, data FROM {self._tables.values} WHERE rowid=? AND (? IS NULL OR variant=?)"
        reads = [self._writer.row(one, (number, variant, variant)) for (number,) in numbers]
        rows = await asyncio.gather(*reads, return_exceptions=True)
        for row in rows:
            if isinstance(row, BaseException) and not isinstance(row, DamagedError):
                raise row
        return [ListedRow(*row) for row in rows if isinstance(row, tuple)]
