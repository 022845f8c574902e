"""Writes a change to the tables. Every function runs inside a transaction that the writer begins and ends."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final, TypeAlias

from noughts.room.idempotency import IdempotencyKeys
from noughts.store.contract import (
    Change,
    CommitAnswer,
    Conflict,
    IndexEntry,
    Known,
    Line,
    Stored,
    StoredRoom,
)

LINES_LOADED: Final = 100
"""The most chat lines kept for a room, and loaded with it. They are the newest."""
GAMES_KEPT: Final = 100
"""The most finished games kept for a room. They are the newest."""
GAMES_BYTES: Final = 128 * 1024
"""The most bytes of finished games kept for a room, apart from the newest game."""

PlainRow: TypeAlias = tuple[int, bytes | bytearray, bytes | bytearray | None, str, int]
"""Version, data, answered, room, expected: the parameters of a plain change."""

_UPDATE: Final = "UPDATE rooms SET version=?, data=?, answered=coalesce(?, answered) WHERE id=? AND version=?"
# SQLite writes to an index when a statement names the indexed column, even if the value stays. So the first two statements
# do not set `listing`.
_UPDATE_WAKE: Final = (
    "UPDATE rooms SET version=?, data=?, answered=coalesce(?, answered), wake_at_ms=?"
    " WHERE id=? AND version=? AND listing IS ? AND variant=? AND players=?"
)
_UPDATE_INDEX: Final = (
    "UPDATE rooms SET version=?, data=?, answered=coalesce(?, answered), wake_at_ms=?, listing=?, variant=?, players=?"
    " WHERE id=? AND version=?"
)
_INSERT: Final = "INSERT OR IGNORE INTO rooms VALUES(?,?,?,?,?,?,?,?)"


def plain_row(change: Change) -> PlainRow | None:
    """Return the parameters of a change that only replaces the room's bytes; None for any other change.

    The module ``sqlite3`` binds a bytearray as it is, but looks for an adapter of each bytes object. A copy costs far less.
    """
    data, answered = change.data, change.answered
    if (
        data is None
        or change.index_entry is not None
        or change.game is not None
        or change.line is not None
        or change.closes
        or change.expected == 0
    ):
        return None
    answered_row = None if answered is None else bytearray(answered)
    return (change.version, bytearray(data), answered_row, change.room, change.expected)


def store_plain(db: sqlite3.Connection, rows: Sequence[PlainRow]) -> bool:
    """Carry out plain changes in their order. Return False if at least one was not stored."""
    return db.executemany(_UPDATE, rows).rowcount == len(rows)


def store_change(db: sqlite3.Connection, change: Change) -> CommitAnswer:
    """Carry out one change. Raise ValueError or a ``sqlite3.Error`` for a change that cannot be stored."""
    room, expected, version, data, answered = change.room, change.expected, change.version, change.data, change.answered
    if change.checks:
        return _known_or_conflict(db, change)
    if change.closes:
        if not _delete(db, room, expected):
            return _known_or_conflict(db, change)
        return Stored(version)
    if expected == 0:
        stored = _insert(db, change)
    elif data is None:
        stored = _add_answered(db, change)
    elif change.index_entry is None:
        stored = db.execute(_UPDATE, (version, data, answered, room, expected)).rowcount == 1
    else:
        stored = _update_indexed(db, change, data, change.index_entry)
    if not stored:
        return _known_or_conflict(db, change)
    if change.game is not None:
        _add_game(db, room, *change.game)
    return Stored(version, 0 if change.line is None else _add_line(db, room, change.line))


def load_room(db: sqlite3.Connection, room: str) -> StoredRoom | None:
    row = db.execute("SELECT version, data, answered FROM rooms WHERE id=?", (room,)).fetchone()
    if row is None:
        return None
    sql = "SELECT n, at_ms, player, mark, text, ply FROM lines WHERE room=? ORDER BY n DESC LIMIT ?"
    lines = db.execute(sql, (room, LINES_LOADED)).fetchall()
    version, data, answered = row
    return StoredRoom(version, data, answered, tuple(Line(*line) for line in reversed(lines)))


def players_text(players: Sequence[str]) -> str:
    """Return the players of an index entry as the column ``rooms.players`` holds them."""
    return " ".join(sorted(set(players)))


def _insert(db: sqlite3.Connection, change: Change) -> bool:
    index = change.index_entry
    if index is None or change.data is None:
        raise ValueError("a new room needs its data and its index entry")
    columns = (index.wake_at_ms, index.listing, index.variant, players_text(index.players))
    if db.execute(_INSERT, (change.room, change.version, change.data, change.answered or b"", *columns)).rowcount == 0:
        return False
    _seat(db, change.room, index)
    return True


def _update_indexed(db: sqlite3.Connection, change: Change, data: bytes, index: IndexEntry) -> bool:
    wake_at_ms, listing, variant, _ = index
    players = players_text(index.players)
    key = (change.room, change.expected)
    columns = (change.version, data, change.answered, wake_at_ms)
    if db.execute(_UPDATE_WAKE, (*columns, *key, listing, variant, players)).rowcount == 1:
        return True
    if db.execute(_UPDATE_INDEX, (*columns, listing, variant, players, *key)).rowcount == 0:
        return False
    db.execute("DELETE FROM seated WHERE room=?", (change.room,))
    _seat(db, change.room, index)
    return True


def _seat(db: sqlite3.Connection, room: str, index: IndexEntry) -> None:
    db.executemany("INSERT INTO seated VALUES(?,?)", [(player, room) for player in set(index.players)])


def _add_answered(db: sqlite3.Connection, change: Change) -> bool:
    """Store the answered id of a change that leaves the room as it is. Return False if the change must not be stored.

    The version stays the same, so comparing versions does not show a command that was answered before: the ids do.
    """
    key = (change.room, change.expected)
    row = db.execute("SELECT answered FROM rooms WHERE id=? AND version=?", key).fetchone()
    if row is None or _known_version(row[0], change.command) is not None:
        return False
    if change.answered is not None:
        db.execute("UPDATE rooms SET answered=? WHERE id=? AND version=?", (change.answered, *key))
    return True


def _add_line(db: sqlite3.Connection, room: str, line: Line) -> int:
    """Store a chat line under the next number. Return the number."""
    newest = db.execute("SELECT max(n) FROM lines WHERE room=?", (room,)).fetchone()[0]
    number = 1 if newest is None else int(newest) + 1
    db.execute("INSERT INTO lines VALUES(?,?,?,?,?,?,?)", (room, number, *line[1:]))
    db.execute("DELETE FROM lines WHERE room=? AND n<=?", (room, number - LINES_LOADED))
    return number


def _add_game(db: sqlite3.Connection, room: str, number: int, data: bytes) -> None:
    """Store a finished game, and delete the oldest ones beyond the limits."""
    db.execute("INSERT OR REPLACE INTO games VALUES(?,?,?)", (room, number, data))
    if number > GAMES_KEPT:
        db.execute("DELETE FROM games WHERE room=? AND number<=?", (room, number - GAMES_KEPT))
    # Each row that reaches Python costs a hand-over of the interpreter, so SQLite adds up the sizes.
    if db.execute("SELECT sum(length(data)) FROM games WHERE room=?", (room,)).fetchone()[0] > GAMES_BYTES:
        _delete_games_beyond_bytes(db, room, number)


def _delete_games_beyond_bytes(db: sqlite3.Connection, room: str, newest: int) -> None:
    """Delete the oldest games of a room until the rest fits. The newest game stays, however long it is."""
    sql = "SELECT number, length(data) FROM games WHERE room=? ORDER BY number DESC"
    size = 0
    for number, length in db.execute(sql, (room,)).fetchall():
        size += length
        if size > GAMES_BYTES and number < newest:
            db.execute("DELETE FROM games WHERE room=? AND number<=?", (room, number))
            return


def _delete(db: sqlite3.Connection, room: str, expected: int) -> bool:
    if db.execute("DELETE FROM rooms WHERE id=? AND version=?", (room, expected)).rowcount == 0:
        return False
    for table in ("seated", "games", "lines"):
        db.execute(f"DELETE FROM {table} WHERE room=?", (room,))
    return True


def _known_or_conflict(db: sqlite3.Connection, change: Change) -> Stored | Known | Conflict:
    """Return the answer to a change that was not stored: its command is known, or another change came first.

    Return ``Stored`` for a change that only checks, if neither is the case: it could have been stored.
    """
    room = load_room(db, change.room)
    version = None if room is None else _known_version(room.answered, change.command)
    if version is not None:
        return Known(version)
    if change.checks and room is not None and room.version == change.expected:
        return Stored(room.version)
    return Conflict(room)


def _known_version(answered: bytes, command: tuple[str, str] | None) -> int | None:
    return None if command is None else IdempotencyKeys.decoded(answered).version(command)
