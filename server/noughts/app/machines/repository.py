"""The stored values of one kind: loading them, and turning a step into one durable change. Knows no sockets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Generic, ParamSpec, TypeVar

import structlog

from noughts.app.machines.kind import AnyKind, Loaded, Step, V
from noughts.app.machines.replies import damaged, not_stored
from noughts.app.runtime.node_state import NodeState
from noughts.errors import Rejection
from noughts.room.idempotency import IdempotencyKeys
from noughts.store.contract import DamagedError, StoreUnavailableError
from noughts.store.machine_store import (
    Change,
    CommitAnswer,
    Failed,
    MachineStore,
    Stored,
    StoredRow,
    Unavailable,
    commit,
)
from noughts.store.presence import RoomPresence

T = TypeVar("T")

UNREADABLE_RETRY_MS: Final = 60_000
"""How long a client waits before it asks again for a value that cannot be read."""

log = structlog.get_logger()

P = ParamSpec("P")


class UnreadableError(Exception):
    """Stored bytes cannot be decoded."""


class UnreadableRejection(Rejection):
    """A value cannot be read, and waiting does not help."""

    def __init__(self, kind: str) -> None:
        super().__init__("unavailable", f"This {kind} cannot be read: make a new one.", retry_ms=UNREADABLE_RETRY_MS)


def readable(decode: Callable[P, T], *data: P.args, **named: P.kwargs) -> T:
    """Return what a decoder returns. Raise :class:`UnreadableError` without the decoder's text, which may quote the data."""
    try:
        return decode(*data, **named)
    except Exception as error:  # the bytes may be anything, and a decoder may raise anything about them
        raise UnreadableError(type(error).__name__) from None


class Repository(Generic[V]):
    """Loads, holds and commits the values of one kind."""

    def __init__(self, kind: AnyKind[V], store: MachineStore, node: NodeState) -> None:
        self.shared = store.shared
        """Whether other nodes may change values, so that one in memory may be older than the stored one."""
        self._kind = kind
        self.store = store
        self._node = node

    # --- reading ------------------------------------------------------------------------------------------------

    async def load(self, id: str) -> V | None:
        """Return a value as it was last committed, None for an unknown one. Raise ``unavailable``."""
        with self._reading(id):
            stored = await self.store.load(id)
            return None if stored is None else self.decode(stored.data)

    async def hold(self, id: str) -> Loaded[V] | None:
        """Hold a value and return it as it was last committed, None for an unknown one. Raise ``unavailable``."""
        with self._reading(id):
            held = await self.store.hold(id)
            return None if held is None else await self._loaded(held.stored, held.presence)

    async def decoded(self, id: str, stored: StoredRow | None) -> Loaded[V] | None:
        """Return a stored value decoded; None for None. Raise ``unavailable``."""
        with self._reading(id):
            return None if stored is None else await self._loaded(stored, None)

    def decode(self, data: bytes, current: V | None = None) -> V:
        """Return the value in stored bytes, newer ones than ``current``. Raise :class:`UnreadableError`."""
        return readable(self._kind.decode, data, current)

    async def _loaded(self, stored: StoredRow, presence: RoomPresence | None) -> Loaded[V]:
        value = self.decode(stored.data)
        ids = readable(IdempotencyKeys.decoded, stored.command_ids)
        return Loaded(value, ids, stored.lines, await self._kind.names(value, stored.lines), presence)

    @contextmanager
    def _reading(self, id: str) -> Iterator[None]:
        """Reject what cannot be read, and begin an outage if the store as a whole does not answer."""
        began_ms = self._node.clock.now_ms()
        try:
            yield
        except (DamagedError, UnreadableError) as error:
            self.note_unreadable(id, str(error))
            raise UnreadableRejection(self._kind.name) from None
        except StoreUnavailableError as error:
            self._node.downtime.begin(began_ms, str(error))
            message = f"The server cannot read this {self._kind.name} now: try again."
            raise Rejection("unavailable", message, retry_ms=1_000) from None

    def note_unreadable(self, id: str, reason: str) -> None:
        """Log a value that cannot be read or changed."""
        log.error(
            f"a stored {self._kind.name} cannot be read or changed: `noughts close` removes it, `noughts check` looks for"
            " more damage",
            **{self._kind.name: id},
            reason=reason,
        )

    # --- changes ------------------------------------------------------------------------------------------------

    def change(self, before: V, step: Step[V, Any], ids: IdempotencyKeys, key: tuple[str, str] | None) -> Change:
        """Return the durable change that a step makes. Where other nodes hold the value too, it carries the events.

        ``key`` is the command that the change answers ok. It is added to ``ids`` at once: if the commit then fails, the
        caller must read the ids from the store again.
        """
        kind, after = self._kind, step.value
        data = index = encoded_ids = None
        if after is not before and not after.closed:
            data, index = kind.encode(after), kind.index_change(before, after)
        if key is not None:
            # After everything that can raise: a command that fails must not count as answered when it is sent again.
            encoded_ids = ids.add(key, after.version)
            if ids.overfull:
                ids.cut(kind.index_entry(after).players)
                encoded_ids = ids.encoded()
        news = kind.events.encode(step.events) if self.shared else None
        if after is not before and after.closed:
            return Change(after.id, before.version, after.version, command=key, closes=True, news=news, kind=kind.name)
        return Change(
            after.id, before.version, after.version, data, index, key, encoded_ids, step.records, step.line, False, news,
            kind=kind.name,
        )  # fmt: skip

    def check(self, value: V, key: tuple[str, str]) -> Change:
        """Return a change that writes nothing, and asks if a value is the stored one and a command not known."""
        return Change(value.id, value.version, value.version, command=key, checks=True, kind=self._kind.name)

    async def create(self, value: V) -> bool:
        """Store a new value. Return False if its id is taken. Raise ``unavailable``."""
        index, data = self._kind.index_entry(value), self._kind.encode(value)
        return await self._stored(
            Change(value.id, 0, value.version, data, index, command_ids=b"", kind=self._kind.name)
        )

    async def remove(self, id: str) -> bool:
        """Delete a value that cannot be read. Return False if there is none. Raise ``unavailable``."""
        try:
            stored = await self.store.load(id)
        except DamagedError:
            raise damaged() from None
        if stored is None:
            return False
        change = Change(id, stored.version, stored.version + 1, closes=True, kind=self._kind.name)
        if not await self._stored(change):
            raise not_stored()
        return True

    async def _stored(self, change: Change) -> bool:
        """Store a change that no actor makes. Return False for a conflict. Raise ``unavailable``."""
        began_ms = self._node.clock.now_ms()
        answer = await commit(self.store, change)
        if isinstance(answer, Unavailable | Failed):
            raise self.rejection_of(change, answer, began_ms)
        return isinstance(answer, Stored)

    def rejection_of(self, change: Change, answer: CommitAnswer, began_ms: int) -> Rejection:
        """Begin an outage, or log a value whose change cannot be stored. Return the rejection of the command."""
        if isinstance(answer, Failed):
            self.note_unreadable(change.id, answer.reason)
            return damaged()
        assert isinstance(answer, Unavailable)
        self._node.downtime.begin(began_ms, answer.reason)
        return not_stored()

    def changed(self, current: V, change: Change) -> V:
        """Return a value after a change that another node stored. Raise :class:`UnreadableError`."""
        if change.data is None:
            return self._kind.closed(current, change.version) if change.closes else current
        return self.decode(change.data, current)
