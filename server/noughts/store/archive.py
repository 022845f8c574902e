"""Everything that a store keeps, as records of one form: to copy a store to another one, or to a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from noughts.room.downtime import Downtime
from noughts.room.idempotency import IdempotencyKeys
from noughts.store.contract import StoredPlayer, StoredToken, Subscription
from noughts.store.kinds import Kind
from noughts.store.machine_store import IndexEntry, Record, StoredRow

PROGRESS_EVERY: Final = 500
"""Values or guests between two lines of progress."""


class ArchivedValue(NamedTuple):
    """A value of one kind, such as a room, with its index entry and its records."""

    kind: str
    id: str
    stored: StoredRow
    index_entry: IndexEntry
    records: tuple[Record, ...]

    def same_as(self, other: ArchivedValue | None) -> bool:
        """Return whether both hold the same. Stores may keep answered ids in different orders."""
        if other is None:
            return False
        return _plain(self) == _plain(other)


class ArchivedPlayer(NamedTuple):
    """A guest, its tokens, oldest first, the hash and the end of its resume code, the hash of its identity, and its
    subscriptions, newest first.
    """

    player: StoredPlayer
    tokens: tuple[StoredToken, ...]
    resume_code: tuple[bytes, int] | None
    sign_on: bytes | None = None
    subscriptions: tuple[Subscription, ...] = ()


class ArchivedRest(NamedTuple):
    """Bans, downtime and the server's secrets, and when a server was last up. From then to the next start is downtime."""

    banned: tuple[str, ...] = ()
    downtimes: tuple[Downtime, ...] = ()
    beat_ms: int = 0
    """0 if that is not known."""
    secrets: tuple[tuple[str, bytes], ...] = ()


class CopyError(Exception):
    """The copy cannot be made, or differs from its source. The message says why and what to do."""


class ReadableArchive(Protocol):
    """A store, read record by record. Coroutines may raise ``StoreUnavailableError``."""

    @property
    def kinds(self) -> Sequence[Kind]:
        """The kinds of machines that it reads."""
        ...

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def ids(self, kind: str) -> Sequence[str]:
        """Return the values of a kind in the order in which they were created."""
        ...

    async def value(self, kind: str, id: str) -> ArchivedValue | None:
        """Return one state of a value."""
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

    async def put_value(self, value: ArchivedValue) -> None: ...

    async def put_player(self, player: ArchivedPlayer) -> None: ...

    async def put_rest(self, rest: ArchivedRest) -> None: ...


class Copied(NamedTuple):
    """How much was copied: the number of values of each kind, and of guests."""

    values: Mapping[str, int]
    players: int

    def __str__(self) -> str:
        """Return the counts for people, as "3 rooms, 1 guest"."""
        counts = [*self.values.items(), ("guest", self.players)]
        return ", ".join([f"{count:,} {name}" + "s" * (count != 1) for name, count in counts])


async def copy(source: ReadableArchive, target: Archive, show: Callable[[str], None]) -> Copied:
    """Copy everything to an archive that :meth:`Archive.begin` has emptied. ``show`` is called with lines of progress."""
    values, players = {}, 0
    ids = await source.player_ids()
    for number, id in enumerate(ids, 1):
        player = await source.player(id)
        if player is not None:  # deleted meanwhile
            await target.put_player(player)
            players += 1
        _report(show, number, len(ids), "guests")
    for kind in source.kinds:
        values[kind.name] = 0
        ids = await source.ids(kind.name)
        for number, id in enumerate(ids, 1):
            value = await source.value(kind.name, id)
            if value is not None:
                await target.put_value(value)
                values[kind.name] += 1
            _report(show, number, len(ids), f"{kind.name}s")
    await target.put_rest(await source.rest())
    return Copied(values, players)


async def compare(source: ReadableArchive, target: ReadableArchive) -> None:
    """Read both again. Raise :class:`CopyError` if they differ."""
    for kind in source.kinds:
        name = kind.name
        ids = await source.ids(name)
        if list(ids) != list(await target.ids(name)):
            raise CopyError(f"the copy does not hold the same {name}s as the source: copy again")
        for id in ids:
            value = await source.value(name, id)
            if value is None or not value.same_as(await target.value(name, id)):
                raise CopyError(f"{name} {id} differs between the source and the copy: copy again")
    player_ids = await source.player_ids()
    if sorted(player_ids) != sorted(await target.player_ids()):
        raise CopyError("the copy does not hold the same guests as the source: copy again")
    for id in player_ids:
        if await source.player(id) != await target.player(id):
            raise CopyError(f"guest {id} differs between the source and the copy: copy again")
    if await source.rest() != await target.rest():
        raise CopyError("bans, downtime or secrets differ between the source and the copy: copy again")


def _plain(value: ArchivedValue) -> object:
    version, data, answered, lines = value.stored
    versions = IdempotencyKeys.decoded(answered).versions()
    return value.kind, value.id, version, data, versions, lines, value.index_entry, value.records


def _report(show: Callable[[str], None], number: int, total: int, what: str) -> None:
    if number % PROGRESS_EVERY == 0 or number == total:
        show(f"  {number:,} of {total:,} {what}")
