"""Puts a player's new name in place of the old one."""

from __future__ import annotations

import structlog

from noughts.app.delivery.hub import Hub
from noughts.app.players.recent_names import RecentNames
from noughts.app.rooms.registry import RoomRegistry
from noughts.errors import Rejection
from noughts.room.commands import Renamed
from noughts.room.seat import Person
from noughts.store.contract import RoomStore

log = structlog.get_logger()


class Renaming:
    """Changes a player's name in seats, in chat, among spectators, and in commands that still wait."""

    def __init__(self, rooms: RoomStore, registry: RoomRegistry, hub: Hub, names: RecentNames) -> None:
        self._rooms = rooms
        self._registry = registry
        self._hub = hub
        self._names = names

    async def rename(self, person: Person) -> None:
        """Put a player's new name into every room of the player. Raise ``unavailable`` if some may have the old one."""
        self.show(person)
        for room_id in await self._rooms.rooms_of(person.player):
            try:
                actor = await self._registry.open(room_id)
                await actor.tell(Renamed(person))
            except Rejection as rejection:
                if rejection.code == "unavailable":
                    raise
                log.info("a name was not changed in a room", room=room_id, code=rejection.code)

    def show(self, person: Person) -> None:
        """Use a player's new name on this node from now on."""
        self._names.renamed(person)
        self._hub.rename(person)
        for actor in self._registry:
            actor.visitors.rename(person)
