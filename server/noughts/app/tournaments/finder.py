"""Makes tournaments, finds them by PIN, and lists them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from noughts.app.machines.node_parts import NodeParts
from noughts.app.machines.repository import Repository
from noughts.app.players.identity import new_id
from noughts.app.runtime.addresses import enclosing_networks
from noughts.app.runtime.quota import NetworkQuota
from noughts.app.tournaments.on_node import TournamentOnNode, TournamentRegistry
from noughts.errors import Rejection
from noughts.room.seat import Person
from noughts.tournament.tournament import State, Tournament

MAX_LISTED: Final = 50
MAX_OF_HOST: Final = 3
"""Tournaments of one host that are not over."""
MAX_OF_SERVER: Final = 20
"""Tournaments of a server that are not over."""
PIN_DIGITS: Final = 6
SECRET_BYTES: Final = 16
MAX_TRIES: Final = 50
"""The most PINs that are tried for a new tournament."""
LOCK: Final = "tournaments"
_NOT_OVER: Final = ("open", "open_unlisted", "running", "running_unlisted")
_OVER: Final = ("over", "over_unlisted")


class TournamentFinder:
    """Makes and finds tournaments. Without a quota, there is no limit on their number."""

    def __init__(
        self,
        parts: NodeParts,
        repository: Repository[Tournament],
        registry: TournamentRegistry,
        delete: Callable[[TournamentOnNode], Awaitable[None]],
        quota: NetworkQuota | None,
    ) -> None:
        self._store = repository.store
        self._repository = repository
        self._registry = registry
        self._coordination = parts.backend.coordination
        self._node = parts.state
        self._rng = parts.rng
        self._delete = delete
        self._quota = quota

    async def create(self, host: Person, address: str, **fields: Any) -> TournamentOnNode:
        """Make a tournament, asked for from an address. Raise ``too_many_tournaments``, and ``StoreUnavailableError``.

        One node makes one at a time, so that no two have the same PIN and the limits are exact.
        """
        async with self._coordination.lock(LOCK):
            quota = self._quota
            if quota is not None:
                await self._check_number(quota, host, address)
            pin = await self._free_pin()
            now_ms = self._node.clock.now_ms()
            secret = secrets.token_bytes(SECRET_BYTES)
            value = Tournament(
                new_id(), 1, host=host.nameless, secret=secret, pin=pin, created_ms=now_ms, used_ms=now_ms, **fields
            )
            actor = await self._registry.create(value)
            if quota is not None:
                quota.add(value.id, address)
            return actor

    async def _check_number(self, quota: NetworkQuota, host: Person, address: str) -> None:
        values = await self.unfinished()
        if sum(value.host.player == host.player for value in values) >= MAX_OF_HOST:
            message = f"You host {MAX_OF_HOST} tournaments that are not over: end one of them first."
            raise Rejection("too_many_tournaments", message, retry_ms=60_000)
        while (crowded := quota.crowded(address)) is not None:
            is_deleted = await self._make_way(quota, quota.ids_of(crowded), over=True)
            if not is_deleted and quota.crowded(address) is not None:
                message = "There are too many tournaments of your network: end one of them first."
                raise Rejection("too_many_tournaments", message, retry_ms=60_000)
        if len(values) >= MAX_OF_SERVER and not await self._make_way(quota, _emptiest(quota, values, address)):
            message = "This server has as many tournaments as it may have: try again later."
            raise Rejection("too_many_tournaments", message, retry_ms=60_000)

    async def _make_way(self, quota: NetworkQuota, ids: Sequence[str], *, over: bool = False) -> bool:
        """Delete the first of some tournaments that is there, or that is over. Return False without one."""
        for id in ids:
            try:
                actor = await self._registry.open(id)
                if not over or actor.value.state == "over":
                    await self._delete(actor)
                    quota.remove(id)
                    return True
            except Rejection as rejection:
                if rejection.code == "unknown_tournament":
                    quota.remove(id)
        return False

    async def _free_pin(self) -> str:
        for _ in range(MAX_TRIES):
            pin = f"{self._rng.randrange(10**PIN_DIGITS):0{PIN_DIGITS}}"
            if await self._id_of(pin, (*_NOT_OVER, *_OVER)) is None:
                return pin
        raise Rejection("too_many_tournaments", "There is no free PIN: try again later.", retry_ms=60_000)

    async def find(self, pin: str) -> TournamentOnNode | None:
        """Return the tournament with a PIN, one that is not over before one that is; None without one."""
        id = await self._id_of(pin, (*_NOT_OVER, *_OVER))
        return None if id is None else await self._registry.open(id)

    async def _id_of(self, pin: str, listings: Sequence[str]) -> str | None:
        for listing in listings:
            rows = await self._store.listed(listing, pin, 1)
            if rows:
                return rows[0].id
        return None

    async def listed(self, state: State) -> list[Tournament]:
        """Return the newest public tournaments in a state, newest first. Raise ``StoreUnavailableError``."""
        return await self._listed(state, None, MAX_LISTED)

    async def unfinished(self) -> list[Tournament]:
        """Return the tournaments that are not over, the newest of each listing. Raise ``StoreUnavailableError``."""
        return [value for listing in _NOT_OVER for value in await self._listed(listing, None, MAX_LISTED)]

    async def _listed(self, listing: str, pin: str | None, most: int) -> list[Tournament]:
        values = []
        for row in await self._store.listed(listing, pin, most):
            values.append(self._repository.decode(row.data))
            await asyncio.sleep(0)  # a large one takes a while
        return values


def _emptiest(quota: NetworkQuota, values: Sequence[Tournament], address: str) -> list[str]:
    """Return the tournaments not begun of a network that has more than half of the server's, the emptiest first.

    Return none for an address of that network.
    """
    ids, own = {value.id for value in values}, set(enclosing_networks(address))
    for network in quota.networks:
        if network not in own and quota.load_of(ids, network) > MAX_OF_SERVER / 2:
            of_network = set(quota.ids_of(network))
            not_begun = [value for value in values if value.state == "open" and value.id in of_network]
            return [value.id for value in sorted(not_begun, key=lambda value: len(value.entrants))]
    return []
