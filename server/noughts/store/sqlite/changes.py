"""Writes a change to the tables of its kind. Every function runs inside a transaction that the writer begins and ends."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final, TypeAlias

from noughts.room.idempotency import IdempotencyKeys
from noughts.store.kinds import ROOM, RecordLimits
from noughts.store.machine_store import (
    Change,
    CommitAnswer,
    Conflict,
    IndexEntry,
    Known,
    Line,
    Stored,
    StoredRow,
    WholeRow,
)
from noughts.store.sqlite.schema import Tables, tables_of

LINES_LOADED: Final = 100
"""The most chat lines kept for a value, and loaded with it. They are the newest."""

PlainRow: TypeAlias = tuple[int, bytes | bytearray, bytes | bytearray | None, str, int]
"""Version, data, command ids, id, expected: the parameters of a plain change."""


def plain_row(change: Change) -> PlainRow | None:
    """Return the parameters of a change that only replaces the value's bytes; None for any other change.

    The module ``sqlite3`` binds a bytearray directly, but looks for an adapter of each bytes object. A copy costs far less.
    """
    data, command_ids = change.data, change.command_ids
    if (
        data is None
        or change.index_entry is not None
        or change.records
        or change.line is not None
        or change.closes
        or change.expected == 0
    ):
        return None
    ids_row = None if command_ids is None else bytearray(command_ids)
    return (change.version, bytearray(data), ids_row, change.id, change.expected)


def store_plain(db: sqlite3.Connection, rows: Sequence[PlainRow], kind: str = ROOM) -> bool:
    """Carry out plain changes of one kind in their order. Return False if at least one was not stored."""
    return db.executemany(tables_of(kind).update, rows).rowcount == len(rows)


def store_change(db: sqlite3.Connection, change: Change) -> CommitAnswer:
    """Carry out one change. Raise ValueError or a ``sqlite3.Error`` for a change that cannot be stored."""
    tables, id, version, data = tables_of(change.kind), change.id, change.version, change.data
    if change.checks:
        return _known_or_conflict(db, tables, change)
    if change.closes:
        if not _delete(db, tables, id, change.expected):
            return _known_or_conflict(db, tables, change)
        return Stored(version)
    if change.expected == 0:
        stored = _insert(db, tables, change)
    elif data is None:
        stored = _add_command_ids(db, tables, change)
    elif change.index_entry is None:
        row = (version, data, change.command_ids, id, change.expected)
        stored = db.execute(tables.update, row).rowcount == 1
    else:
        stored = _update_indexed(db, tables, change, data, change.index_entry)
    if not stored:
        return _known_or_conflict(db, tables, change)
    for number, record in change.records:
        db.execute(f"INSERT OR REPLACE INTO {tables.records} VALUES(?,?,?)", (id, number, record))
        if tables.limits is not None:
            _delete_old_records(db, tables, id, number, tables.limits)
    return Stored(version, 0 if change.line is None else _add_line(db, tables, change, change.line))


def load_row(db: sqlite3.Connection, tables: Tables, id: str) -> StoredRow | None:
    row = db.execute(f"SELECT version, data, answered FROM {tables.values} WHERE id=?", (id,)).fetchone()
    if row is None:
        return None
    sql = f"SELECT n, at_ms, player, mark, text, ply FROM {tables.lines} WHERE {tables.key}=? ORDER BY n DESC LIMIT ?"
    lines = db.execute(sql, (id, LINES_LOADED)).fetchall()
    version, data, command_ids = row
    return StoredRow(version, data, command_ids, tuple(Line(*line) for line in reversed(lines)))


def whole_row(db: sqlite3.Connection, tables: Tables, id: str) -> WholeRow | None:
    stored = load_row(db, tables, id)
    if stored is None:
        return None
    sql = f"SELECT wake_at_ms, listing, variant, players, time_runs FROM {tables.values} WHERE id=?"
    wake_at_ms, listing, variant, players, time_runs = db.execute(sql, (id,)).fetchone()
    entry = IndexEntry(wake_at_ms, listing, variant, tuple(players.split()), bool(time_runs))
    sql = f"SELECT number, data FROM {tables.records} WHERE {tables.key}=? ORDER BY number"
    return WholeRow(id, stored, entry, tuple(db.execute(sql, (id,)).fetchall()))


def players_text(players: Sequence[str]) -> str:
    """Return the players of an index entry as the column ``players`` holds them."""
    return " ".join(sorted(set(players)))


def _insert(db: sqlite3.Connection, tables: Tables, change: Change) -> bool:
    index = change.index_entry
    if index is None or change.data is None:
        raise ValueError("a new value needs its data and its index entry")
    columns = (index.wake_at_ms, index.listing, index.variant, players_text(index.players), index.time_runs)
    row = (change.id, change.version, change.data, change.command_ids or b"", *columns)
    if db.execute(tables.insert, row).rowcount == 0:
        return False
    _add_owners(db, tables, change.id, index)
    return True


def _update_indexed(db: sqlite3.Connection, tables: Tables, change: Change, data: bytes, index: IndexEntry) -> bool:
    found_by = (index.listing, index.variant, players_text(index.players), index.time_runs)
    key = (change.id, change.expected)
    columns = (change.version, data, change.command_ids, index.wake_at_ms)
    if db.execute(tables.update_wake, (*columns, *key, *found_by)).rowcount == 1:
        return True
    if db.execute(tables.update_index, (*columns, *found_by, *key)).rowcount == 0:
        return False
    db.execute(f"DELETE FROM {tables.owners} WHERE {tables.key}=?", (change.id,))
    _add_owners(db, tables, change.id, index)
    return True


def _add_owners(db: sqlite3.Connection, tables: Tables, id: str, index: IndexEntry) -> None:
    db.executemany(f"INSERT INTO {tables.owners} VALUES(?,?)", [(player, id) for player in set(index.players)])


def _add_command_ids(db: sqlite3.Connection, tables: Tables, change: Change) -> bool:
    """Store the id of a command that does not change the value. Return False if the change must not be stored.

    The version stays the same, so comparing versions does not show a command that was answered before: the ids do.
    """
    key = (change.id, change.expected)
    row = db.execute(f"SELECT answered FROM {tables.values} WHERE id=? AND version=?", key).fetchone()
    if row is None or _known_version(row[0], change.command) is not None:
        return False
    if change.command_ids is not None:
        db.execute(f"UPDATE {tables.values} SET answered=? WHERE id=? AND version=?", (change.command_ids, *key))
    return True


def _add_line(db: sqlite3.Connection, tables: Tables, change: Change, line: Line) -> int:
    """Store a chat line under its number, or the next one if it has none. Return the number."""
    id, number = change.id, change.line_number
    newest = db.execute(f"SELECT max(n) FROM {tables.lines} WHERE {tables.key}=?", (id,)).fetchone()[0]
    number = number or (1 if newest is None else int(newest) + 1)
    db.execute(f"INSERT INTO {tables.lines} VALUES(?,?,?,?,?,?,?)", (id, number, *line[1:]))
    db.execute(f"DELETE FROM {tables.lines} WHERE {tables.key}=? AND n<=?", (id, number - LINES_LOADED))
    return number


def _delete_old_records(db: sqlite3.Connection, tables: Tables, id: str, newest: int, limits: RecordLimits) -> None:
    """Delete the oldest records beyond the limits. The newest record stays, however long it is."""
    where = f"FROM {tables.records} WHERE {tables.key}=?"
    if newest > limits.most:
        db.execute(f"DELETE {where} AND number<=?", (id, newest - limits.most))
    # Each row that reaches Python costs a hand-over of the interpreter, so SQLite adds up the sizes.
    if db.execute(f"SELECT sum(length(data)) {where}", (id,)).fetchone()[0] <= limits.most_bytes:
        return
    size = 0
    for number, length in db.execute(f"SELECT number, length(data) {where} ORDER BY number DESC", (id,)).fetchall():
        size += length
        if size > limits.most_bytes and number < newest:
            db.execute(f"DELETE {where} AND number<=?", (id, number))
            return


def _delete(db: sqlite3.Connection, tables: Tables, id: str, expected: int) -> bool:
    if db.execute(f"DELETE FROM {tables.values} WHERE id=? AND version=?", (id, expected)).rowcount == 0:
        return False
    for table in (tables.owners, tables.records, tables.lines):
        db.execute(f"DELETE FROM {table} WHERE {tables.key}=?", (id,))
    return True


def _known_or_conflict(db: sqlite3.Connection, tables: Tables, change: Change) -> Stored | Known | Conflict:
    """Return the answer to a change that was not stored: its command is known, or another change came first.

    Return ``Stored`` for a change that only checks, if neither is the case: it could have been stored.
    """
    row = load_row(db, tables, change.id)
    version = None if row is None else _known_version(row.command_ids, change.command)
    if version is not None:
        return Known(version)
    if change.checks and row is not None and row.version == change.expected:
        return Stored(row.version)
    return Conflict(row)


def _known_version(command_ids: bytes, command: tuple[str, str] | None) -> int | None:
    return None if command is None else IdempotencyKeys.decoded(command_ids).version(command)
