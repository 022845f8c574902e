"""Quick play: seats two strangers who want the same game in one room."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from msgspec.structs import replace

from noughts.app.machines.node_parts import NodeParts
from noughts.app.players.identity import new_id
from noughts.app.rooms.on_node import RoomOnNode
from noughts.app.rooms.parts import Rooms
from noughts.errors import Rejection
from noughts.room.clock import ClockSetting
from noughts.room.commands import Sit
from noughts.room.room import Room, mark_of
from noughts.room.seat import Person
from noughts.rules.outcome import Mark
from noughts.rules.variant import Variant
from noughts.store.presence import RoomPresence, stored_presence

MEETING_MS: Final = 3_000
"""How long the owner of a room that quick play has made has to connect to it."""
MAX_READ: Final = 1_000
"""The most open rooms read for quick play. The number of rooms of one player is far lower, so none can hide the others."""


class Matchmaking:
    """Finds an opponent, or makes a room to wait in.

    A lock of all nodes lets one request for a variant run at a time. So two players who ask at the same time meet.
    """

    def __init__(self, parts: NodeParts, rooms: Rooms) -> None:
        self._listed_rooms = rooms.listed
        self._registry = rooms.registry
        self._factory = rooms.factory
        self._mirror = parts.backend.presence
        self._node = parts.state
        self._names = parts.names
        self._coordination = parts.backend.coordination

    async def quick_play(
        self,
        player: Person,
        variant: Variant,
        clock: ClockSetting | None,
        address: str,
        charge: Callable[[], Awaitable[None]],
    ) -> tuple[RoomOnNode, bool]:
        """Return a room in which the player is seated, and whether it is new.

        ``charge`` is called before a new room is made, and raises if the player has made too many. A seat costs no credit.
        """
        async with self._coordination.lock(f"quick play {variant.key}"):
            rooms = await self._waiting(player, variant, clock)
            for room in rooms:
                if mark_of(room, player.player) is not None:
                    return await self._registry.open(room.id), False
            for room in reversed(rooms):  # the longest waiting comes first
                actor = await self._seated(room, player)
                if actor is not None:
                    return actor, False
            await charge()
            actor = await self._factory.create(player, variant, "anyone", None, (), clock, "public", address)
            actor.note_request(player.player)  # a sign of life: the player is about to connect
            return actor, True

    def _owner_is_here(self, room: Room, stored: RoomPresence | None) -> bool:
        """Whether a room's owner is connected, or has just made the room by quick play and is about to connect."""
        owner, now_ms = room.owner.player, self._node.clock.now_ms()
        if stored is None:
            presence, seen_ms = self._mirror.presence(room.id, (owner,), now_ms), self._mirror.seen_ms(room.id, owner)
        else:
            presence, seen_ms = stored_presence(stored, (owner,)), stored.departed_ms.get(owner, 0)
        return presence.is_here(owner) or (not presence.last_left_ms and now_ms < seen_ms + MEETING_MS)

    async def _seated(self, room: Room, player: Person) -> RoomOnNode | None:
        """Seat the player in an open room. Return its actor; None if the seat was taken or the room closed meanwhile."""
        mark: Mark = "O" if room.seats.O is None else "X"
        try:
            actor = await self._registry.open(room.id)
            names = await self._names.of([player.player])  # the last read before the seat is taken
            person = replace(player, name=names[player.player])
            await actor.request(person, Sit(f"quickplay {new_id()}", mark))
        except Rejection as rejection:
            if rejection.code == "unavailable":
                raise
            return None
        return actor

    async def _waiting(self, player: Person, variant: Variant, clock: ClockSetting | None) -> list[Room]:
        """Return the open rooms in which the player sits or could meet the owner, newest first."""
        return [
            room
            async for room, stored in self._listed_rooms.read("open", variant.key, MAX_READ)
            if room.clock == clock
            and (
                mark_of(room, player.player) is not None
                or (room.owner.player != player.player and self._owner_is_here(room, stored))
            )
        ]
