"""Everything that a store keeps, as records of one form: to copy a store to another one, or to a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol

from noughts.room.downtime import Downtime
from noughts.room.idempotency import IdempotencyKeys
from noughts.store.contract import StoredPlayer
from noughts.store.machine_store import IndexEntry, StoredRow

PROGRESS_EVERY: Final = 500
"""Rooms or guests between two lines of progress."""


class ArchivedRoom(NamedTuple):
    """A room with its index entry, and its finished games by their numbers."""

    id: str
    stored: StoredRow
    index_entry: IndexEntry
    games: tuple[tuple[int, bytes], ...]

    def same_as(self, other: ArchivedRoom | None) -> bool:
        """Return whether both hold the same. Stores may keep answered ids in different orders."""
        if other is None:
            return False
        return _plain(self) == _plain(other)


class ArchivedPlayer(NamedTuple):
    """A guest, the hashes of its tokens, and the hash and the end of its resume code."""

    player: StoredPlayer
    tokens: tuple[bytes, ...]
    resume_code: tuple[bytes, int] | None


class ArchivedRest(NamedTuple):
    """Bans and downtime, and when a server was last up. The time from then to the next start is downtime."""

    banned: tuple[str, ...] = ()
    downtimes: tuple[Downtime, ...] = ()
    beat_ms: int = 0
    """0 if that is not known."""


class CopyError(Exception):
    """The copy cannot be made, or differs from its source. The message says why and what to do."""


class ReadableArchive(Protocol):
    """A store, read record by record. Coroutines may raise ``StoreUnavailableError``."""

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def room_ids(self) -> Sequence[str]:
        """Return the rooms in the order in which they were created."""
        ...

    async def room(self, id: str) -> ArchivedRoom | None:
        """Return one state of a room."""
        ...

    async def player_ids(self) -> Sequence[str]: ...

    async def player(self, id: str) -> ArchivedPlayer | None: ...

    async def rest(self) -> ArchivedRest: ...


class Archive(ReadableArchive, Protocol):
    """A store, read and written record by record. Coroutines may raise ``StoreUnavailableError``."""

    async def identity(self) -> str:
        """Return a text that is the same for two addresses of one store."""
        ...

    async def is_used(self) -> bool:
        """Return whether a server or a node is running on this store."""
        ...

    async def is_empty(self) -> bool:
        """Return whether there is nothing in the store but a copy that was broken off."""
        ...

    async def begin(self) -> None:
        """Delete everything, and keep servers from this store until :meth:`complete`."""
        ...

    async def complete(self) -> None:
        """Let servers use the store."""
        ...

    async def put_room(self, room: ArchivedRoom) -> None: ...

    async def put_player(self, player: ArchivedPlayer) -> None: ...

    async def put_rest(self, rest: ArchivedRest) -> None: ...


class Copied(NamedTuple):
    """How much was copied."""

    rooms: int
    players: int


async def copy(source: ReadableArchive, target: Archive, show: Callable[[str], None]) -> Copied:
    """Copy everything to an archive that :meth:`Archive.begin` has emptied. ``show`` is called with lines of progress."""
    rooms = players = 0
    ids = await source.player_ids()
    for number, id in enumerate(ids, 1):
        player = await source.player(id)
        if player is not None:  # deleted meanwhile
            await target.put_player(player)
            players += 1
        _report(show, number, len(ids), "guests")
    ids = await source.room_ids()
    for number, id in enumerate(ids, 1):
        room = await source.room(id)
        if room is not None:
            await target.put_room(room)
            rooms += 1
        _report(show, number, len(ids), "rooms")
    await target.put_rest(await source.rest())
    return Copied(rooms, players)


async def compare(source: ReadableArchive, target: ReadableArchive) -> None:
    """Read both again. Raise :class:`CopyError` if they differ."""
    room_ids, player_ids = await source.room_ids(), await source.player_ids()
    if list(room_ids) != list(await target.room_ids()):
        raise CopyError("the copy does not hold the same rooms as the source: copy again")
    if sorted(player_ids) != sorted(await target.player_ids()):
        raise CopyError("the copy does not hold the same guests as the source: copy again")
    for id in room_ids:
        room = await source.room(id)
        if room is None or not room.same_as(await target.room(id)):
            raise CopyError(f"room {id} differs between the source and the copy: copy again")
    for id in player_ids:
        if await source.player(id) != await target.player(id):
            raise CopyError(f"guest {id} differs between the source and the copy: copy again")
    if await source.rest() != await target.rest():
        raise CopyError("bans or downtime differ between the source and the copy: copy again")


def _plain(room: ArchivedRoom) -> object:
    version, data, answered, lines = room.stored
    versions = IdempotencyKeys.decoded(answered).versions()
    return room.id, version, data, versions, lines, room.index_entry, room.games


def _report(show: Callable[[str], None], number: int, total: int, what: str) -> None:
    if number % PROGRESS_EVERY == 0 or number == total:
        show(f"  {number:,} of {total:,} {what}")
