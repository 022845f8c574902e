"""The contracts of a store, split by what is kept: rooms, players, bans, and the life of nodes.

A store keeps the bytes of each room, and an index entry by which the room is found. The suite in ``tests/store`` runs
against every implementation.

Durability: an answer other than :class:`Unavailable` survives a power cut. :class:`Unavailable`, and a raised
:class:`StoreUnavailableError`, mean *unknown*, never *undone*: read again before you go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

Listing: TypeAlias = Literal["open", "live"]
"""The public list of a room: ``open`` while it waits for an opponent, ``live`` while a game is on."""


class StoreUnavailableError(Exception):
    """The store cannot be reached, or a write failed. It is not known whether the write took effect."""


class SchemaError(Exception):
    """This program cannot use the stored data. The message says why and what to do."""


class IndexEntry(NamedTuple):
    """The facts by which a room is found: its deadline, its public list, its variant, and its seat holders and owner."""

    wake_at_ms: int
    listing: Listing | None
    variant: str
    players: tuple[str, ...]


class Line(NamedTuple):
    """A chat line, number ``n`` of its room. Names are read from the players, so a deleted name disappears."""

    n: int
    at_ms: int
    player: str
    mark: str | None
    text: str
    ply: int


class Change(NamedTuple):
    """One durable change of a room, all or nothing, valid only while the stored version is ``expected`` (0: a new room).

    ``data`` is the room at ``version``; None for a chat line or a reaction, which leave the version as it is.
    ``index_entry`` is None when it equals that of the room at ``expected``. ``command`` is the (player, command id) that
    this change answers ok with ``version``. ``answered`` is the encoded list of the room's answered ids including
    ``command``, kept in the room's own row; it is None where the change answers no command. ``game`` is the number and the
    record of a game that has just ended. ``line`` comes without a number: the store numbers chat lines from 1. ``closes``:
    remove the room and everything that belongs to it.
    """

    room: str
    expected: int
    version: int
    data: bytes | None = None
    index_entry: IndexEntry | None = None
    command: tuple[str, str] | None = None
    answered: bytes | None = None
    game: tuple[int, bytes] | None = None
    line: Line | None = None
    closes: bool = False


class StoredRoom(NamedTuple):
    """A room as it was last committed: version, bytes, the encoded list of answered ids, and its newest chat lines."""

    version: int
    data: bytes
    answered: bytes
    lines: tuple[Line, ...]


class Stored(NamedTuple):
    """The change is durable. ``line`` is the number of its chat line, 0 if it has none."""

    version: int
    line: int = 0


class Known(NamedTuple):
    """The command was answered ok before, with this version. Nothing was written."""

    version: int


class Conflict(NamedTuple):
    """Another change came first and nothing was written. ``room`` is the stored room, None when there is none."""

    room: StoredRoom | None


class Unavailable(NamedTuple):
    """The outcome is not known."""

    reason: str


CommitAnswer: TypeAlias = Stored | Known | Conflict | Unavailable


class CommitReceiver(Protocol):
    """Receives the answers to submitted changes, on the event loop and in the order of submission."""

    def commit_answered(self, change: Change, answer: CommitAnswer) -> None: ...


class RoomStore(Protocol):
    """Rooms, their finished games and their chat. Coroutines may raise :class:`StoreUnavailableError`."""

    def submit(self, change: Change, receiver: CommitReceiver) -> None:
        """Submit a change and return at once. The receiver gets the answer exactly once.

        Changes submitted in one turn of the event loop reach the store together and share a commit.
        """
        ...

    async def load(self, room: str) -> StoredRoom | None: ...

    async def game(self, room: str, number: int) -> bytes | None:
        """Return the record of a finished game."""
        ...

    async def deadlines(self) -> Sequence[tuple[str, int]]:
        """Return every room with its deadline."""
        ...

    async def listed(self, listing: Listing, variant: str | None, limit: int) -> Sequence[tuple[str, bytes]]:
        """Return id and bytes of the rooms in a public list, newest first."""
        ...

    async def rooms_of(self, player: str) -> Sequence[str]:
        """Return the rooms in which a player holds a seat or that the player owns."""
        ...

    async def room_count(self) -> int: ...

    async def newest(self, limit: int) -> Sequence[tuple[str, bytes]]:
        """Return id and bytes of the newest rooms, newest first."""
        ...


class StoredPlayer(NamedTuple):
    """A guest: id, name, when it was last seen, and whether a program runs it."""

    id: str
    name: str
    seen_ms: int
    bot: bool = False


class PlayerStore(Protocol):
    """Guests, the hashes of their tokens, and resume codes. Coroutines may raise :class:`StoreUnavailableError`."""

    async def add_player(self, player: StoredPlayer, token_hash: bytes) -> None: ...

    async def player(self, player: str) -> StoredPlayer | None: ...

    async def player_by_token(self, token_hash: bytes) -> StoredPlayer | None: ...

    async def names(self, players: Sequence[str]) -> dict[str, str]:
        """Return the names of those players that still exist."""
        ...

    async def rename(self, player: str, name: str) -> None: ...

    async def seen(self, player: str, now_ms: int) -> None: ...

    async def delete_player(self, player: str) -> None:
        """Delete a player, its tokens and its resume codes."""
        ...

    async def delete_unseen(self, before_ms: int, limit: int) -> int:
        """Delete players last seen before a time, at most ``limit``. Return how many."""
        ...

    async def add_token(self, player: str, token_hash: bytes) -> None: ...

    async def add_resume_code(self, code_hash: bytes, player: str, expires_ms: int) -> None:
        """Store a resume code. An earlier code of the player becomes void."""
        ...

    async def take_resume_code(self, code_hash: bytes, now_ms: int) -> str | None:
        """Use up a code that has not expired and return its player; None for any other code."""
        ...

    async def player_count(self) -> int: ...


class BanStore(Protocol):
    """Addresses that may not use the server. Coroutines may raise :class:`StoreUnavailableError`."""

    async def ban(self, address: str) -> None: ...

    async def unban(self, address: str) -> None: ...

    async def banned(self) -> Sequence[str]: ...


class NodeStore(Protocol):
    """The life of a node. Coroutines may raise :class:`StoreUnavailableError`."""

    async def open(self) -> None:
        """Connect, and create what is missing. Raise :class:`SchemaError` for data that this program cannot use."""
        ...

    async def close(self) -> None:
        """Finish every request that was submitted, then disconnect."""
        ...

    async def ping(self) -> None:
        """Check that a change could be stored now. Raise :class:`StoreUnavailableError` if not."""
        ...

    async def beat(self, now_ms: int) -> None:
        """Store that a node was up at this time."""
        ...

    async def last_beat_ms(self) -> int | None:
        """Return the time of the newest beat; None before the first."""
        ...

    @property
    def commits(self) -> int:
        """Transactions so far."""
        ...


class Store(RoomStore, PlayerStore, BanStore, NodeStore, Protocol):
    """All four contracts together."""
