"""Banned addresses: kept in the store, checked in memory."""

from __future__ import annotations

import ipaddress
from contextlib import suppress

from noughts.store.contract import BanStore
from noughts.store.relay import Notice, Relay


class Bans:
    """The addresses that may not use the server."""

    def __init__(self, store: BanStore, relay: Relay) -> None:
        self._store = store
        self._relay = relay
        self._addresses: frozenset[str] = frozenset()

    async def read(self) -> None:
        """Read the banned addresses from the store."""
        self._addresses = frozenset(await self._store.banned())

    def holds(self, address: str) -> bool:
        """Return whether an address is banned, for IPv4 also if the ban names the IPv4-mapped IPv6 address."""
        if address in self._addresses or not self._addresses:
            return address in self._addresses
        with suppress(ValueError):
            return str(ipaddress.IPv6Address(f"::ffff:{address}")) in self._addresses
        return False

    def listed(self) -> list[str]:
        """Return the banned addresses, sorted."""
        return sorted(self._addresses)

    async def ban(self, address: str) -> None:
        """Ban an address on every node."""
        await self._store.ban(address)
        self._addresses |= {address}
        self._relay.announce(Notice("banned", address))

    async def lift(self, address: str) -> None:
        """Lift a ban on every node."""
        await self._store.unban(address)
        self._addresses -= {address}
        self._relay.announce(Notice("unbanned", address))
