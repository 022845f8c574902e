"""Banned addresses and players: kept in the store, checked in memory."""

from __future__ import annotations

from collections.abc import Iterable

from noughts.app.runtime.addresses import plain
from noughts.store.contract import BanStore
from noughts.store.relay import Notice, Relay


class Bans:
    """The addresses and players that may not use the server. A player's id cannot be an address."""

    def __init__(self, store: BanStore, relay: Relay) -> None:
        self._store = store
        self._relay = relay
        self._take(())

    async def read(self) -> None:
        """Read the banned addresses from the store."""
        self._take(await self._store.banned())

    def holds(self, address: str) -> bool:
        """Return whether an address in its plain spelling, or a player, is banned."""
        return address in self._spellings

    def listed(self) -> list[str]:
        """Return the banned addresses and players, sorted."""
        return sorted(self._addresses)

    async def ban(self, address: str) -> None:
        """Ban an address or a player on every node."""
        await self._store.ban(address)
        self._take(self._addresses | {address})
        self._relay.announce(Notice("banned", address))

    async def lift(self, address: str) -> None:
        """Lift a ban on every node."""
        await self._store.unban(address)
        self._take(self._addresses - {address})
        self._relay.announce(Notice("unbanned", address))

    def _take(self, addresses: Iterable[str]) -> None:
        """Hold these bans. A stored ban may name an IPv4 address as an IPv6 address, in one of several spellings."""
        self._addresses = frozenset(addresses)
        self._spellings = self._addresses | {plain(address) for address in self._addresses}
