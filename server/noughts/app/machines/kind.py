"""What the mechanism must be told about one kind of machine: a frozen value with a version that changes by steps."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec

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


class Timed(Protocol):
    """The circumstances of a step: the time, and what else a kind asks for."""

    @property
    def now_ms(self) -> int: ...


V = TypeVar("V", bound=Versioned)
C = TypeVar("C")
"""The commands of a kind."""
M = TypeVar("M", bound=Timed)
"""The moments of a kind."""
M_contra = TypeVar("M_contra", bound=Timed, contravariant=True)
E = TypeVar("E")
"""The events of a kind."""


class Step(Value, Generic[V, E]):
    """The result of one command: the value after it and its events.

    ``records`` never change again. They are stored with the change, outside the value. ``line`` is a chat line.
    ``finished`` is the game that has ended, for the webhook.
    """

    value: V
    events: tuple[E, ...] = ()
    records: tuple[Record, ...] = ()
    line: Line | None = None
    finished: Any = None


class Loaded(NamedTuple, Generic[V]):
    """A value as it was last committed, with its command ids and newest chat lines.

    ``names`` are those of its players. ``presence`` is that of a shared store, None in a store of one process.
    """

    value: V
    command_ids: IdempotencyKeys
    lines: tuple[Line, ...] = ()
    names: Names = MappingProxyType({})
    presence: RoomPresence | None = None


class EventCodec(Generic[E]):
    """Events of one kind of machine as bytes. ``tuple_type`` is the type of several of them."""

    def __init__(self, tuple_type: type[tuple[E, ...]]) -> None:
        self.encode = msgspec.msgpack.Encoder().encode
        """Encode a tuple of events."""
        self._decode = msgspec.msgpack.Decoder(tuple_type).decode

    def decode(self, data: bytes) -> tuple[E, ...]:
        """Return the events of another node; none if only a newer program knows them."""
        try:
            return self._decode(data)
        except msgspec.DecodeError:
            return ()


class Kind(Protocol[V, C, M_contra, E]):
    """One kind of machine: its steps, its bytes, its index, its names. Nothing here depends on what a node holds."""

    @property
    def name(self) -> str:
        """The name of the kind in the store, in log lines and in messages to players."""
        ...

    @property
    def wake(self) -> C:
        """The command that only carries out what is due."""
        ...

    @property
    def events(self) -> EventCodec[E]:
        """How events travel to the other nodes that hold a value."""
        ...

    def step(self, value: V, command: C, at: M_contra) -> Step[V, E]:
        """Carry out what is due, then the command. Raise :class:`Rejection` for a command that is not allowed."""
        ...

    def closed(self, value: V, version: int) -> V:
        """Return the value as it ends when another node removes it."""
        ...

    def unknown(self) -> Rejection:
        """Return the rejection for a value that does not exist."""
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
        """Look up the names of the players that clients are shown. Raise ``StoreUnavailableError``."""
        ...


AnyKind: TypeAlias = Kind[V, Any, Any, Any]
"""A kind whose values alone matter."""
