"""The lobby: lists of the public rooms that wait for an opponent or have a game on, sent at most once a second."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing, suppress
from typing import Final

import structlog

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.sender import text_frame
from noughts.app.delivery.welcome import welcome
from noughts.app.machines.deadlines import Deadlines
from noughts.app.machines.node_parts import NodeParts
from noughts.app.node.heartbeat import Heartbeat
from noughts.app.rooms.crowd import spectators
from noughts.app.rooms.parts import Rooms
from noughts.protocol.codec import encode
from noughts.protocol.messages import LiveRoom, Lobby, OpenRoom
from noughts.protocol.views import live_room, open_room
from noughts.room.presence import Presence
from noughts.room.room import Room, players_of
from noughts.room.seat import holder
from noughts.room.timers import grace_ms
from noughts.rules.outcome import MARKS
from noughts.store.contract import StoreUnavailableError
from noughts.store.machine_store import Listing
from noughts.store.presence import RoomPresence, stored_attendance, stored_presence

LOBBY: Final = "lobby"
"""The only key of the deadlines: when the lobby is read next."""
INTERVAL_MS: Final = 1_000
MAX_LISTED: Final = 50
MAX_READ: Final = 1_000
"""The most rooms read for a list. Many are read because those whose players have left are filtered out."""

log = structlog.get_logger()


class LobbyFeed:
    """The connections that show the lobby. While there are any, the lists are read from the store once a second."""

    def __init__(self, parts: NodeParts, rooms: Rooms, heartbeat: Heartbeat) -> None:
        self._sent: dict[Connection, bytes] = {}
        """The last frame that each connection was sent."""
        self._rooms = parts.backend.store
        self._names = parts.names
        self._listed_rooms = rooms.listed
        self._mirror = parts.backend.presence
        self._node = parts.state
        self._policy = rooms.policy
        self.due = Deadlines(parts.state.clock)
        self._heartbeat = heartbeat

    async def join(self, connection: Connection, page: str) -> None:
        """Send a connection the welcome, the lobby now, and the lobby after each change.

        Raise ``StoreUnavailableError``.
        """
        frame, now_ms = await self._frame(), self._node.clock.now_ms()
        welcome(connection, now_ms, page)
        connection.crowd_sent_ms = now_ms
        self._sent[connection] = frame
        connection.push(frame, "lobby")
        self.due.set_sooner(LOBBY, now_ms + INTERVAL_MS)

    def leave(self, connection: Connection) -> None:
        """Remove a connection."""
        self._sent.pop(connection, None)

    async def send_changes(self) -> None:
        """Send the lobby when it is due, until cancelled."""
        while True:
            await self.due.reached()
            try:
                await self.send()
            except Exception:
                log.exception("the lobby was not sent")

    async def send(self) -> None:
        """Send the lobby to every client that was sent another one, at least a second ago."""
        if not self._sent:
            return
        now_ms = self._node.clock.now_ms()
        self.due.set(LOBBY, now_ms + INTERVAL_MS)
        with suppress(StoreUnavailableError):
            frame = await self._frame()
            for connection, sent in tuple(self._sent.items()):
                if frame != sent and now_ms - connection.crowd_sent_ms >= INTERVAL_MS:
                    connection.crowd_sent_ms = now_ms
                    self._sent[connection] = frame
                    connection.push(frame, "lobby")

    async def _frame(self) -> bytes:
        open_rooms, live_rooms = await self.open_rooms(None), await self.live_rooms(None)
        players, count = self._heartbeat.player_count(), await self._rooms.count()
        return text_frame(encode(Lobby(open_rooms, live_rooms, players, count)))

    async def open_rooms(self, variant: str | None) -> tuple[OpenRoom, ...]:
        """Return the rooms that wait for an opponent, newest first. A room whose owner has left is not among them."""
        rooms = await self._listed("open", variant, self._is_waited_in)
        names = await self._names.in_rooms([room for room, _ in rooms])
        return tuple([open_room(room, names) for room, _ in rooms])

    async def live_rooms(self, variant: str | None) -> tuple[LiveRoom, ...]:
        """Return the public games that are on, newest first.

        A game whose players have all left is not among them, nor is a game of two engines that pauses without spectators.
        """
        rooms = await self._listed("live", variant, self._is_played)
        names = await self._names.in_rooms([room for room, _ in rooms])
        return tuple([live_room(room, self._spectators(room, stored), names) for room, stored in rooms])

    def _spectators(self, room: Room, stored: RoomPresence | None) -> int:
        attendance = self._mirror.attendance(room.id) if stored is None else stored_attendance(stored)
        return spectators(room, attendance)[0]

    def _presence(self, room: Room, stored: RoomPresence | None) -> Presence:
        if stored is not None:
            return stored_presence(stored, players_of(room))
        return self._mirror.presence(room.id, players_of(room), self._node.clock.now_ms())

    def _is_waited_in(self, room: Room, stored: RoomPresence | None) -> bool:
        """Return whether a room's owner is connected, or the room is new and has had no visitor."""
        presence = self._presence(room, stored)
        if presence.is_here(room.owner.player):
            return True
        return room.version == 1 and not presence.connections and not presence.last_left_ms

    def _is_played(self, room: Room, stored: RoomPresence | None) -> bool:
        """Return whether a player of the game is connected, or left less than the grace ago.

        A game of two engines is played while somebody watches it.
        """
        if room.engines_only:
            return self._spectators(room, stored) > 0
        presence, grace = self._presence(room, stored), grace_ms(room, self._policy)
        players = [player for mark in MARKS if (player := holder(room.seat(mark))) is not None]
        if any(presence.is_here(player) for player in players):
            return True
        if not presence.last_left_ms:
            return False  # no player has connected since the server started
        return max([presence.away[player] for player in players], default=0) + grace > self._node.clock.now_ms()

    async def _listed(
        self, listing: Listing, variant: str | None, shows: Callable[[Room, RoomPresence | None], bool]
    ) -> Sequence[tuple[Room, RoomPresence | None]]:
        """Return the newest rooms of a list that the lobby shows."""
        shown: list[tuple[Room, RoomPresence | None]] = []
        async with aclosing(self._listed_rooms.read(listing, variant, MAX_READ)) as rooms:
            async for room, stored in rooms:
                if shows(room, stored):
                    shown.append((room, stored))
                    if len(shown) == MAX_LISTED:
                        break
        return shown
