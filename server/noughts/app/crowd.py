"""Who is in a room: presence of the two seats, spectators by number and name, and one coalesced message a second.

A dropped socket is not a player who left: the seat stays, ``away`` counts from the moment when the last socket of the
player closed.
"""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

from msgspec.structs import replace

from noughts.app.clock import ServerClock
from noughts.app.connection import Connection, text_frame
from noughts.protocol.codec import encode
from noughts.protocol.messages import Crowd
from noughts.protocol.views import MAX_LISTED_NAMES, places
from noughts.room.clock import GIVE_BACK_MAX_MS
from noughts.room.room import House, Place, Presence, Room
from noughts.room.seat import holder

EVERY_MS: Final = 1_000


class _Around(Protocol):
    @property
    def clock(self) -> ServerClock: ...
    @property
    def house(self) -> House: ...


class _Host(Protocol):
    """What a crowd needs of its room's host."""

    @property
    def room(self) -> Room | None: ...
    @property
    def around(self) -> _Around: ...
    @property
    def connections(self) -> set[Connection]: ...


class Crowds:
    """The crowd of one room."""

    __slots__ = ("_away_since", "_count", "_host", "_left_ms", "_nameless", "_sent_ms", "_sockets", "_timer")

    def __init__(self, host: _Host) -> None:
        self._host = host
        self._count = 0
        self._nameless = 0
        self._sockets: dict[str, list[Connection]] = {}
        self._away_since: dict[str, int] = {}
        self._left_ms = 0
        self._sent_ms = 0
        self._timer: asyncio.TimerHandle | None = None

    def join(self, connection: Connection) -> None:
        person = connection.person
        self._count += 1
        if person is None:
            self._nameless += 1
        else:
            self._sockets.setdefault(person.player, []).append(connection)
            self._away_since.pop(person.player, None)

    def leave(self, connection: Connection) -> None:
        person = connection.person
        self._count -= 1
        self._left_ms = self._host.around.clock.now_ms()
        if person is None:
            self._nameless -= 1
            return
        sockets = self._sockets.get(person.player, [])
        if connection in sockets:
            sockets.remove(connection)
        if not sockets:
            self._sockets.pop(person.player, None)
            room = self._host.room
            if room is not None and person.player in (holder(room.x), holder(room.o), room.owner.player):
                self._away_since[person.player] = self._left_ms

    def with_presence(self, room: Room) -> Room:
        """The room with presence as the sockets tell it now."""
        presence = Presence(
            x=self._place(holder(room.x)),
            o=self._place(holder(room.o)),
            owner_away_since_ms=self._away(room.owner.player),
            watchers=self._count,
            left_ms=self._left_ms,
        )
        return room if presence == room.presence else replace(room, presence=presence)

    def _away(self, player: str) -> int | None:
        if player in self._sockets:
            return None
        return self._away_since.setdefault(player, self._host.around.clock.now_ms())

    def _place(self, player: str | None) -> Place:
        if player is None:
            return _NOBODY
        give_back = max((socket.rtt_ms for socket in self._sockets.get(player, ())), default=0)
        return Place(self._away(player), min(give_back, GIVE_BACK_MAX_MS))

    def spectators(self) -> int:
        """How many watch: nameless sockets, and players without a seat."""
        room = self._host.room
        seated = 0
        if room is not None:
            for seat in (room.x, room.o):
                player = holder(seat)
                seated += player is not None and player in self._sockets
        return self._nameless + len(self._sockets) - seated

    def frame(self) -> bytes:
        """The crowd as a message."""
        host = self._host
        room = host.room
        if room is None:
            raise RuntimeError("the room is not loaded")
        count = self.spectators()
        names: tuple[str, ...] = ()
        if count <= MAX_LISTED_NAMES:
            seated = (holder(room.x), holder(room.o))
            names = tuple(
                [
                    sockets[0].person.name
                    for player, sockets in self._sockets.items()
                    if player not in seated and sockets[0].person is not None
                ]
            )
        now_ms = host.around.clock.now_ms()
        return text_frame(encode(Crowd(places(room, now_ms, host.around.house), count, names)))

    def changed(self) -> None:
        """Tell everybody: at once if the last message is a second old, else when it is."""
        if self._timer is not None:
            return
        wait_ms = self._sent_ms + EVERY_MS - self._host.around.clock.now_ms()
        # Even at once means after this turn of the loop: what else changes in it goes out together.
        self._timer = asyncio.get_running_loop().call_later(max(0, wait_ms) / 1000, self._tell)

    def _tell(self) -> None:
        self._timer = None
        if self._host.room is None or not self._host.connections:
            return
        self._sent_ms = now_ms = self._host.around.clock.now_ms()
        frame = self.frame()
        too_soon = False
        for connection in self._host.connections:
            if now_ms - connection.told_ms < EVERY_MS:
                too_soon = True  # it has just arrived, and was sent a crowd then
            else:
                self.send(connection, frame)
        if too_soon:
            self.changed()

    def send(self, connection: Connection, frame: bytes) -> None:
        """Send a crowd to one client."""
        connection.told_ms = self._host.around.clock.now_ms()
        connection.push(frame, "crowd")


_NOBODY: Final = Place()
