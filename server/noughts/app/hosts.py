"""All rooms of this process: found or loaded by id, made, woken when due, forgotten when idle."""

from __future__ import annotations

import asyncio
import random
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import structlog

from noughts.app.background import Background
from noughts.app.clock import ServerClock
from noughts.app.deadlines import Deadlines
from noughts.app.engine_player import EnginePlayer
from noughts.app.host import Host
from noughts.app.identity import new_id, new_secret
from noughts.app.limits import MAX_ROOMS, MAX_ROOMS_OF_PLAYER
from noughts.app.outages import Outages
from noughts.app.search.pool import SearchPool
from noughts.app.surroundings import Surroundings
from noughts.app.telemetry import Metrics
from noughts.errors import Rejection
from noughts.room.clock import ClockSetting
from noughts.room.commands import Renamed, Sit, Visibility
from noughts.room.opening import Opponent, new_room
from noughts.room.room import House, Room, flag_at_ms, mark_of
from noughts.room.seat import Person
from noughts.rules.outcome import MARKS, Mark
from noughts.rules.variant import Variant
from noughts.store.contract import Found, Store, StoreUnavailableError

MAX_HOSTS: Final = 20_000
"""Rooms held in memory; beyond, those that nobody is connected to are forgotten, the longest unused first."""
MEETING_MS: Final = 3_000
"""A room that quick play has just made counts as its owner's presence, until the owner's page has connected."""
ALIVE_EVERY_S: Final = 1.0
_RENAMED: Final = 10_000
"""New names remembered: a command under the old one may still wait for its room."""
_CANDIDATES: Final = 1_000
"""Open rooms that quick play looks through; more than anybody could make to hide the others."""

log = structlog.get_logger()


