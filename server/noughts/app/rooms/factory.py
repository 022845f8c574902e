"""Makes rooms, up to the limits on their number."""

from __future__ import annotations

from typing import Final

import structlog

from noughts.app.machines.node_parts import NodeParts
from noughts.app.players.identity import new_id, new_secret
from noughts.app.rooms.kind import MATCH
from noughts.app.rooms.on_node import RoomOnNode, RoomRegistry
from noughts.app.runtime.limits import MAX_ROOMS_OF_PLAYER
from noughts.app.runtime.quota import NetworkQuota
from noughts.errors import Rejection
from noughts.room.clock import ClockSetting
from noughts.room.commands import Discard, Visibility
from noughts.room.creation import Opponent, new_room
from noughts.room.policy import Policy
from noughts.room.seat import Person
from noughts.room.seats import check_level
from noughts.rules.game import Game
from noughts.rules.outcome import MARKS, Mark
from noughts.rules.variant import Variant

MAX_TRIES: Final = 8
"""The most rooms that are tried when one is to make way."""

log = structlog.get_logger()


class RoomFactory:
    """Makes rooms."""

    def __init__(
        self,
        parts: NodeParts,
        registry: RoomRegistry,
        policy: Policy,
        quota: NetworkQuota,
        *,
        most: int | None,
    ) -> None:
        self._rooms = parts.backend.store
        self._registry = registry
        self._node = parts.state
        self._policy = policy
        self._quota = quota
        self._rng = parts.rng
        self._most = most
        """The most rooms of the server. None switches off all limits on their number."""
        self._making: set[str] = set()

    async def create(
        self,
        owner: Person,
        variant: Variant,
        opponent: Opponent,
        mark: Mark | None,
        engines: tuple[str, ...],
        clock: ClockSetting | None,
        visibility: Visibility | None,
        address: str,
        opening: Game | None = None,
        first_to: int | None = None,
        swap: bool = False,
    ) -> RoomOnNode:
        """Make a room and return its actor. With ``mark`` None, the owner's mark is random.

        ``address`` is the address of the owner's client. ``opening`` has the moves that the first game begins after.

        Raise ``bad_message``, ``too_many_rooms`` or ``unavailable``, and ``StoreUnavailableError``.
        """
        for level in engines:
            check_level(self._policy, variant.key, level)
        if self._most is not None:
            await self._check_number(owner, address, self._most)
        room = new_room(
            room_id=new_id(),
            invite=new_secret(),
            owner=owner.nameless,
            variant=variant,
            opponent=opponent,
            mark=mark if mark is not None else self._rng.choice(MARKS),
            engines=engines,
            clock=clock,
            visibility=visibility,
            now_ms=self._node.clock.now_ms(),
            opening=opening,
            first_to=first_to,
            swap=swap,
        )
        self._quota.add(room.id, address)  # at once, so that requests at the same time count each other
        self._making.add(room.id)
        try:
            actor = await self._registry.create(room)
        except Rejection:
            self._quota.remove(room.id)
            raise
        finally:
            self._making.remove(room.id)
        return actor

    async def _check_number(self, owner: Person, address: str, most: int) -> None:
        own = len(await self._rooms.ids_of(owner.player))
        total = await self._rooms.count() - await self._rooms.count(MATCH)
        if own >= MAX_ROOMS_OF_PLAYER:
            message = f"You have {own} rooms: close one in its settings, or play on in one of them."
            raise Rejection("too_many_rooms", message, retry_ms=60_000)
        crowded = self._quota.crowded(address)
        if crowded is not None and not await self._make_way(crowded, unplayed=True):
            message = "There are too many rooms of your network: close one, or play on in one of them."
            raise Rejection("too_many_rooms", message, retry_ms=60_000)
        if total >= most:
            heaviest = self._quota.heavier_than(address)
            if heaviest is None or not await self._make_way(heaviest):
                raise Rejection("too_many_rooms", "The server is full: try again later.", retry_ms=60_000)
            log.warning("the server is full: empty rooms of the network with the most make way", network=heaviest)

    async def _make_way(self, network: str, *, unplayed: bool = False) -> bool:
        """Close the emptiest room of a network: one without connections, with the fewest changes, unused the longest.

        With ``unplayed``, close only a room that never changed. Return False without such a room.
        """
        for room_id in self._by_emptiness(network)[:MAX_TRIES]:
            try:
                actor = await self._registry.open(room_id)
                if not actor.presence.connections and not (unplayed and actor.room.version > 1):
                    await actor.tell(Discard())
                    return True
            except Rejection as rejection:
                if rejection.code == "unknown_room":  # it was closed on another node
                    self._quota.remove(room_id)
        return False

    def _by_emptiness(self, network: str) -> list[str]:
        """Return the rooms of a network, the emptiest first. Those that this node does not hold come before all others."""
        order = []
        for age, room_id in enumerate(self._quota.ids_of(network)):
            actor = self._registry.held(room_id)
            if actor is None and room_id not in self._making:
                order.append((0, 0, age, room_id))
            elif actor is not None and not actor.presence.connections:
                order.append((actor.room.version, actor.room.used_ms, age, room_id))
        return [room_id for *_, room_id in sorted(order)]
