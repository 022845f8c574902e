"""Migrates the tables of older schemas to the present one, after copying the file.

Schema 1 kept the answered ids in a table of their own, and stored rooms and games as maps with field names. Schema 2 did not
know which players are bots. A migration is one transaction: if it fails, the file stays as it was.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from noughts.room.idempotency import IdempotencyKeys
from noughts.store.contract import SchemaError
from noughts.store.sqlite.changes import players_text
from noughts.store.sqlite.copying import copy_database
from noughts.store.sqlite.schema import CREATE, SCHEMA_VERSION

ROOMS_PER_REPORT: Final = 1_000


def _no_report(line: str) -> None:
    pass


class Migration(NamedTuple):
    """Migrates a database with functions that convert the bytes of rooms and games.

    ``upgrade_room`` and ``upgrade_game`` raise an exception for bytes that they cannot read. ``report`` is called with lines
    of progress, on another thread than that of the event loop.
    """

    upgrade_room: Callable[[bytes], bytes]
    upgrade_game: Callable[[bytes], bytes]
    report: Callable[[str], None] = _no_report

    def run(self, db: sqlite3.Connection, path: Path) -> None:
        """Copy the file to one whose name ends in ``.schema`` and the number of its schema, then convert it.

        Raise :class:`SchemaError` for data that cannot be converted, ``sqlite3.Error`` or OSError if the disk fails.
        """
        version = db.execute("PRAGMA user_version").fetchone()[0]
        backup = path.with_name(f"{path.name}.schema{version}")
        self.report(f"{path} was written by an older version of Noughts. It is copied to {backup}, then upgraded.")
        copy_database(db, path, backup)
        db.execute("BEGIN IMMEDIATE")
        try:
            if version == 1:
                self._convert_rooms(db, path)
                self._convert_games(db, path)
                db.execute("DROP TABLE answered")
            _convert_players(db)
            count = db.execute("SELECT count(*) FROM rooms").fetchone()[0]
            db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
            db.execute("COMMIT")
        except SchemaError:
            db.execute("ROLLBACK")
            raise
        self.report(f"{path} is upgraded: {count} rooms.")

    def _convert_rooms(self, db: sqlite3.Connection, path: Path) -> None:
        db.execute("DROP INDEX rooms_listed")
        db.execute("ALTER TABLE rooms RENAME TO rooms_of_schema_1")
        for statement in CREATE:
            db.execute(statement)
        rows = db.execute(
            "SELECT id, version, data, wake_at_ms, listing, variant FROM rooms_of_schema_1 ORDER BY rowid"
        )
        for count, (room, version, data, wake_at_ms, listing, variant) in enumerate(rows, 1):
            new_data = _upgraded(self.upgrade_room, data, f"room {room}", path)
            # A room without a deadline is woken at once, which sets its deadline.
            columns = (wake_at_ms or 0, listing, variant, _players(db, room))
            db.execute(
                "INSERT INTO rooms VALUES(?,?,?,?,?,?,?,?)", (room, version, new_data, _answered(db, room), *columns)
            )
            if count % ROOMS_PER_REPORT == 0:
                self.report(f"{count} rooms are upgraded.")
        db.execute("DROP TABLE rooms_of_schema_1")

    def _convert_games(self, db: sqlite3.Connection, path: Path) -> None:
        for room, number in db.execute("SELECT room, number FROM games").fetchall():
            key = (room, number)
            data = db.execute("SELECT data FROM games WHERE room=? AND number=?", key).fetchone()[0]
            new_data = _upgraded(self.upgrade_game, data, f"game {number} of room {room}", path)
            db.execute("UPDATE games SET data=? WHERE room=? AND number=?", (new_data, *key))


def _convert_players(db: sqlite3.Connection) -> None:
    """Write every player again, into a table that says which of them are bots. Before, no player was."""
    db.execute("DROP INDEX players_seen")
    db.execute("ALTER TABLE players RENAME TO players_before")
    for statement in CREATE:
        db.execute(statement)
    db.execute("INSERT INTO players(id, name, seen_ms) SELECT id, name, seen_ms FROM players_before ORDER BY rowid")
    db.execute("DROP TABLE players_before")


def _upgraded(upgrade: Callable[[bytes], bytes], data: bytes, subject: str, path: Path) -> bytes:
    try:
        return upgrade(data)
    except Exception as error:  # without its text, which may quote what is stored
        reason = f"its bytes cannot be read ({type(error).__name__})"
        raise SchemaError(f"{subject} in {path} cannot be upgraded: {reason}. The file is unchanged.") from None


def _players(db: sqlite3.Connection, room: str) -> str:
    rows = db.execute("SELECT player FROM seated WHERE room=?", (room,)).fetchall()
    return players_text([row[0] for row in rows])


def _answered(db: sqlite3.Connection, room: str) -> bytes:
    ids = IdempotencyKeys()
    for player, id, version in db.execute(
        "SELECT player, id, version FROM answered WHERE room=? ORDER BY rowid", (room,)
    ):
        ids.add((player, id), version)
    return ids.encoded()
