"""Reads a whole database file and says what is damaged in it. Neither the file nor its log is changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple

from noughts.room.idempotency import IdempotencyKeys
from noughts.room.storage import game_from, room_from
from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.sqlite.damage import damage_text
from noughts.store.sqlite.inspection import check_kind, reading
from noughts.store.sqlite.schema import SCHEMA_VERSION

PROGRESS_EVERY: Final = 5_000
"""Rooms between two lines of progress."""
MAX_SHOWN: Final = 20
"""The most sentences about damage that are taken from one table."""


_NAMES: Final = (
    ("rooms", "SELECT id FROM rooms NOT INDEXED"),
    ("rooms", "SELECT id FROM rooms INDEXED BY sqlite_autoindex_rooms_1 WHERE id>=''"),
    ("seated", "SELECT room FROM seated"),
    ("seated", "SELECT room FROM seated INDEXED BY seated_room WHERE room>=''"),
    ("games", "SELECT DISTINCT room FROM games"),
    ("lines", "SELECT DISTINCT room FROM lines"),
)
"""Every table and index that names rooms. If a page is lost, the others still name the rooms that were on it."""


class Health(NamedTuple):
    """What a check has read, and what is damaged in it."""

    rooms: int
    players: int
    damage: tuple[str, ...]
    """What SQLite says about damaged pages."""
    unreadable_rooms: tuple[str, ...]
    """Rooms that cannot be decoded, though their pages are whole."""
    lost_rooms: tuple[str, ...]
    """Rooms that a table or an index names, and whose row is gone or on a damaged page."""

    @property
    def whole(self) -> bool:
        """Whether nothing is damaged."""
        return not (self.damage or self.unreadable_rooms or self.lost_rooms)


def check_file(path: Path, show: Callable[[str], None]) -> Health:
    """Read every page, every row and every room. ``show`` is called with lines of progress.

    Raise :class:`SchemaError` for a file that is not of this schema or whose beginning is damaged,
    :class:`StoreUnavailableError` if it cannot be read.
    """
    try:
        version = check_kind(path)
        if version != SCHEMA_VERSION:
            raise SchemaError(f"{path} has schema {version}, not {SCHEMA_VERSION}: start a server on it once.")
        with reading(path) as db:
            damage = list(_page_damage(db, show))
            db.execute("BEGIN")  # one state: a room that is removed meanwhile is not lost
            rooms = _named_rooms(db, damage)
            states: dict[str, list[str]] = {"whole": [], "unreadable": [], "lost": []}
            for number, room in enumerate(rooms, 1):
                states[_state_of(db, room, damage)].append(room)
                if number % PROGRESS_EVERY == 0 or number == len(rooms):
                    show(f"  {number:,} of {len(rooms):,} rooms")
            room_count, players = _count(db, "rooms", damage), _count(db, "players", damage)
    except (sqlite3.Error, OSError) as error:
        raise StoreUnavailableError(f"{path} cannot be read: {error}") from error
    return Health(room_count, players, tuple(dict.fromkeys(damage)), tuple(states["unreadable"]), tuple(states["lost"]))


def _page_damage(db: sqlite3.Connection, show: Callable[[str], None]) -> Iterator[str]:
    """Yield what SQLite finds in each table with its indexes, then in the file as a whole."""
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table' ORDER BY name")]
    for number, table in enumerate(tables, 1):
        yield from _verdicts(db, f"PRAGMA integrity_check('{table}')", f"{table}: ")
        show(f"  {number} of {len(tables)} tables")
    yield from _verdicts(db, "PRAGMA quick_check", "")


def _verdicts(db: sqlite3.Connection, pragma: str, prefix: str) -> Iterator[str]:
    try:
        lines = [line for (text,) in db.execute(pragma) for line in text.splitlines()]
    except sqlite3.DatabaseError as error:
        lines = [damage_text(error)]
    sentences = [line for line in lines if line != "ok" and not line.startswith("***")]
    yield from [prefix + line for line in sentences[:MAX_SHOWN]]


def _named_rooms(db: sqlite3.Connection, damage: list[str]) -> Sequence[str]:
    """Return all rooms that any table or index names, as far as each can be read."""
    rooms: set[str] = set()
    for table, sql in _NAMES:
        try:
            for (room,) in db.execute(sql):
                rooms.add(room)
        except sqlite3.DatabaseError as error:
            damage.append(f"{table}: {damage_text(error)}")
    return sorted(rooms)


def _state_of(db: sqlite3.Connection, room: str, damage: list[str]) -> Literal["whole", "unreadable", "lost"]:
    """Return whether a room and its games can be read and decoded."""
    row = None
    with suppress(sqlite3.DatabaseError):  # the check of the pages has named this damage
        row = db.execute("SELECT data, answered FROM rooms WHERE id=?", (room,)).fetchone()
    if row is None:
        return "lost"
    try:
        games = db.execute("SELECT data FROM games WHERE room=?", (room,)).fetchall()
    except sqlite3.DatabaseError as error:
        damage.append(f"games of room {room}: {damage_text(error)}")
        games = []
    return "whole" if _is_readable(row, games) else "unreadable"


def _is_readable(row: tuple[bytes, bytes], games: list[tuple[bytes]]) -> bool:
    data, answered = row
    try:
        room_from(data)
        IdempotencyKeys.decoded(answered)
        for (game,) in games:
            game_from(game)
    except Exception:  # the bytes may be anything, and a decoder may raise anything about them
        return False
    return True


def _count(db: sqlite3.Connection, table: str, damage: list[str]) -> int:
    try:
        return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    except sqlite3.DatabaseError as error:
        damage.append(f"{table}: {damage_text(error)}")
        return 0
