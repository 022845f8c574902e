"""A damaged file as an archive to read: every row that is whole, wherever it is.

No two tables of the schema have rows of one shape. So a row says by itself which table it belongs to, and neither the table
of tables nor the trees are needed. The seats are not read: each room names its players.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from noughts.room.downtime import Downtime
from noughts.room.idempotency import IdempotencyKeys
from noughts.room.storage import game_from, room_from
from noughts.store.archive import ArchivedPlayer, ArchivedRoom
from noughts.store.contract import IndexEntry, Line, StoredPlayer, StoredRoom
from noughts.store.sqlite.changes import LINES_LOADED
from noughts.store.sqlite.pages import Cell, Pages, Row

PROGRESS_EVERY: Final = 5_000
"""Pages between two lines of progress."""
_LISTINGS: Final = (None, "open", "live")


class Losses(NamedTuple):
    """What could not be read, as far as the rest of the file tells."""

    cells: int
    """Rows and entries of indexes that are damaged. Each row has entries in indexes, so one loss may count twice."""
    rooms: Sequence[str]
    """Rooms whose row was found and cannot be decoded."""
    unnamed_players: int
    """Guests whose row is lost and who keep their token, with a name from a room."""


class DamagedArchive:
    """A :class:`~noughts.store.archive.ReadableArchive`. Rows are decoded when they are asked for."""

    def __init__(self, path: Path, show: Callable[[str], None]) -> None:
        """``show`` is called with lines of progress. Raise OSError if the file cannot be opened."""
        self._pages = Pages(path)
        self._show = show
        self._damaged = 0
        self._rooms: dict[str, tuple[int, int, Cell]] = {}
        """Room -> its number, which says its order, its version and its newest row."""
        self._games: defaultdict[str, dict[int, Cell]] = defaultdict(dict)
        self._lines: defaultdict[str, dict[int, Cell]] = defaultdict(dict)
        self._players: dict[str, StoredPlayer] = {}
        self._token_owners: dict[bytes, str] = {}
        self._tokens: defaultdict[str, list[bytes]] = defaultdict(list)
        self._codes: dict[str, tuple[bytes, int]] = {}
        self._bans: set[str] = set()
        self._downtimes: set[Downtime] = set()
        self._beat_ms = 0
        self._names: dict[str, str] = {}
        self._unreadable: list[str] = []
        self._unnamed = 0

    async def open(self) -> None:
        """Look at every page."""
        pages = self._pages

        def progress(number: int) -> None:
            if number and number % PROGRESS_EVERY == 0:
                self._show(f"  {number:,} of {pages.count:,} pages")

        for number, reached in pages.with_rows(progress):
            for cell in pages.cells(number):
                row = pages.row(cell)
                if row is None:
                    self._damaged += 1
                else:
                    self._take(row, cell, reached, table=pages.is_table(number))
        self._show(f"  {pages.count:,} of {pages.count:,} pages")
        for id in list(self._rooms):
            self._read_names(id)
        for hash, player in self._token_owners.items():
            self._tokens[player].append(hash)
        for player in self._tokens.keys() - self._players.keys():
            self._unnamed += 1
            self._players[player] = StoredPlayer(player, self._names.get(player, "Guest"), self._beat_ms)

    async def close(self) -> None:
        self._pages.close()

    @property
    def losses(self) -> Losses:
        """What has not been read so far."""
        return Losses(self._damaged, self._unreadable, self._unnamed)

    def _take(self, row: Row, cell: Cell, reached: bool, *, table: bool) -> None:
        """Note a row under its table. A row to which a tree leads comes first, and is not replaced by an older one."""
        match row.values:
            case (str(id), int(version), bytes(), bytes(), int(), listing, str(), str()) if (
                table and listing in _LISTINGS
            ):
                earlier = self._rooms.get(id)
                if earlier is None or (not reached and version > earlier[1]):
                    self._rooms[id] = (row.number or 0, version, cell)
            case (str(id), str(name), int(seen_ms), int(bot)) if table and bot in (0, 1):
                self._players.setdefault(id, StoredPlayer(id, name, seen_ms, bool(bot)))
            case (None, int(at_ms)) if table:
                self._beat_ms = max(self._beat_ms, at_ms)
            case (int(from_ms), int(until_ms)) if table and from_ms < until_ms:
                self._downtimes.add(Downtime(from_ms, until_ms))
            case (str(room), int(number), bytes()) if not table:
                self._games[room].setdefault(number, cell)
            case (str(room), int(n), int(), str(), mark, str(), int()) if not table and mark in (None, "X", "O"):
                self._lines[room].setdefault(n, cell)
            case (bytes(hash), str(player)) if not table:
                self._token_owners.setdefault(hash, player)
            case (bytes(hash), str(player), int(expires_ms)) if not table:
                self._codes.setdefault(player, (hash, expires_ms))
            case (str(address),) if not table:
                self._bans.add(address)
            case _:  # an entry of an index, a seat, or a row of the table of tables
                pass

    def _read_names(self, id: str) -> None:
        """Note the names of the players in a room, and drop the room if it cannot be decoded."""
        row = self._pages.row(self._rooms[id][2])
        try:
            room = room_from(row.values[2])  # type: ignore[union-attr, arg-type]
        except Exception:  # the bytes may be anything
            del self._rooms[id]
            self._unreadable.append(id)
            return
        self._beat_ms = max(self._beat_ms, room.used_ms)
        for person in (room.owner, room.seats.X, room.seats.O):
            player = getattr(person, "player", None)
            if player is not None:
                self._names[player] = person.name  # type: ignore[union-attr]

    # --- what the copy reads ------------------------------------------------------------------------------------

    async def room_ids(self) -> Sequence[str]:
        return sorted(self._rooms, key=lambda id: self._rooms[id][0])

    async def room(self, id: str) -> ArchivedRoom | None:
        row = self._pages.row(self._rooms[id][2])
        if row is None:
            return None
        _, version, data, answered, wake_at_ms, listing, variant, players = row.values
        stored = StoredRoom(version, data, _ids(answered), self._lines_of(id))  # type: ignore[arg-type]
        entry = IndexEntry(wake_at_ms, listing, variant, tuple(str(players).split()))  # type: ignore[arg-type]
        return ArchivedRoom(id, stored, entry, self._games_of(id))

    def _lines_of(self, room: str) -> tuple[Line, ...]:
        lines = []
        for _, cell in sorted(self._lines[room].items())[-LINES_LOADED:]:
            row = self._pages.row(cell)
            if row is not None:
                lines.append(Line(*row.values[1:]))  # type: ignore[arg-type]
        return tuple(lines)

    def _games_of(self, room: str) -> tuple[tuple[int, bytes], ...]:
        games = []
        for number, cell in sorted(self._games[room].items()):
            row = self._pages.row(cell)
            try:
                data = row.values[2]  # type: ignore[union-attr]
                game_from(data)  # type: ignore[arg-type]
            except Exception:  # the bytes may be anything
                self._damaged += 1
            else:
                games.append((number, data))
        return tuple(games)  # type: ignore[arg-type]

    async def player_ids(self) -> Sequence[str]:
        return sorted(self._players)

    async def player(self, id: str) -> ArchivedPlayer | None:
        return ArchivedPlayer(self._players[id], tuple(sorted(self._tokens.get(id, ()))), self._codes.get(id))

    async def banned(self) -> Sequence[str]:
        return sorted(self._bans)

    async def downtimes(self) -> Sequence[Downtime]:
        return sorted(self._downtimes)

    async def beat_ms(self) -> int:
        """Return the last beat, or the last use of a room."""
        return self._beat_ms


def _ids(answered: object) -> bytes:
    """Return the answered ids of a room, none if they are damaged: a command sent again may then have a second effect."""
    try:
        IdempotencyKeys.decoded(answered)  # type: ignore[arg-type]
    except Exception:  # the bytes may be anything
        return b""
    return answered  # type: ignore[return-value]
