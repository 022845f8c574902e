"""The values that this node holds: one actor for each id.

How long an actor is kept depends on the store alone. A :class:`Registry` is for the only node of a store, which knows the
newest version of every value. A :class:`SharedRegistry` is for one of several nodes.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Any, Final, Generic, TypeAlias, TypeVar

import structlog

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.welcome import welcome
from noughts.app.machines.actor import AnyActor, AnyParts
from noughts.app.machines.deadlines import Deadlines
from noughts.app.machines.kind import Loaded, V
from noughts.app.machines.repository import UnreadableRejection
from noughts.app.runtime.logs import shown
from noughts.errors import Rejection
from noughts.room.seat import Names
from noughts.store.machine_store import Change

MAX_ACTORS: Final = 20_000
"""The most values that the only node of a store holds. With more, idle ones are dropped, the least recently used first."""

RENAMED_AT_ONCE: Final = 250
"""Values that are looked through for a player in one turn of the event loop."""

SETTLE_S: Final = 0.01
"""Seconds between two checks for commands that are still carried out."""

log = structlog.get_logger()

A = TypeVar("A", bound=AnyActor)
NewActor: TypeAlias = Callable[[AnyParts[V], Loaded[V]], A]
"""Makes the actor of a value that was loaded."""


class Registry(Generic[A, V]):
    """Finds, loads and makes the actors of this node. Keeps actors without connections too, up to a number."""

    def __init__(self, actor: NewActor[V, A], parts: AnyParts[V], *, most: int = MAX_ACTORS) -> None:
        self.read_again_count = 0
        """Values read again so far because messages may have been lost."""
        self._actor = actor
        self._parts = parts
        self._kind, self._repository, self._wakes, self._node, self._tasks = parts
        self._most = most
        self._actors: OrderedDict[str, A] = OrderedDict()
        self._loading: dict[str, asyncio.Task[A]] = {}
        self._renaming = asyncio.Lock()
        self._stopping = False

    @property
    def kind(self) -> str:
        """The kind of the values."""
        return self._kind.name

    def __len__(self) -> int:
        return len(self._actors)

    def __iter__(self) -> Iterator[A]:
        return iter(tuple(self._actors.values()))

    def held(self, id: str) -> A | None:
        """Return the actor of a value that this node holds and that is open; None otherwise."""
        actor = self._actors.get(id)
        if actor is None or not actor.closed:
            return actor
        if not len(actor.connections):
            self._drop(actor)
        return None  # the actor is dropped with its last connection

    async def open(self, id: str) -> A:
        """Return the actor of a value, with the stored value. Raise that the value is unknown, or ``unavailable``."""
        actor = self.held(id)
        if actor is None:
            actor = await self._load(id)
            self._drop_idle()
        else:
            self._actors.move_to_end(id)
        return actor

    async def read(self, id: str) -> V:
        """Return a value. Raise as :meth:`open` does. One of several nodes reads it without holding it."""
        value: V = (await self.open(id)).value
        return value

    def _drop_idle(self) -> None:
        if len(self._actors) > self._most:
            for idle in [actor for actor in list(self._actors.values())[: self._most // 10] if actor.idle]:
                self._drop(idle)

    async def rename(self, names: Names) -> None:
        """Show players under other names wherever this node shows them, some values in each turn of the event loop."""
        async with self._renaming:  # so that the newer of two names stays
            for number, actor in enumerate(self, 1):
                actor.rename(names)
                if number % RENAMED_AT_ONCE == 0:
                    await asyncio.sleep(0)

    def _left(self, actor: A) -> None:
        """Note that the last connection has left an open value."""

    def drop_unattended(self) -> None:
        """Drop the actors that have had no connection since the call before, if others may change their values."""

    async def _load(self, id: str) -> A:
        loading = self._loading.get(id)
        if loading is None:
            loading = self._loading[id] = self._tasks.run(self._hold(id))
            loading.add_done_callback(lambda _: self._loading.pop(id))
        # Shielded, because other callers may wait for the same value when this one is cancelled.
        return await asyncio.shield(loading)

    async def _hold(self, id: str) -> A:
        loaded = await self._repository.hold(id)
        if loaded is None:
            self._forget(id)
            raise self._kind.unknown()
        actor = self._add(loaded)
        if self._node.downtime.spans and actor.pace() != "still":
            with suppress(Rejection):  # its clocks are shown as they are compensated
                await actor.tell(self._kind.wake)
        return actor

    def _add(self, loaded: Loaded[V]) -> A:
        actor = self._actor(self._parts, loaded)
        self._actors[actor.id] = actor
        return actor

    def drop_waiting(self, until_ms: int) -> None:
        """Drop the idle values whose time runs beyond a time, if the store has the same deadline. Only their rows stay."""
        for id in tuple(self._node.running_clocks):
            actor, at_ms = self.held(id), self._wakes.at_ms.get(id)
            if actor is None or at_ms is None or at_ms <= until_ms or not actor.idle:
                continue
            if actor.pace() == "slow" and self._kind.index_entry(actor.value).wake_at_ms == at_ms:
                self._drop(actor)
                self._wakes.set(id, None)

    def _drop(self, actor: A) -> None:
        del self._actors[actor.id]
        actor.released()
        if actor.id in self._node.running_clocks:
            self._node.running_clocks.discard(actor.id)
            self._node.stored_clocks.add(self._kind.name)

    async def create(self, value: V) -> A:
        """Store a new value and return its actor. Raise ``unavailable`` or ``conflict``."""
        if not await self._repository.create(value):
            raise Rejection("conflict", f"A {self._kind.name} with that id exists.")
        log.info(f"{self._kind.name} made", id=shown(value.id))
        return await self.open(value.id)

    async def remove(self, id: str) -> None:
        """Delete a value that cannot be read. Raise that the value is unknown, or ``unavailable``."""
        if not await self._repository.remove(id):
            raise self._kind.unknown()
        self._forget(id)

    async def close(self, id: str, end: Callable[[A], Awaitable[None]]) -> bool:
        """End a value, or delete it if it cannot be read. Return False if there is none. Raise ``unavailable``."""
        try:
            actor = await self.open(id)
        except UnreadableRejection:
            await self.remove(id)
        except Rejection as rejection:
            if rejection.code != self._kind.unknown().code:
                raise
            return False
        else:
            await end(actor)
        return True

    def _forget(self, id: str) -> None:
        """Remove the deadline of a value that this node does not hold."""
        self._node.running_clocks.discard(id)
        self._wakes.set(id, None)

    # --- connections --------------------------------------------------------------------------------------------

    async def enter(self, id: str, connection: Connection, page: str) -> A:
        """Welcome a connection, and add it to the value with an id. Return the actor. Raise as :meth:`open` does."""
        actor = await self.open(id)
        while self._actors.get(id) is not actor:  # its last connection left in this turn of the event loop
            actor = await self.open(id)
        welcome(connection, self._node.clock.now_ms(), page)
        actor.join(connection)
        return actor

    def leave(self, actor: A, connection: Connection) -> None:
        """Remove a connection from its value. Drop the actor of a closed value with its last connection."""
        if self._stopping:
            return
        actor.leave(connection)
        if len(actor.connections) or self._actors.get(actor.id) is not actor:
            return
        if actor.closed:
            self._drop(actor)
        else:
            self._left(actor)

    def recovered(self) -> None:
        """Continue in every value after an outage of the store."""
        for actor in self:
            try:
                actor.wake()
            except Exception:
                log.exception("a value did not continue after an outage", about=actor.id)

    def compensate(self) -> None:
        """Show every value with the time given back for downtime."""
        for actor in self:
            if actor.pace() != "still":
                actor.wake()

    def stop(self) -> None:
        """Let connections end without a report of each: the store learns at once that the whole node ends."""
        self._stopping = True

    async def settled(self, seconds: float) -> None:
        """Wait until every command that was taken has its answer, at most this long."""
        for _ in range(int(seconds / SETTLE_S)):
            if not any(actor.busy for actor in self._actors.values()):
                return
            await asyncio.sleep(SETTLE_S)

    async def attend(self, due: Deadlines, attend: Callable[[A], None]) -> None:
        """Attend to each held value at its deadline, until cancelled. A fault in one must not keep the others waiting."""
        while True:
            for id in await due.reached():
                actor = self.held(id)
                if actor is not None:
                    try:
                        attend(actor)
                    except Exception:
                        log.exception("a value was not attended to", about=id)

    # --- messages of other nodes --------------------------------------------------------------------------------

    def changed_elsewhere(self, change: Change) -> None:
        """Pass a change that another node stored to the actor of its value, if this node holds it."""
        actor = self.held(change.id)
        if actor is not None:
            actor.changed_elsewhere(change)

    def read_again(self) -> None:
        """Hold every value again and read it, after messages may have been lost."""
        for actor in self:
            actor.read_again()
            self.read_again_count += 1


class SharedRegistry(Registry[A, V]):
    """Keeps an actor while it has connections or something to do, because the store sends changes to holders only.

    An actor that was opened and has no connection by the beat after the next is dropped.
    """

    def __init__(self, actor: NewActor[V, A], parts: AnyParts[V], *, most: int = MAX_ACTORS) -> None:
        super().__init__(actor, parts, most=most)
        self._unattended: dict[str, A] = {}
        self._dropping: dict[str, A] = {}

    async def open(self, id: str) -> A:
        actor = self.held(id)
        # A value that is held, or being read, may be older than the caller's latest change.
        again = actor is not None or id in self._loading
        if actor is None:
            actor = await self._load(id)
        if again:
            await actor.refresh()
        self._unattended[id] = actor
        return actor

    async def read(self, id: str) -> V:
        value = await self._repository.load(id)
        if value is None:
            raise self._kind.unknown()
        return value

    def _drop(self, actor: A) -> None:
        super()._drop(actor)
        self._repository.store.release(actor.id)
        self._forget(actor.id)

    def _left(self, actor: A) -> None:
        if actor.idle:
            self._drop(actor)
        else:
            self._unattended[actor.id] = actor

    def drop_unattended(self) -> None:
        for actor in self._dropping.values():
            if self._actors.get(actor.id) is actor and not len(actor.connections):
                if actor.idle:
                    self._drop(actor)
                else:
                    self._unattended[actor.id] = actor
        self._dropping, self._unattended = self._unattended, {}


AnyRegistry: TypeAlias = Registry[Any, Any]
"""The registry of any kind."""
