"""One room as this process knows it: its value, who is connected, and the way of a command from asking to every screen.

Save, then tell: a change is stored under compare-and-set, then sent to everybody, then answered. One command at a time.
"""

from __future__ import annotations

import asyncio
from typing import Final

import structlog
from msgspec.structs import replace

from noughts.app.answered import Answered
from noughts.app.connection import Connection
from noughts.app.crowd import Crowds
from noughts.app.finding import Finding
from noughts.app.screens import Screens
from noughts.app.surroundings import Surroundings
from noughts.errors import Rejection
from noughts.room.commands import AnyCommand, Request, Resumed, RoomCommand, Wake
from noughts.room.due import settle_at_ms, wake_at_ms
from noughts.room.events import Ended, Event, Reacted, Said
from noughts.room.record import game_bytes, room_bytes, room_from
from noughts.room.room import Room, flag_at_ms
from noughts.room.seat import Person
from noughts.room.step import step
from noughts.store.contract import Change, Line, StoreUnavailableError

CLOSE_ROOM_CLOSED: Final = 4410
_TRIES: Final = 5

log = structlog.get_logger()


class Host:
    """A room and its connections."""

    __slots__ = (
        "_answered",
        "_finding",
        "_lock",
        "_next_line",
        "_settle_at_ms",
        "around",
        "crowds",
        "id",
        "room",
        "screens",
        "thinking",
        "thinking_about",
    )

    def __init__(self, room_id: str, around: Surroundings[Host]) -> None:
        self.id = room_id
        self.around = around
        self.room: Room | None = None
        self.screens = Screens(around.house)
        self.crowds = Crowds(self)
        self.thinking: asyncio.Task[None] | None = None
        self.thinking_about: tuple[int, int, bool] | None = None
        self._lock = asyncio.Lock()
        self._answered = Answered()
        self._finding = Finding(around.house)
        self._settle_at_ms: int | None = None
        self._next_line = 1

    # --- what it is ---------------------------------------------------------------------------------------------

    @property
    def connections(self) -> set[Connection]:
        return self.screens.connections

    @property
    def idle(self) -> bool:
        """Whether nothing here would be lost by forgetting the host."""
        timed = self.room is not None and flag_at_ms(self.room) is not None
        return not self.connections and self.thinking is None and not timed and not self._lock.locked()

    async def current(self) -> Room:
        """The room as last committed, read from the store when this process does not hold it. Raises
        ``unknown_room``, ``unavailable``."""
        if self.room is not None:
            return self.room
        async with self._lock:
            return await self._load()

    async def _load(self) -> Room:
        if self.room is not None:
            return self.room
        around = self.around
        asked_ms = around.clock.now_ms()
        try:
            stored = await around.store.load(self.id)
            names = await around.store.names([line.player for line in stored.lines]) if stored else {}
        except StoreUnavailableError:
            raise self._unavailable(asked_ms) from None
        self._store_answers()
        if stored is None:
            self.around.gone(self)
            raise Rejection("unknown_room", "There is no such room, or it has expired: make a new one.")
        self.screens.remember(stored.lines, names)
        self._next_line = stored.lines[-1].n + 1 if stored.lines else 1
        self._answered = Answered(stored.answered)
        self._finding.stored = None
        room = room_from(stored.data)
        if room.closed:
            await self._delete()
            raise Rejection("unknown_room", "There is no such room, or it has expired: make a new one.")
        self._hold(room)
        self.screens.show(self._held())  # read again, it may hold what nobody here was shown
        await self._give_back()
        self._schedule()
        return self._held()

    def _held(self) -> Room:
        if self.room is None:
            raise self._unavailable(self.around.clock.now_ms())
        return self.room

    def _hold(self, room: Room) -> None:
        """Take a room as the current one, with presence as the sockets tell it by now."""
        before = self.room
        if before is None or before.x is not room.x or before.o is not room.o or before.owner is not room.owner:
            self.room = room
            self.room = self.crowds.with_presence(room)
        elif before.presence is not room.presence:
            self.room = replace(room, presence=before.presence)
        else:
            self.room = room
        self.screens.outdated()

    async def create(self, room: Room) -> None:
        """Store a new room. Raises ``unavailable``."""
        async with self._lock:
            found = self._finding.of(room)
            change = Change(room.id, room.version, 0, data=room_bytes(room), found=found)
            asked_ms = self.around.clock.now_ms()
            try:
                stored = await self.around.store.commit(change)
            except StoreUnavailableError:
                raise self._unavailable(asked_ms) from None
            self._store_answers()
            if not stored:
                raise Rejection("conflict", "A room with that id exists.")
            self._finding.stored = found
            self._hold(room)
            self._schedule()
            self.around.changed(self, found)

    # --- commands -----------------------------------------------------------------------------------------------

    async def request(self, by: Person, command: RoomCommand) -> int:
        """Carry out a person's command; the room's version after it, the old one for an id answered before. Raises
        :class:`Rejection`."""
        async with self._lock:
            key = (by.player, command.id)
            if self.room is None:
                await self._load()
            known = self._answered.version(key)
            if known is not None:
                return known
            return await self._apply(Request(self.around.called(by), command), key)

    async def tell(self, command: AnyCommand) -> int:
        """Carry out what is no person's: the engine's move, a name. Raises :class:`Rejection`."""
        async with self._lock:
            await self._load()
            return await self._apply(command, None)

    async def wake(self) -> None:
        """Settle what is due, and let the engine think."""
        async with self._lock:
            await self._load()
            await self._settle()
            if self.room is not None:
                self._schedule()

    async def _settle(self) -> Room:
        """Do first what is due, by a clock that charges nobody for an outage."""
        await self._give_back()
        if self._settle_at_ms is not None and self._settle_at_ms <= self.around.clock.now_ms():
            await self._apply(Wake(), None, settled=True)
        if self.room is None:
            raise Rejection("unknown_room", "This room has just expired: make a new one.")
        return self.room

    async def _apply(self, command: AnyCommand, key: tuple[str, str] | None, *, settled: bool = False) -> int:
        around = self.around
        for _ in range(_TRIES):
            room = self.room or await self._load()
            if not settled and self._settle_at_ms is not None:
                room = await self._settle()
            now_ms = around.clock.now_ms()
            after, events = step(room, command, now_ms, around.house)
            if after is room and key is None:
                return room.version
            change = self._change(room, after, events, key, now_ms)
            try:
                stored = await around.store.commit(change)
            except StoreUnavailableError:
                self.room = None  # what is stored is not known: read it again
                raise self._unavailable(now_ms) from None
            if stored:
                self._committed(room, after, events, change)
                if after.closed and not room.closed:
                    await self._delete()
                return after.version
            self.room = None  # another came first
            if key is not None:
                await self._load()
                known = self._answered.version(key)
                if known is not None:
                    return known
        self.look_again()
        raise Rejection("unavailable", "The room is too busy: send the same again.", retry_ms=500)

    # --- outages ------------------------------------------------------------------------------------------------

    async def resume(self) -> None:
        """The store was away: nobody could play here, though nothing of this room was asked of it."""
        async with self._lock:
            await self._load()
            await self._give_back()

    async def _give_back(self) -> None:
        """Charge nobody for the time in which nobody could play. Before anything is settled: a flag that fell then has
        not fallen."""
        room, around = self._held(), self.around
        if flag_at_ms(room) is None:
            return
        now_ms = around.clock.now_ms()
        if around.outages.on:  # over or not? Only the store can tell, and until then nobody moves and no flag falls
            try:
                await around.store.ping()
            except StoreUnavailableError:
                raise self._unavailable(now_ms) from None
            self._store_answers()
            now_ms = around.clock.now_ms()
        lost_ms = around.outages.lost_ms(room.used_ms)
        if lost_ms > 0:
            await self._apply(Resumed(now_ms - lost_ms), None, settled=True)

    def _store_answers(self) -> None:
        if self.around.outages.end(self.around.clock.now_ms()):
            self.around.recovered()

    def _unavailable(self, since_ms: int) -> Rejection:
        around = self.around
        if around.outages.begin(since_ms):
            log.error("the store cannot be reached", room=self.id)
        around.schedule(self.id, around.clock.now_ms() + 1_000)
        return Rejection(
            "unavailable", "The server cannot store this now: send the same again in a moment.", retry_ms=1_000
        )

    def _change(
        self, room: Room, after: Room, events: tuple[Event, ...], key: tuple[str, str] | None, now_ms: int
    ) -> Change:
        """What to store."""
        data, found, game, line = None, None, None, None
        if after is not room:
            data = room_bytes(after)
            found = self._finding.news(after)
        for event in events:
            if isinstance(event, Ended) and after.game is not None:
                game = (event.game, game_bytes(after.game))
            elif isinstance(event, Said):
                line = Line(self._next_line, now_ms, event.player, event.mark, event.text, event.ply)
        forget = self._answered.too_old(key[0]) if key is not None else ()
        return Change(self.id, after.version, room.version, data, found, key, forget, game, line)

    def _committed(self, room: Room, after: Room, events: tuple[Event, ...], change: Change) -> None:
        """A change is durable: take it over, tell everybody, and see what comes next."""
        self._store_answers()
        if change.answered is not None:
            self._answered.add(change.answered, after.version, change.forget)
        if change.found is not None:
            self._finding.stored = change.found
        if change.line is not None:
            self._next_line = change.line.n + 1
        for event in events:
            if isinstance(event, Said) and change.line is not None:
                self.screens.names[event.player] = event.name
                self.screens.say(change.line)
            elif isinstance(event, Reacted):
                self.screens.react(event)
        if after is room:
            return
        self._hold(after)
        self.screens.show(self._held(), events)
        if (after.x, after.o) != (room.x, room.o):
            self.crowds.changed()
        self._schedule()
        self.around.changed(self, change.found)

    async def _delete(self) -> None:
        """A closed room: everybody is sent away, and nothing of it stays."""
        self.room = None
        if self.thinking is not None:
            self.thinking.cancel()
        again_ms = None
        try:
            await self.around.store.delete(self.id)
            self.around.deleted()
        except StoreUnavailableError:
            again_ms = self.around.clock.now_ms() + 1_000
        self.around.schedule(self.id, again_ms)
        self.around.gone(self)
        for connection in tuple(self.connections):
            self.around.background.run(connection.close(CLOSE_ROOM_CLOSED, "the room is closed"))

    def _schedule(self) -> None:
        room, house = self._held(), self.around.house
        self.around.think(self)
        self._settle_at_ms = settle_at_ms(room, house)
        # While the engine thinks, or its move is on the way to the store, its part is not due a second time.
        at_ms = wake_at_ms(room, house) if self.thinking_about is None else self._settle_at_ms
        self.around.schedule(self.id, at_ms)

    def look_again(self) -> None:
        """Come back to this room in a second, or when something is due before."""
        at_ms = self.around.clock.now_ms() + 1_000
        self.around.schedule(self.id, at_ms if self._settle_at_ms is None else min(at_ms, self._settle_at_ms))

    # --- connections --------------------------------------------------------------------------------------------

    def join(self, connection: Connection) -> None:
        """A connection arrives: it is sent the room, who is here and what was said."""
        self.crowds.join(connection)
        self._presence_changed()
        self.connections.add(connection)
        self.screens.show_to(connection, self._held())
        self.crowds.send(connection, self.crowds.frame())
        self.screens.show_chat_to(connection)
        self.crowds.changed()

    def show_to(self, connection: Connection) -> None:
        """Send the room to one client, that has shown to be behind."""
        if self.room is not None:
            self.screens.show_to(connection, self.room)

    def leave(self, connection: Connection) -> None:
        """A connection is gone."""
        self.connections.discard(connection)
        self.crowds.leave(connection)
        if self.room is not None:
            self._presence_changed()
            self.crowds.changed()

    def _presence_changed(self) -> None:
        room = self._held()
        before = room.presence
        self.room = self.crowds.with_presence(room)
        after = self.room.presence
        if (before.x, before.o, before.owner_away_since_ms) != (after.x, after.o, after.owner_away_since_ms):
            self.screens.outdated()
            if not room.playing and not room.closed:
                # Under its old version once more: the owner may free the seat of one who is away.
                self.screens.show(self.room)
        if before != after:
            self._schedule()
            self.around.changed(self, None)

    def owner_here(self) -> bool:
        """Whether the owner is connected, or has just made the room and is about to."""
        room = self._held()
        return room.presence.owner_away_since_ms is None or self.fresh

    @property
    def fresh(self) -> bool:
        """Whether the room has just been made and nobody has been here yet."""
        return self._held().version == 1 and not self.connections and not self._held().presence.left_ms

    def network_measured(self) -> None:
        """A player's network was measured: the give-back of the clock follows."""
        if self.room is not None and self.room.clock is not None:
            self.room = self.crowds.with_presence(self.room)
            self._schedule()
