"""What the application may ask of a store. A store keeps bytes and the few facts that it must find rooms by; it knows
no rules and no wire. One suite of tests (``tests/store``) runs against every store.

Durability: when :meth:`Store.commit` has answered, the change survives a power cut. When it raises
:class:`StoreUnavailableError` nobody knows whether the change happened: read again before going on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

Listing: TypeAlias = Literal["open", "live"]


class StoreUnavailableError(Exception):
    """The store cannot be reached, or a write failed: the outcome is not known."""


class Found(NamedTuple):
    """What a room is found by: when it needs attention, in which public list it stands, who sits in it or owns it."""

    wake_at_ms: int | None
    listing: Listing | None
    variant: str
    players: tuple[str, ...]


class Line(NamedTuple):
    """A chat line, number ``n`` of its room; names are looked up when it is read, so that a forgotten one stays so."""

    n: int
    at_ms: int
    player: str
    mark: str | None
    text: str
    ply: int


class Change(NamedTuple):
    """One durable change of a room, all or nothing.

    The room is written if ``data`` is given, and only if its stored version is ``expected`` (0: it is new); a ``line``
    comes without ``data``, and is written only if its number is free. Otherwise nothing is written and the answer is a
    conflict. ``answered`` is the (player, command id) answered ok with ``version``; ``forget`` names older ones
    to drop. ``found`` is None when it is as before.
    """

    room: str
    version: int
    expected: int
    data: bytes | None = None
    found: Found | None = None
    answered: tuple[str, str] | None = None
    forget: tuple[tuple[str, str], ...] = ()
    game: tuple[int, bytes] | None = None
    line: Line | None = None


class StoredRoom(NamedTuple):
    """A room as it was last committed: its bytes, the ids answered ok (oldest first) and the newest chat lines."""

    data: bytes
    answered: tuple[tuple[str, str, int], ...]
    lines: tuple[Line, ...]


class StoredPlayer(NamedTuple):
    """A guest: id, name, and when last seen."""

    id: str
    name: str
    seen_ms: int


class Store(Protocol):
    """Every method may raise :class:`StoreUnavailableError`."""

    async def open(self) -> None:
        """Make ready, creating what is missing."""
        ...

    async def close(self) -> None:
        """Finish what was begun and let go."""
        ...

    async def ping(self) -> None:
        """Raise if a change could not be stored now."""
        ...

    async def commit(self, change: Change) -> bool:
        """Store one change; False when another came first and nothing was written."""
        ...

    async def load(self, room: str) -> StoredRoom | None: ...

    async def delete(self, room: str) -> None:
        """Remove a room and all that belongs to it."""
        ...

    async def game(self, room: str, number: int) -> bytes | None:
        """The record of a finished game."""
        ...

    async def wakes(self) -> Sequence[tuple[str, int]]:
        """Every room that will need attention, with the time."""
        ...

    async def listed(self, listing: Listing, variant: str | None, limit: int) -> Sequence[str]:
        """The rooms of a public list, newest first."""
        ...

    async def rooms_of(self, player: str) -> Sequence[str]:
        """The rooms that a player sits in or owns."""
        ...

    async def count(self) -> tuple[int, int]:
        """How many players and rooms there are."""
        ...

    async def all_rooms(self) -> Sequence[str]: ...

    async def add_player(self, player: StoredPlayer, token_hash: bytes) -> None: ...

    async def player(self, player: str) -> StoredPlayer | None: ...

    async def player_by_token(self, token_hash: bytes) -> StoredPlayer | None: ...

    async def names(self, players: Sequence[str]) -> dict[str, str]:
        """The names of those that still exist."""
        ...

    async def rename(self, player: str, name: str) -> None: ...

    async def seen(self, player: str, now_ms: int) -> None: ...

    async def delete_player(self, player: str) -> None:
        """Forget a player, its tokens and its resume codes."""
        ...

    async def forget_unseen(self, before_ms: int) -> int:
        """Forget every player not seen since; how many."""
        ...

    async def add_token(self, player: str, token_hash: bytes) -> None: ...

    async def add_resume_code(self, code_hash: bytes, player: str, expires_ms: int) -> None: ...

    async def take_resume_code(self, code_hash: bytes, now_ms: int) -> str | None:
        """The player of a code that is not yet used and not too old; it is used up by this."""
        ...

    async def alive(self, now_ms: int) -> None:
        """Note that the server was up at this time."""
        ...

    async def last_alive_ms(self) -> int | None:
        """The newest of those notes."""
        ...

    async def ban(self, address: str) -> None: ...

    async def unban(self, address: str) -> None: ...

    async def banned(self) -> Sequence[str]: ...
