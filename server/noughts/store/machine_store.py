"""The contract of a store about machines: changes, answers, and the values of one kind.

A store keeps machines of several kinds: frozen values with a version, as bytes, each with an index entry by which it is
found. A room is one kind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from noughts.rules.outcome import Mark
from noughts.store.kinds import ROOM
from noughts.store.presence import RoomPresence
from noughts.values import Value

T = TypeVar("T")

Listing: TypeAlias = str
"""A public list of a kind. A room is ``open`` while it waits for an opponent, ``live`` while a game is on."""
Record: TypeAlias = tuple[int, bytes]
"""The number and the bytes of something that never changes again, as a finished game of a room."""


class IndexEntry(NamedTuple):
    """The facts by which a value is found: its deadline, its public list, its variant, and its players.

    ``time_runs`` says whether a player's time runs, so that downtime must be measured.
    """

    wake_at_ms: int
    listing: Listing | None
    variant: str
    players: tuple[str, ...]
    time_runs: bool = False


class Line(NamedTuple):
    """A chat line, number ``n`` of its room. Names are read from the players, so a deleted name disappears."""

    n: int
    at_ms: int
    player: str
    mark: Mark | None
    text: str
    ply: int


class Change(Value):
    """One durable change of a value, all or nothing, valid only while the stored version is ``expected`` (0: a new value).

    A node receives the changes of others through the relay in the same form, without ``index_entry``, ``command_ids`` and
    ``records``, and with the number of the chat line.
    """

    id: str
    expected: int
    version: int
    data: bytes | None = None
    """The value at ``version``; None for a chat line or a reaction, which leave the version as it is."""
    index_entry: IndexEntry | None = None
    """The index entry; None if it equals that of the value at ``expected``."""
    command: tuple[str, str] | None = None
    """The player and the id of the command that this change answers ok with ``version``."""
    command_ids: bytes | None = None
    """The encoded ids of all answered commands with ``command``, for a store of one process; None without a command.

    A shared store adds ``command`` to its own list, which may have ids that the sender does not know yet.
    """
    records: tuple[Record, ...] = ()
    """What never changes again, stored in the same transaction: a game that has just ended."""
    line: Line | None = None
    """A chat line without its number: the store numbers the lines of a room from 1."""
    closes: bool = False
    """Remove the value and everything that belongs to it."""
    news: bytes | None = None
    """The encoded events for the other nodes that hold the value; None where no other node can hold it."""
    checks: bool = False
    """Write nothing, and answer as if the change were submitted."""
    kind: str = ROOM
    line_number: int = 0
    """The number of a line of a copy, which the next lines follow; 0 for the next number."""


class StoredRow(NamedTuple):
    """A value as it was last committed: version, bytes, the encoded command ids, and its newest chat lines."""

    version: int
    data: bytes
    command_ids: bytes
    lines: tuple[Line, ...]


class WholeRow(NamedTuple):
    """Everything that a store keeps of a value: its row, its index entry and its records, the oldest first."""

    id: str
    stored: StoredRow
    index_entry: IndexEntry
    records: tuple[Record, ...]


class HeldRow(NamedTuple):
    """A value that this node holds from now on, and its presence. A store of one process keeps no presence: it is None."""

    stored: StoredRow
    presence: RoomPresence | None = None


class ListedRow(NamedTuple):
    """A value in a list: its id, its bytes and its presence, None in a store of one process."""

    id: str
    data: bytes
    presence: RoomPresence | None = None


class Due(NamedTuple):
    """A value that no node holds, and its deadline."""

    id: str
    at_ms: int


class Stored(Value):
    """The change is durable. ``line`` is the number of its chat line, 0 if it has none."""

    version: int
    line: int = 0


class Known(NamedTuple):
    """The command was answered ok before, with this version. Nothing was written."""

    version: int


class Conflict(NamedTuple):
    """Another change came first and nothing was written. ``row`` is what is stored, None when there is nothing."""

    row: StoredRow | None


class Unavailable(NamedTuple):
    """The outcome is not known."""

    reason: str


class Failed(NamedTuple):
    """This change alone cannot be stored, because of what it holds or because the stored bytes are damaged.

    Nothing was written.
    """

    reason: str


CommitAnswer: TypeAlias = Stored | Known | Conflict | Unavailable | Failed


class CommitReceiver(Protocol):
    """Receives the answers to submitted changes, on the event loop and in the order of submission."""

    def commit_answered(self, change: Change, answer: CommitAnswer) -> None: ...


class Awaited(Generic[T]):
    """The receiver of one answer of a store, for a coroutine that awaits it."""

    __slots__ = ("future",)

    def __init__(self) -> None:
        self.future: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    def commit_answered(self, request: object, answer: T) -> None:
        if not self.future.done():  # the caller may have been cancelled
            self.future.set_result(answer)


class MachineStore(Protocol):
    """The values of one kind, their records and their chat. Coroutines may raise :class:`StoreUnavailableError`.

    A node *holds* a value while it has connections for it. A stored change reaches the other nodes that hold the value
    through the relay, in the order in which the store carried out changes, answers and reads.
    """

    @property
    def shared(self) -> bool:
        """Whether other nodes may change values. If not, the only process always knows the newest version."""
        ...

    def submit(self, change: Change, receiver: CommitReceiver) -> None:
        """Submit a change and return at once. The receiver gets the answer exactly once.

        Changes submitted in one turn of the event loop reach the store together and share a commit.
        """
        ...

    async def load(self, id: str) -> StoredRow | None: ...

    async def hold(self, id: str) -> HeldRow | None:
        """Receive the changes of a value from now on, and return it; None if there is none, and nothing is held.

        Both happen at once. A value that is held already can be held again, to read it.
        """
        ...

    def release(self, id: str) -> None:
        """Receive no more changes of a value. This node's report of its connections ends too."""
        ...

    async def record(self, id: str, number: int) -> bytes | None:
        """Return a record of a value, as a finished game of a room."""
        ...

    async def claim_due(self, until_ms: int, limit: int, retry_ms: int) -> Sequence[Due]:
        """Return values with a deadline up to a time, the earliest first. The caller sees to each from now on.

        A store of one process returns each deadline once, so the caller remembers those that it sets before ``until_ms``.
        A shared store takes the present as ``until_ms``, leaves out what a node holds, and moves each deadline to
        ``retry_ms`` from now, so that no other node claims it meanwhile.
        """
        ...

    async def postpone(self, id: str, at_ms: int) -> None:
        """Set the deadline of a value that was woken and had nothing to do yet."""
        ...

    async def time_runs(self) -> bool:
        """Return whether a player's time runs in any value."""
        ...

    async def listed(self, listing: Listing, variant: str | None, limit: int) -> Sequence[ListedRow]:
        """Return the values in a public list, newest first."""
        ...

    async def newest(self, limit: int) -> Sequence[ListedRow]:
        """Return the newest values, newest first."""
        ...

    async def ids_of(self, player: str) -> Sequence[str]:
        """Return the values of a player: the rooms in which the player holds a seat or that the player owns."""
        ...

    async def ids_with_lines_of(self, player: str) -> Sequence[str]:
        """Return the values that keep a chat line of a player. The last line may have made way for newer ones."""
        ...

    async def ids(self) -> Sequence[str]:
        """Return all values in the order in which they were created."""
        ...

    async def whole(self, id: str) -> WholeRow | None:
        """Return one state of everything that belongs to a value; None if there is none."""
        ...

    async def count(self, listing: Listing | None = None) -> int:
        """Return the number of values, or of those in a list."""
        ...

    async def records(self, id: str, numbers: Sequence[int]) -> Sequence[bytes | None]:
        """Return several records of a value, None for each that does not exist."""
        ...


async def commit(store: MachineStore, change: Change) -> CommitAnswer:
    """Submit a change and wait for its answer."""
    receiver: Awaited[CommitAnswer] = Awaited()
    store.submit(change, receiver)
    return await receiver.future
