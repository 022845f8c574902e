"""Addresses that may not use the server."""

from __future__ import annotations

from collections.abc import Sequence

from noughts.store.redis.link import RedisLink


class RedisBans:
    """A :class:`~noughts.store.contract.BanStore`."""

    def __init__(self, link: RedisLink) -> None:
        self._connection = link.connection
        self._banned_key = f"{link.prefix}bans"

    async def ban(self, address: str) -> None:
        await self._connection.call("SADD", self._banned_key, address)

    async def unban(self, address: str) -> None:
        await self._connection.call("SREM", self._banned_key, address)

    async def banned(self) -> Sequence[str]:
        addresses = await self._connection.call("SMEMBERS", self._banned_key)
        return sorted(address.decode() for address in addresses)
