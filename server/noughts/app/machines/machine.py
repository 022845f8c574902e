"""What the mechanism must be told about one kind of machine: a frozen value with a version that changes by steps."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from noughts.app.delivery.connection import Connection
from noughts.errors import Rejection
from noughts.room.idempotency import IdempotencyKeys
from noughts.room.seat import Names
from noughts.store.machine_store import IndexEntry, Line, Record
from noughts.store.presence import RoomPresence
from noughts.values import Value


class Versioned(Protocol):
    """A frozen value. ``version`` rises by one with each change. A closed value never opens again."""

    @property
    def id(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def closed(self) -> bool: ...


V = TypeVar("V", bound=Versioned)


class Step(Value):
    """The result of one command: the value after it and its events.

    ``records`` never change again. They are stored with the change, outside the value. ``line`` is a chat line.
    """

    value: Any
    events: tuple[Any, ...] = ()
    records: tuple[Record, ...] = ()
    line: Line | None = None


class Loaded(NamedTuple, Generic[V]):
    """A value as it was last committed, with its command ids and newest chat lines.

    ``names`` are those of its players. ``presence`` is that of a shared store, None in a store of one process.
    """

    value: V
    command_ids: IdempotencyKeys
    lines: tuple[Line, ...] = ()
    names: Names = MappingProxyType({})
    presence: RoomPresence | None = None


class Visitors(Protocol[V]):
    """The connections to one value on this node: what they are sent, and what the value's deadlines owe to them.

    The value comes with each call, because each change makes a new one.
    """

    @property
    def connections(self) -> Sized: ...

    @property
    def idle(self) -> bool:
        """Whether this node has nothing to do for the value: no connection, and no work of its own."""
        ...

    def moment(self, value: V, arrived_ms: int = 0) -> Any:
        """Return the moment for the step of a command that arrived at this time, or now if it is 0. It has ``now_ms``."""
        ...

    def wake_at_ms(self, value: V) -> int | None:
        """Return when this node next attends to the value if no command comes; None for never."""
        ...

    def is_due(self, value: V) -> bool:
        """Return whether a step without a command would change the value now."""
        ...

    def time_runs(self, value: V) -> bool:
        """Return whether downtime must be measured because the value's time runs."""
        ...

    def join(self, connection: Connection, value: V) -> bool:
        """Add a connection, and send it the value. Return whether deadlines may have changed."""
        ...

    def leave(self, connection: Connection, value: V) -> bool:
        """Remove a connection. Return whether deadlines may have changed."""
        ...

    def publish(self, before: V, after: V, events: tuple[Any, ...], line: Line | None) -> V:
        """Send a stored change to every connection. Return the value that the node continues with."""
        ...

    def recorded(self, value: V, records: tuple[Record, ...]) -> None:
        """Take note of records that this node, and no other one, has stored with a value."""
        ...

    def publish_loaded(self, before: V, after: V, loaded: Loaded[V] | None) -> V:
        """Send what differs in a value that was read again; None if it is gone. Return the value to continue with."""
        ...

    def rename(self, value: V, names: Names) -> None:
        """Show these players under other names from now on."""
        ...

    def has_line(self, number: int) -> bool:
        """Return whether a chat line was sent."""
        ...

    def released(self) -> None:
        """Release what this node keeps for the value. The actor is dropped."""
        ...


class EventCodec:
    """Events of one kind of machine as bytes. ``event`` is their type, which may be a union."""

    def __init__(self, event: Any) -> None:
        self.encode = msgspec.msgpack.Encoder().encode
        """Encode a tuple of events."""
        self._decode = msgspec.msgpack.Decoder(tuple[event, ...]).decode

    def decode(self, data: bytes) -> tuple[Any, ...]:
        """Return the events of another node; none if only a newer program knows them."""
        try:
            events: tuple[Any, ...] = self._decode(data)
        except msgspec.DecodeError:
            return ()
        return events


class Machine(Protocol[V]):
    """One kind of machine."""

    @property
    def kind(self) -> str:
        """The name of the kind in the store, in log lines and in messages to players."""
        ...

    @property
    def wake(self) -> Any:
        """The command that only carries out what is due."""
        ...

    @property
    def events(self) -> EventCodec:
        """How events travel to the other nodes that hold a value."""
        ...

    def visitors(self, loaded: Loaded[V]) -> Visitors[V]:
        """Return the visitors of a value that this node begins to hold: none yet."""
        ...

    def step(self, value: V, command: Any, at: Any) -> Step:
        """Carry out what is due, then the command. Raise :class:`Rejection` for a command that is not allowed."""
        ...

    def note_stored(self, value: V, events: tuple[Any, ...]) -> None:
        """Log what the operator should know of a change that this node has stored."""
        ...

    def closed(self, value: V, version: int) -> V:
        """Return the value as it ends when another node removes it."""
        ...

    # --- storage ------------------------------------------------------------------------------------------------

    def encode(self, value: V) -> bytes: ...

    def decode(self, data: bytes, current: V | None = None) -> V:
        """Return the value in stored bytes. An older value, ``current``, may make that cheaper.

        Raise any exception for bytes that cannot be decoded.
        """
        ...

    def index_entry(self, value: V) -> IndexEntry: ...

    def index_change(self, before: V, after: V) -> IndexEntry | None:
        """Return the index entry of a changed value; None if the entry stays the same."""
        ...

    async def names(self, value: V, lines: Sequence[Line]) -> Names:
        """Look up the names of the players that visitors are shown. Raise ``StoreUnavailableError``."""
        ...

    # --- life ---------------------------------------------------------------------------------------------------

    def owes_time(self, value: V) -> bool:
        """Return whether a value that was just read is to be compensated for downtime before it is shown."""
        ...

    def rests_in_store(self, value: V) -> bool:
        """Return whether a node may drop a value whose time runs for long: its absent players give nobody a claim."""
        ...

    def unknown(self) -> Rejection:
        """Return the rejection for a value that does not exist."""
        ...
