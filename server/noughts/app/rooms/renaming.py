"""Puts a player's new name in place of the old one."""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

from noughts.app.delivery.hub import Hub
from noughts.app.machines.replies import unanswered
from noughts.app.machines.repository import UnreadableRejection
from noughts.app.players.guests import RecentNames
from noughts.app.rooms.actor import RoomRegistry
from noughts.errors import Rejection
from noughts.room.commands import Renamed
from noughts.room.seat import Person
from noughts.store.machine_store import MachineStore

ROOMS_AT_ONCE: Final = 250
"""Rooms that are looked through for the old name in one turn of the event loop."""

log = structlog.get_logger()


class Renaming:
    """Changes a player's name in seats, in chat, among spectators, and in commands that still wait."""

    def __init__(
        self, rooms: MachineStore, registry: RoomRegistry, hub: Hub, names: RecentNames, *, at_once: int = ROOMS_AT_ONCE
    ) -> None:
        self._rooms = rooms
        self._registry = registry
        self._hub = hub
        self._names = names
        self._at_once = at_once

    async def rename(self, person: Person) -> None:
        """Use a player's new name from now on, and put it into every room. Raise as :meth:`rename_stored` does."""
        await self.show(person)
        await self.rename_stored(person)

    async def rename_stored(self, person: Person) -> None:
        """Put a player's new name into every room of the player. Raise ``unavailable`` if some may have the old one.

        A room that cannot be read keeps no other room from the new name.
        """
        unreadable: UnreadableRejection | None = None
        for room_id in await self._rooms.ids_of(person.player):
            try:
                actor = await self._registry.open(room_id)
                await actor.tell(Renamed(person))
            except UnreadableRejection as rejection:
                unreadable = rejection
            except Rejection as rejection:
                if rejection.code == "unavailable":
                    raise
                log.info("a name was not changed in a room", room=room_id, code=rejection.code)
        if unreadable is not None:
            raise unreadable

    async def show(self, person: Person) -> None:
        """Use a player's new name on this node from now on."""
        self._names.renamed(person)
        self._hub.rename(person)
        for number, actor in enumerate(self._registry, 1):
            if number % self._at_once == 0:
                await asyncio.sleep(0)
            newest = self._names.current(person)
            actor.visitors.rename(newest)
            if actor.busy:  # a command under the old name may wait for its step
                actor.submit(Renamed(newest), None, unanswered)
