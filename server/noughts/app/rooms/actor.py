"""The actor of a room: the generic one, with the words of rooms for its users."""

from __future__ import annotations

from typing import TypeAlias

from noughts.app.delivery.connection import Connection
from noughts.app.machines.actor import Actor
from noughts.app.machines.registry import Registry
from noughts.app.machines.replies import RETRY_MS
from noughts.app.rooms.connections import RoomConnections
from noughts.app.rooms.room_search import RoomSearch
from noughts.app.rooms.visitors import RoomVisitors
from noughts.room.commands import Request, RoomCommand
from noughts.room.idempotency import command_key
from noughts.room.presence import Presence
from noughts.room.room import Room
from noughts.room.seat import Person


class RoomActor(Actor[Room]):
    """A room, its visitors on this node, and the commands that wait for it."""

    __slots__ = ()

    visitors: RoomVisitors

    @property
    def room(self) -> Room:
        return self.value

    @property
    def connections(self) -> RoomConnections:
        return self.visitors.connections

    @property
    def presence(self) -> Presence:
        return self.visitors.presence

    async def request(self, person: Person, command: RoomCommand) -> int:
        """Carry out a player's command. Return the room's version after it. Raise :class:`Rejection`."""
        self.visitors.note_request(person.player)
        return await self.tell(Request(person, command), command_key(person.player, command.id))

    def lag_measured(self) -> None:
        """Take over a new measurement of a player's lag."""
        if self.value.clock is not None:
            self.visitors.note_presence(self.value)
            self.schedule()

    def visible_changed(self, connection: Connection, *, visible: bool) -> None:
        """Take over whether a player sees the page on a connection."""
        if self.visitors.visible_changed(connection, self.value, visible=visible):
            self.schedule()

    def notice_ended(self, retry_ms: int = 0) -> None:
        """Note that a notice is settled. With ``retry_ms``, it is tried again after that time."""
        if retry_ms:
            self.schedule()  # while the notice still counts as being sent: it waits for the retry
            self.retry(retry_ms)
        self.visitors.noticing = False
        if not retry_ms:
            self.schedule()

    def search_ended(self, search: RoomSearch, *, retry: bool) -> None:
        """Note that a search has ended. With ``retry``, the engine tries again after a delay."""
        visitors = self.visitors
        if visitors.search is not search:
            return
        if retry:
            self.schedule()  # while the search is still set: the flag falls in time, and the engine waits for the retry
            self.retry(RETRY_MS)
        visitors.search = None
        if not retry:
            self.schedule()

    def presence_changed(self) -> None:
        """Take over a report of another node, or the end of a node."""
        if self.visitors.presence_changed(self.value):
            self.schedule()


RoomRegistry: TypeAlias = Registry[RoomActor]
"""The rooms that this node holds."""
