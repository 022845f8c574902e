"""The rooms that this node holds: one actor for each id.

The only node of a store keeps actors without connections too, because it knows the newest version of every room; the least
recently used are dropped. Where other nodes may change rooms, a node holds a room only while it has connections for it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from noughts.app.delivery.connection import Connection
from noughts.app.node.node_state import NodeState
from noughts.app.players.recent_names import RecentNames
from noughts.app.rooms.actor import RoomActor
from noughts.app.rooms.publisher import Publisher
from noughts.app.rooms.replies import AwaitedReply, damaged, unknown_room
from noughts.app.rooms.repository import LoadedRoom, RoomRepository
from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection
from noughts.room.commands import Wake
from noughts.room.idempotency import IdempotencyKeys
from noughts.room.room import Room
from noughts.store.contract import Change, CommitAnswer, Failed, Stored, Unavailable
from noughts.store.presence import PresenceMirror, PresenceReport

MAX_ACTORS: Final = 20_000
"""The most rooms held in memory. When there are more, idle ones are dropped, the least recently used first."""

SETTLE_S: Final = 0.01
"""Seconds between two checks for commands that are still carried out."""


class RoomRegistry:
    """Finds, loads and makes the actors of this node."""

    def __init__(
        self,
        repository: RoomRepository,
        publisher: Publisher,
        node: NodeState,
        mirror: PresenceMirror,
        names: RecentNames,
        tasks: Tasks,
    ) -> None:
        self.read_again_count = 0
        """Rooms read again so far because messages may have been lost."""
        self._repository = repository
        self._publisher = publisher
        self._node = node
        self._mirror = mirror
        self._names = names
        self._tasks = tasks
        self._actors: OrderedDict[str, RoomActor] = OrderedDict()
        self._loading: dict[str, asyncio.Task[RoomActor]] = {}
        self._unattended: dict[str, RoomActor] = {}
        self._dropping: dict[str, RoomActor] = {}
        self._stopping = False

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
        """Return the actor of a room, with the stored room. Raise ``unknown_room`` or ``unavailable``.

        Where other nodes may have changed the room, it is read again even if this node holds it. An actor that has no
        connection by the beat after the next is dropped.
        """
        actor = self.held(room_id)
        if not self._repository.shared:
            if actor is None:
                return await self._loaded(room_id)
            self._actors.move_to_end(room_id)
            return actor
        if actor is None:
            actor = await self._loaded(room_id)
        else:
            await actor.refresh()
        self._unattended[room_id] = actor
        return actor

    async def _loaded(self, room_id: str) -> RoomActor:
        loading = self._loading.get(room_id)
        if loading is not None and self._repository.shared:
            # That read may have begun before the caller's latest change: read once more.
            actor = await asyncio.shield(loading)
            await actor.refresh()
            return actor
        if loading is None:
            loading = self._loading[room_id] = self._tasks.run(self._load(room_id))
            loading.add_done_callback(lambda _: self._loading.pop(room_id))
        # Shielded, because other callers may wait for the same room when this one is cancelled.
        return await asyncio.shield(loading)

    async def _load(self, room_id: str) -> RoomActor:
        loaded = await self._repository.hold(room_id)
        if loaded is None:
            self._publisher.forget(room_id)
            raise unknown_room()
        actor = self._add(loaded)
        if self._node.owes_time(actor.room):
            with suppress(Rejection):  # its clocks are shown as they are compensated
                await actor.tell(Wake())
        return actor

    async def remove(self, room_id: str) -> None:
        """Delete a room that cannot be read. Raise ``unknown_room`` or ``unavailable``."""
        if not await self._repository.remove(room_id):
            raise unknown_room()
        self._publisher.forget(room_id)
        self._publisher.lobby_changed()

    async def read(self, room_id: str) -> Room:
        """Return a room without holding it. Raise ``unknown_room`` or ``unavailable``."""
        if not self._repository.shared:
            return (await self.open(room_id)).room
        room = await self._repository.load(room_id)
        if room is None:
            raise unknown_room()
        return room

    def _add(self, loaded: LoadedRoom) -> RoomActor:
        actor = RoomActor(loaded, self._repository, self._publisher, self._node, self._mirror, self._names, self._tasks)
        self._actors[actor.id] = actor
        if len(self._actors) > MAX_ACTORS and not self._repository.shared:
            for idle in [actor for actor in list(self._actors.values())[: MAX_ACTORS // 10] if actor.idle]:
                self._drop(idle)
        return actor

    def _drop(self, actor: RoomActor) -> None:
        del self._actors[actor.id]
        self._mirror.release(actor.id)
        if self._repository.shared:
            self._repository.release(actor.id)
            self._publisher.forget(actor.id)

    def drop_unattended(self) -> None:
        """Drop the actors of a shared store that have had no connection since the call before."""
        for actor in self._dropping.values():
            if self._actors.get(actor.id) is actor and not len(actor.connections):
                if actor.idle:
                    self._drop(actor)
                else:
                    self._unattended[actor.id] = actor
        self._dropping, self._unattended = self._unattended, {}

    async def create(self, room: Room) -> RoomActor:
        """Store a new room and return its actor. Raise ``unavailable`` or ``conflict``."""
        receiver, began_ms = _Creation(), self._node.clock.now_ms()
        self._repository.create(room, receiver)
        try:
            answer = await receiver.answer.future
        except Rejection:
            if receiver.outage is not None:
                self._node.downtime.begin(began_ms, receiver.outage)
            raise
        if answer != room.version:
            raise Rejection("conflict", "A room with that id exists.")
        if room.visibility == "public":
            self._publisher.lobby_changed()
        if self._repository.shared:
            return await self.open(room.id)
        return self._add(LoadedRoom(room, IdempotencyKeys(), (), {}))

    def join(self, actor: RoomActor, connection: Connection) -> bool:
        """Add a connection to its room. Return False if the actor was dropped meanwhile: the room must be opened again."""
        if self._actors.get(actor.id) is not actor:
            return False
        actor.join(connection)
        return True

    def leave(self, actor: RoomActor, connection: Connection) -> None:
        """Remove a connection from its room. Drop the actor of a closed room with its last connection.

        An actor of a shared store is dropped in any case, at once or as soon as it has nothing left to do.
        """
        if self._stopping:
            return
        actor.leave(connection)
        if len(actor.connections) or self._actors.get(actor.id) is not actor:
            return
        if actor.closed or (self._repository.shared and actor.idle):
            self._drop(actor)
        elif self._repository.shared:
            self._unattended[actor.id] = actor

    def stop(self) -> None:
        """Let connections end without a report of each: the store learns at once that the whole node ends."""
        self._stopping = True

    async def settled(self, seconds: float) -> None:
        """Wait until every command that was taken has its answer, at most this long."""
        for _ in range(int(seconds / SETTLE_S)):
            if not any(actor.busy for actor in self._actors.values()):
                return
            await asyncio.sleep(SETTLE_S)

    # --- messages of other nodes --------------------------------------------------------------------------------

    def changed_elsewhere(self, change: Change) -> None:
        """Pass a change that another node stored to the actor of its room, if this node holds it."""
        actor = self.held(change.room)
        if actor is not None:
            actor.changed_elsewhere(change)

    def reported_elsewhere(self, report: PresenceReport) -> None:
        """Take over another node's report of its connections to a room."""
        self._mirror.received(report)
        actor = self.held(report.room)
        if actor is not None:
            actor.presence_changed()

    def node_died(self, node: str, end_ms: int) -> None:
        """Take over the end of another node."""
        for room_id in self._mirror.node_died(node, end_ms):
            actor = self.held(room_id)
            if actor is not None:
                actor.presence_changed()

    def read_again(self) -> None:
        """Hold every room again and read it, after messages may have been lost."""
        for actor in self:
            actor.read_again()
            self.read_again_count += 1


class _Creation:
    """Receives the answer to the storing of a new room: its version, or 0 if the id was taken."""

    def __init__(self) -> None:
        self.answer = AwaitedReply()
        self.outage: str | None = None
        """Why the store does not answer."""

    def commit_answered(self, change: Change, answer: CommitAnswer) -> None:
        if isinstance(answer, Stored):
            self.answer.accepted(answer.version)
        elif isinstance(answer, Failed):
            self.answer.rejected(damaged())
        elif isinstance(answer, Unavailable):
            self.outage = answer.reason
            self.answer.rejected(
                Rejection("unavailable", "The server cannot make a room now: try again.", retry_ms=1_000)
            )
        else:
            self.answer.accepted(0)
