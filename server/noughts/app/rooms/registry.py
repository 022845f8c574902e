"""The rooms that this node holds: one actor for each id. The least recently used are dropped."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import structlog

from noughts.app.delivery.connection import Connection
from noughts.app.players.recent_names import RecentNames
from noughts.app.rooms.actor import RoomActor
from noughts.app.rooms.circumstances import Circumstances
from noughts.app.rooms.publisher import Publisher
from noughts.app.rooms.replies import AwaitedReply, unknown_room
from noughts.app.rooms.repository import LoadedRoom, RoomRepository, UnreadableRoomError
from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection
from noughts.room.commands import Wake
from noughts.room.idempotency import IdempotencyKeys
from noughts.room.room import Room
from noughts.store.contract import Change, CommitAnswer, Stored, StoreUnavailableError, Unavailable
from noughts.store.presence import PresenceLeases
from noughts.store.relay import Relay

MAX_ACTORS: Final = 20_000
"""The most rooms held in memory. When there are more, idle ones are dropped, the least recently used first."""

log = structlog.get_logger()


class RoomRegistry:
    """Finds, loads and makes the actors of this node."""

    def __init__(
        self,
        repository: RoomRepository,
        publisher: Publisher,
        circumstances: Circumstances,
        leases: PresenceLeases,
        relay: Relay,
        names: RecentNames,
        tasks: Tasks,
    ) -> None:
        self._repository = repository
        self._publisher = publisher
        self._circumstances = circumstances
        self._leases = leases
        self._relay = relay
        self._names = names
        self._tasks = tasks
        self._actors: OrderedDict[str, RoomActor] = OrderedDict()
        self._loading: dict[str, asyncio.Task[RoomActor]] = {}

    def __len__(self) -> int:
        return len(self._actors)

    def __iter__(self) -> Iterator[RoomActor]:
        return iter(tuple(self._actors.values()))

    def held(self, room_id: str) -> RoomActor | None:
        """Return the actor of a room that this node holds and that is open; None otherwise."""
        actor = self._actors.get(room_id)
        if actor is None or not actor.closed:
            return actor
        if not len(actor.connections):
            self._drop(actor)
        return None  # the actor is dropped with its last connection

    async def open(self, room_id: str) -> RoomActor:
        """Return the actor of a room, loaded from the store if necessary. Raise ``unknown_room`` or ``unavailable``."""
        actor = self.held(room_id)
        if actor is not None:
            self._actors.move_to_end(room_id)
            return actor
        loading = self._loading.get(room_id)
        if loading is None:
            loading = self._loading[room_id] = self._tasks.run(self._load(room_id))
            loading.add_done_callback(lambda _: self._loading.pop(room_id))
        # Shielded, because other callers may wait for the same room when this one is cancelled.
        return await asyncio.shield(loading)

    async def _load(self, room_id: str) -> RoomActor:
        began_ms = self._circumstances.clock.now_ms()
        try:
            loaded = await self._repository.load(room_id)
        except StoreUnavailableError:
            self._circumstances.downtime.begin(began_ms)
            raise Rejection("unavailable", "The server cannot read this room now: try again.", retry_ms=1_000) from None
        except UnreadableRoomError:
            log.exception("a stored room cannot be read", room=room_id)
            raise Rejection("unavailable", "This room cannot be read: make a new one.", retry_ms=60_000) from None
        if loaded is None:
            self._publisher.forget(room_id)
            raise unknown_room()
        actor = self._add(loaded)
        if self._circumstances.owes_time(actor.room):
            with suppress(Rejection):  # its clocks are shown as they are compensated
                await actor.tell(Wake())
        return actor

    def _add(self, loaded: LoadedRoom) -> RoomActor:
        actor = RoomActor(
            loaded, self._repository, self._publisher, self._circumstances, self._leases, self._names, self._tasks
        )
        self._actors[actor.id] = actor
        self._relay.hold(actor.id)
        if len(self._actors) > MAX_ACTORS:
            for idle in [actor for actor in list(self._actors.values())[: MAX_ACTORS // 10] if actor.idle]:
                self._drop(idle)
        return actor

    def _drop(self, actor: RoomActor) -> None:
        del self._actors[actor.id]
        self._leases.release(actor.id)
        self._relay.release(actor.id)

    async def create(self, room: Room) -> RoomActor:
        """Store a new room and return its actor. Raise ``unavailable`` or ``conflict``."""
        receiver, began_ms = _Creation(), self._circumstances.clock.now_ms()
        self._repository.create(room, receiver)
        try:
            answer = await receiver.answer.future
        except Rejection:
            self._circumstances.downtime.begin(began_ms)
            raise
        if answer != room.version:
            raise Rejection("conflict", "A room with that id exists.")
        actor = self._add(LoadedRoom(room, IdempotencyKeys(), (), {}))
        if room.visibility == "public":
            self._publisher.lobby_changed()
        return actor

    def changed_elsewhere(self, change: Change) -> None:
        """Pass a change that another node stored to the actor of its room, if this node holds it."""
        actor = self.held(change.room)
        if actor is not None:
            actor.changed_elsewhere(change)

    def leave(self, actor: RoomActor, connection: Connection) -> None:
        """Remove a connection from its room. Drop the actor of a closed room with its last connection."""
        actor.leave(connection)
        if actor.closed and not len(actor.connections) and self._actors.get(actor.id) is actor:
            self._drop(actor)


class _Creation:
    """Receives the answer to the storing of a new room: its version, or 0 if the id was taken."""

    def __init__(self) -> None:
        self.answer = AwaitedReply()

    def commit_answered(self, change: Change, answer: CommitAnswer) -> None:
        if isinstance(answer, Stored):
            self.answer.accepted(answer.version)
        elif isinstance(answer, Unavailable):
            self.answer.rejected(
                Rejection("unavailable", "The server cannot make a room now: try again.", retry_ms=1_000)
            )
        else:
            self.answer.accepted(0)
