"""The tables of the SQLite store.

``rooms.data`` is the room itself; ``answered`` is the encoded list of its answered ids; the columns after them are its
index entry. The order of ``rowid`` is the order in which the rooms were created.
"""

from __future__ import annotations

from typing import Final, NamedTuple

SCHEMA_VERSION: Final = 3
"""The version of the tables and the bytes in them. It rises with each change that an older program could not read, and no
number is used twice."""

CREATE: Final = (
    # ``players`` repeats the table ``seated``. So one UPDATE can check that a room's players stay the same.
    """CREATE TABLE IF NOT EXISTS rooms(
        id TEXT PRIMARY KEY,
        version INTEGER NOT NULL,
        data BLOB NOT NULL,
        answered BLOB NOT NULL,
        wake_at_ms INTEGER NOT NULL,
        listing TEXT,
        variant TEXT NOT NULL,
        players TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS rooms_listed ON rooms(listing) WHERE listing IS NOT NULL",
    # Seat holders and owners, to find all rooms of a player.
    """CREATE TABLE IF NOT EXISTS seated(
        player TEXT NOT NULL,
        room TEXT NOT NULL,
        PRIMARY KEY(player, room)) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS seated_room ON seated(room)",
    """CREATE TABLE IF NOT EXISTS games(
        room TEXT NOT NULL,
        number INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY(room, number)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS lines(
        room TEXT NOT NULL,
        n INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        player TEXT NOT NULL,
        mark TEXT,
        text TEXT NOT NULL,
        ply INTEGER NOT NULL,
        PRIMARY KEY(room, n)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS players(
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        seen_ms INTEGER NOT NULL,
        bot INTEGER NOT NULL DEFAULT 0)""",
    "CREATE INDEX IF NOT EXISTS players_seen ON players(seen_ms)",
    "CREATE TABLE IF NOT EXISTS tokens(hash BLOB PRIMARY KEY, player TEXT NOT NULL) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS tokens_player ON tokens(player)",
    """CREATE TABLE IF NOT EXISTS resume_codes(
        hash BLOB PRIMARY KEY,
        player TEXT NOT NULL,
        expires_ms INTEGER NOT NULL) WITHOUT ROWID""",
    # The newest beat of the server, and the downtime that is over.
    "CREATE TABLE IF NOT EXISTS alive(one INTEGER PRIMARY KEY CHECK(one=1), at_ms INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS downtimes(from_ms INTEGER NOT NULL, until_ms INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS bans(address TEXT PRIMARY KEY) WITHOUT ROWID",
)


class Schema(NamedTuple):
    """One form of the file: its number, and the statements that create its tables and indexes."""

    version: int = SCHEMA_VERSION
    create: tuple[str, ...] = CREATE


SCHEMA: Final = Schema()
"""The schema of this program."""
