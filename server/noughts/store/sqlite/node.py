"""The life of the one node that uses the file."""

from __future__ import annotations

from noughts.store.sqlite.schema import SCHEMA_VERSION
from noughts.store.sqlite.writer import Writer


class SqliteNode:
    """A :class:`~noughts.store.contract.NodeStore`."""

    _writer: Writer

    async def open(self) -> None:
        await self._writer.open()

    async def close(self) -> None:
        await self._writer.close()

    async def ping(self) -> None:
        # SQLite skips an update that changes nothing, disk or no disk; it always writes the header of the file.
        await self._writer.execute(f"PRAGMA user_version={SCHEMA_VERSION}")

    async def beat(self, now_ms: int) -> None:
        sql = "INSERT OR REPLACE INTO alive(one, at_ms) VALUES(1,?)"
        await self._writer.execute(sql, (now_ms,))

    async def last_beat_ms(self) -> int | None:
        row = await self._writer.row("SELECT at_ms FROM alive WHERE one=1")
        return None if row is None else row[0]

    @property
    def commits(self) -> int:
        return self._writer.commits
