"""The lobby: public rooms that wait for somebody, games that are on, in one pushed list, at most once a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from noughts.app.background import Background
from noughts.app.clock import ServerClock
from noughts.app.connection import Connection, text_frame
from noughts.app.host import Host
from noughts.app.hosts import Hosts
from noughts.errors import Rejection
from noughts.protocol.codec import encode
from noughts.protocol.messages import LiveRoom, Lobby, OpenRoom
from noughts.protocol.views import live_room, open_room
from noughts.room.room import grace_ms
from noughts.room.seat import holder
from noughts.rules.outcome import MARKS
from noughts.store.contract import Listing, Store, StoreUnavailableError

EVERY_MS: Final = 1_000
MAX_LISTED: Final = 50
_CANDIDATES: Final = 1_000
"""So many of the newest rooms are looked through for them: games that people have left must not hide those that are on."""


class LobbyHost:
    """Everybody who looks at the lobby."""

    def __init__(self, store: Store, clock: ServerClock, background: Background) -> None:
        self.connections: set[Connection] = set()
        self.hosts: Hosts | None = None
        self._store = store
        self._clock = clock
        self._background = background
        self._timer: asyncio.TimerHandle | None = None
        self._sent_ms = 0
        self._lapse: asyncio.TimerHandle | None = None
        self._lapse_ms = 0

    async def join(self, connection: Connection) -> None:
        """Send the lobby to a newcomer, and whenever it changes from now on."""
        connection.told_ms = self._clock.now_ms()
        self.connections.add(connection)
        connection.push(await self.frame(), "lobby")

    def leave(self, connection: Connection) -> None:
        self.connections.discard(connection)

    def changed(self) -> None:
        """Something in the list is other than it was: tell everybody, once a second at most."""
        if self._timer is None and self.connections:
            wait_ms = self._sent_ms + EVERY_MS - self._clock.now_ms()
            self._timer = asyncio.get_running_loop().call_later(max(0, wait_ms) / 1000, self._tell)

    def _tell(self) -> None:
        self._timer = None
        self._sent_ms = self._clock.now_ms()
        self._background.run(self._send())

    async def _send(self) -> None:
        try:
            frame = await self.frame()
        except Rejection:
            return
        now_ms = self._sent_ms
        too_soon = False
        for connection in self.connections:
            if now_ms - connection.told_ms < EVERY_MS:
                too_soon = True  # it has just arrived, and was sent the lobby then
            else:
                connection.told_ms = now_ms
                connection.push(frame, "lobby")
        if too_soon:
            self.changed()

    async def frame(self) -> bytes:
        """The lobby as a message."""
        players, rooms = await self._count()
        lobby = Lobby(await self.open_rooms(None), await self.live_rooms(None), players, rooms)
        return text_frame(encode(lobby))

    async def open_rooms(self, variant: str | None) -> tuple[OpenRoom, ...]:
        """Rooms that wait for an opponent, newest first; one whose owner has left is not among them."""
        hosts = await self._listed("open", variant, _waited_in)
        return tuple([open_room(host.room) for host in hosts if host.room is not None])

    async def live_rooms(self, variant: str | None) -> tuple[LiveRoom, ...]:
        """Public games that are on, newest first; one whose players have all left is not among them. Two engines are:
        they wait for somebody to watch them."""
        hosts = await self._listed("live", variant, self._played)
        return tuple([live_room(host.room, host.crowds.spectators()) for host in hosts if host.room is not None])

    def _played(self, host: Host) -> bool:
        """Whether a player of the game is here, or was until so short a time ago that it may come back."""
        room = host.room
        if room is None:
            return False
        if room.engines_only:
            return True
        grace = grace_ms(room, host.around.house)
        for mark in MARKS:
            away_since_ms = room.presence.of(mark).away_since_ms
            if holder(room.seat(mark)) is None:
                continue
            if away_since_ms is None:
                return True
            # Nobody has left a room that was only read from the store: it has no player to wait for.
            if room.presence.left_ms and self._clock.now_ms() < away_since_ms + grace:
                self._look_again(away_since_ms + grace)
                return True
        return False

    def _look_again(self, at_ms: int) -> None:
        """A room may leave the list at this time, with nothing happening in it."""
        if self._lapse is not None:
            if self._lapse_ms <= at_ms:
                return
            self._lapse.cancel()
        self._lapse_ms = at_ms
        wait_s = max(0, at_ms - self._clock.now_ms()) / 1000
        self._lapse = asyncio.get_running_loop().call_later(wait_s, self._lapsed)

    def _lapsed(self) -> None:
        self._lapse = None
        self.changed()

    async def _listed(self, listing: Listing, variant: str | None, wanted: Callable[[Host], bool]) -> list[Host]:
        if self.hosts is None:
            return []
        found: list[Host] = []
        try:
            for room_id in await self._store.listed(listing, variant, _CANDIDATES):
                try:
                    host = await self.hosts.find(room_id)
                except Rejection as refused:
                    if refused.code == "unavailable":
                        raise
                    continue
                if wanted(host):
                    found.append(host)
                    if len(found) == MAX_LISTED:
                        break
        except StoreUnavailableError:
            raise Rejection("unavailable", "The list of rooms cannot be read now: try again.") from None
        return found

    async def _count(self) -> tuple[int, int]:
        """Players who are connected, and rooms in memory."""
        if self.hosts is None:
            return 0, 0
        players = {
            connection.person.player
            for host in self.hosts.every()
            for connection in host.connections
            if connection.person is not None
        }
        return len(players), len(self.hosts)


def _waited_in(host: Host) -> bool:
    return host.room is not None and host.owner_here()
