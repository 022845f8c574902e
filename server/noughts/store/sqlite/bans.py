"""Addresses that may not use the server."""

from __future__ import annotations

from collections.abc import Sequence

from noughts.store.sqlite.writer import Writer


class SqliteBans:
    """A :class:`~noughts.store.contract.BanStore`."""

    _writer: Writer

    async def ban(self, address: str) -> None:
        sql = "INSERT OR IGNORE INTO bans(address) VALUES(?)"
        await self._writer.execute(sql, (address,))

    async def unban(self, address: str) -> None:
        await self._writer.execute("DELETE FROM bans WHERE address=?", (address,))

    async def banned(self) -> Sequence[str]:
        rows = await self._writer.rows("SELECT address FROM bans ORDER BY address")
        return [row[0] for row in rows]
