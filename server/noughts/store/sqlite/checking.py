"""Reads a whole database file and says what is damaged in it. Neither the file nor its log is changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple

from noughts.room.idempotency import IdempotencyKeys
from noughts.store.archive import Copied
from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.kinds import KINDS, Kind
from noughts.store.sqlite.damage import damage_text
from noughts.store.sqlite.inspection import check_kind, reading
from noughts.store.sqlite.schema import SCHEMA_VERSION, Tables, kinds_in, tables_of

PROGRESS_EVERY: Final = 5_000
"""Values between two lines of progress."""
MAX_SHOWN: Final = 20
"""The most sentences about damage that are taken from one table."""


class Named(NamedTuple):
    """A value of one kind, such as a room."""

    kind: str
    id: str


class Health(NamedTuple):
    """What a check has read, and what is damaged in it."""

    counts: Copied
    damage: tuple[str, ...]
    """What SQLite says about damaged pages."""
    unreadable: tuple[Named, ...]
    """Values that cannot be decoded, though their pages are whole."""
    lost: tuple[Named, ...]
    """Values that a table or an index names, and whose row is gone or on a damaged page."""

    @property
    def whole(self) -> bool:
        """Whether nothing is damaged."""
        return not (self.damage or self.unreadable or self.lost)


def check_file(path: Path, show: Callable[[str], None], kinds: Sequence[Kind] = KINDS) -> Health:
    """Read every page, every row and every value. ``show`` is called with lines of progress.

    Raise :class:`SchemaError` for a file that is not of this schema or whose beginning is damaged,
    :class:`StoreUnavailableError` if it cannot be read.
    """
    try:
        version = check_kind(path)
        if version != SCHEMA_VERSION:
            raise SchemaError(f"{path} has schema {version}, not {SCHEMA_VERSION}: start a server on it once.")
        with reading(path) as db:
            damage = list(_page_damage(db, show))
            db.execute("BEGIN")  # one state: a value that is removed meanwhile is not lost
            states: dict[str, list[Named]] = {"whole": [], "unreadable": [], "lost": []}
            counts = {}
            for kind in kinds_in(db, kinds):
                tables = tables_of(kind.name)
                ids = _named_ids(db, tables, damage)
                for number, id in enumerate(ids, 1):
                    states[_state_of(db, kind, id, damage)].append(Named(kind.name, id))
                    if number % PROGRESS_EVERY == 0 or number == len(ids):
                        show(f"  {number:,} of {len(ids):,} {kind.name}s")
                counts[kind.name] = _count(db, tables.values, damage)
            players = _count(db, "players", damage)
    except (sqlite3.Error, OSError) as error:
        raise StoreUnavailableError(f"{path} cannot be read: {error}") from error
    unreadable, lost = tuple(states["unreadable"]), tuple(states["lost"])
    return Health(Copied(counts, players), tuple(dict.fromkeys(damage)), unreadable, lost)


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


def _named_ids(db: sqlite3.Connection, tables: Tables, damage: list[str]) -> Sequence[str]:
    """Return all values of a kind that any table or index names, as far as each can be read.

    If a page is lost, the others still name the values that were on it.
    """
    key, values, owners = tables.key, tables.values, tables.owners
    statements = (
        (values, f"SELECT id FROM {values} NOT INDEXED"),
        (values, f"SELECT id FROM {values} INDEXED BY sqlite_autoindex_{values}_1 WHERE id>=''"),
        (owners, f"SELECT {key} FROM {owners}"),
        (owners, f"SELECT {key} FROM {owners} INDEXED BY {owners}_{key} WHERE {key}>=''"),
        (tables.records, f"SELECT DISTINCT {key} FROM {tables.records}"),
        (tables.lines, f"SELECT DISTINCT {key} FROM {tables.lines}"),
    )
    ids: set[str] = set()
    for table, sql in statements:
        try:
            for (id,) in db.execute(sql):
                ids.add(id)
        except sqlite3.DatabaseError as error:
            damage.append(f"{table}: {damage_text(error)}")
    return sorted(ids)


def _state_of(db: sqlite3.Connection, kind: Kind, id: str, damage: list[str]) -> Literal["whole", "unreadable", "lost"]:
    """Return whether a value and its records can be read and decoded."""
    tables = tables_of(kind.name)
    row = None
    with suppress(sqlite3.DatabaseError):  # the check of the pages has named this damage
        row = db.execute(f"SELECT data, answered FROM {tables.values} WHERE id=?", (id,)).fetchone()
    if row is None:
        return "lost"
    try:
        records = db.execute(f"SELECT data FROM {tables.records} WHERE {tables.key}=?", (id,)).fetchall()
    except sqlite3.DatabaseError as error:
        damage.append(f"{tables.records} of {kind.name} {id}: {damage_text(error)}")
        records = []
    return "whole" if _is_readable(kind, row, records) else "unreadable"


def _is_readable(kind: Kind, row: tuple[bytes, bytes], records: list[tuple[bytes]]) -> bool:
    data, answered = row
    try:
        kind.decode(data)
        IdempotencyKeys.decoded(answered)
        for (record,) in records:
            kind.decode_record(record)
    except Exception:  # the bytes may be anything, and a decoder may raise anything about them
        return False
    return True


def _count(db: sqlite3.Connection, table: str, damage: list[str]) -> int:
    try:
        return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    except sqlite3.DatabaseError as error:
        damage.append(f"{table}: {damage_text(error)}")
        return 0