class Hosts:
    """The rooms of one process."""

    def __init__(
        self,
        store: Store,
        clock: ServerClock,
        house: House,
        pool: SearchPool,
        metrics: Metrics,
        think_s: float,
        changed: Callable[[], None],
        *,
        unlimited: bool,
    ) -> None:
        self._hosts: OrderedDict[str, Host] = OrderedDict()
        self._store = store
        self._clock = clock
        self._metrics = metrics
        self._changed = changed
        self._unlimited = unlimited
        self._background = Background()
        self._timed: set[str] = set()
        self._alive: asyncio.Task[None] | None = None
        self._rng = random.SystemRandom()
        self._meeting = asyncio.Lock()
        self._fresh: dict[str, int] = {}
        self._renamed: OrderedDict[str, Person] = OrderedDict()
        self._rooms = 0
        self.deadlines = Deadlines(clock.now_ms, self._wake)
        self.engine = EnginePlayer(pool, clock, metrics, think_s, self._rng)
        self.around = Surroundings(
            store=store,
            clock=clock,
            house=house,
            metrics=metrics,
            background=self._background,
            schedule=self.deadlines.set,
            changed=self._room_changed,
            gone=self._room_gone,
            deleted=self._room_deleted,
            recovered=self._store_recovered,
            called=self._called,
            think=self.engine.consider,
            outages=Outages(),
        )

    async def start(self) -> None:
        """Learn from the store which rooms will need attention; the rooms themselves are read when they do."""
        last_alive_ms = await self._store.last_alive_ms()
        now_ms = self._clock.now_ms()
        if last_alive_ms is not None:
            self.around.outages.add(last_alive_ms, now_ms)
        await self._store.alive(now_ms)
        wakes = await self._store.wakes()
        _, self._rooms = await self._store.count()
        for room_id, at_ms in wakes:
            self.deadlines.set(room_id, at_ms)

    async def stop(self) -> None:
        """Wake nobody any more, and let what was begun end."""
        self.deadlines.stop()
        if self._alive is not None:
            self._alive.cancel()
        await self._background.stop()

    def __len__(self) -> int:
        return len(self._hosts)

    def every(self) -> tuple[Host, ...]:
        return tuple(self._hosts.values())

    async def find(self, room_id: str) -> Host:
        """The host of a room, loaded. Raises ``unknown_room``, ``unavailable``."""
        host = self._host(room_id)
        await host.current()
        return host

    def _host(self, room_id: str) -> Host:
        host = self._hosts.get(room_id)
        if host is None:
            host = self._hosts[room_id] = Host(room_id, self.around)
            if len(self._hosts) > MAX_HOSTS:
                self._forget_idle()
        else:
            self._hosts.move_to_end(room_id)
        return host

    def _forget_idle(self) -> None:
        for room_id, host in tuple(self._hosts.items())[: MAX_HOSTS // 10]:
            if host.idle:
                del self._hosts[room_id]

    # --- making rooms -------------------------------------------------------------------------------------------

    async def create(
        self,
        owner: Person,
        variant: Variant,
        opponent: Opponent,
        mark: Mark | None,
        engines: tuple[str, ...],
        clock: ClockSetting | None,
        visibility: Visibility | None,
    ) -> Host:
        """Make a room; without a mark, chance decides. Raises ``bad_message``, ``too_many_rooms``, ``unavailable``."""
        if not self._unlimited:
            try:
                own = len(await self._store.rooms_of(owner.player))
            except StoreUnavailableError:
                raise Rejection(
                    "unavailable", "The server cannot make a room now: try again.", retry_ms=1_000
                ) from None
            if own >= MAX_ROOMS_OF_PLAYER:
                message = f"You have {own} rooms that are still there: close one in its settings, or play on in one."
                raise Rejection("too_many_rooms", message, retry_ms=60_000)
            if self._rooms >= MAX_ROOMS:
                raise Rejection("too_many_rooms", "The server is full: try again later.", retry_ms=60_000)
        room = new_room(
            room_id=new_id(),
            invite=new_secret(),
            owner=self._called(owner),
            variant=variant,
            opponent=opponent,
            mark=mark if mark is not None else self._rng.choice(MARKS),
            engines=engines,
            clock=clock,
            visibility=visibility,
            now_ms=self._clock.now_ms(),
        )
        host = self._host(room.id)
        await host.create(room)
        self._rooms += 1
        return host

    async def quick_play(
        self, player: Person, variant: Variant, clock: ClockSetting | None, charge: Callable[[], None]
    ) -> tuple[Host, bool]:
        """Seat a player opposite a stranger who wants the same, or in a new room to wait in; whether it is new.

        One at a time, so that two who ask at the same moment meet. ``charge`` is called before a room is made, and
        raises when there were too many; taking a seat makes none.
        """
        async with self._meeting:
            now_ms = self._clock.now_ms()
            self._fresh = {room: made for room, made in self._fresh.items() if now_ms - made < MEETING_MS}
            try:
                ids = await self._store.listed("open", variant.key, _CANDIDATES)
            except StoreUnavailableError:
                raise Rejection("unavailable", "The server cannot seat you now: try again.", retry_ms=1_000) from None
            waiting = [host for host in map(self._hosts.get, ids) if host is not None]
            for host in waiting:
                room = _open_room(host, clock)
                if room is not None and mark_of(room, player.player) is not None:
                    return host, False
            for host in reversed(waiting):  # who has waited longest comes first
                room = _open_room(host, clock)  # looked at anew: others may have come and gone meanwhile
                if room is None or room.owner.player == player.player:
                    continue
                meeting = room.id in self._fresh and host.fresh
                if not (room.presence.owner_away_since_ms is None or meeting):
                    continue
                free: Mark = "O" if room.o is None else "X"
                try:
                    await host.request(player, Sit(f"quickplay {new_id()}", free))
                except Rejection as refused:
                    if refused.code == "unavailable":
                        raise
                    continue  # taken or gone a moment ago
                return host, False
            charge()
            host = await self.create(player, variant, "anyone", None, (), clock, "public")
            self._fresh[host.id] = now_ms
            return host, True

    # --- what happens to them -----------------------------------------------------------------------------------

    def _wake(self, room_id: str) -> None:
        self._background.run(self._woken(room_id))

    async def _woken(self, room_id: str) -> None:
        try:
            await self._host(room_id).wake()
        except Rejection:
            pass  # gone, or the store is away: then it is scheduled again
        except Exception:
            self._metrics.faults.inc()
            log.exception("waking a room failed", room=room_id)

    def _room_changed(self, host: Host, found: Found | None) -> None:
        room = host.room
        if room is not None and room.clock is not None:
            if flag_at_ms(room) is not None:
                self._timed.add(host.id)
                if self._alive is None:
                    self._alive = asyncio.get_running_loop().create_task(self._stay_alive())
            else:
                self._timed.discard(host.id)
        if found is not None or (room is not None and room.visibility == "public"):
            self._changed()

    async def _stay_alive(self) -> None:
        """While a clock runs anywhere, note each second that the server is up: a restart charges nobody for the rest."""
        try:
            while self._timed:
                with suppress(StoreUnavailableError):
                    await self._store.alive(self._clock.now_ms())
                await asyncio.sleep(ALIVE_EVERY_S)
        finally:
            self._alive = None

    def _room_gone(self, host: Host) -> None:
        if self._hosts.get(host.id) is host:
            del self._hosts[host.id]
        self._timed.discard(host.id)

    def _room_deleted(self) -> None:
        self._rooms = max(0, self._rooms - 1)
        self._changed()

    def _store_recovered(self) -> None:
        """Games on a clock stood still: also those that asked nothing of the store meanwhile."""
        for room_id in self._timed:
            host = self._hosts.get(room_id)
            if host is not None and host.room is not None:
                self._background.run(self._resumed(host))

    async def _resumed(self, host: Host) -> None:
        with suppress(Rejection):
            await host.resume()

    async def renamed(self, person: Person) -> None:
        """Show a player's new name wherever it stands. Raises ``unavailable``: then ask again."""
        self.call(person)
        for room_id in await self._store.rooms_of(person.player):
            try:
                await (await self.find(room_id)).tell(Renamed(person))
            except Rejection as refused:
                if refused.code == "unavailable":
                    raise
                log.info("a name was not changed in a room", room=room_id, code=refused.code)

    def _called(self, person: Person) -> Person:
        return self._renamed.get(person.player, person)

    def call(self, person: Person) -> None:
        """Call a player by this name from now on: in chat, among those who are here, and in what was asked before."""
        self._renamed[person.player] = person
        self._renamed.move_to_end(person.player)
        if len(self._renamed) > _RENAMED:
            self._renamed.popitem(last=False)
        for host in self.every():
            if person.player in host.screens.names:
                host.screens.names[person.player] = person.name
            for connection in host.connections:
                if connection.person is not None and connection.person.player == person.player:
                    connection.person = person


def _open_room(host: Host, clock: ClockSetting | None) -> Room | None:
    """The room of a host, if it waits for a stranger who wants this clock."""
    room = host.room
    return room if room is not None and room.open_to_all and room.clock == clock else None
