"""The tables of the SQLite store.

Each kind of machine has its own. The order of ``rowid`` is the order in which the values were created. Tables and indexes
that are only added need no new schema: they are made when the file is opened.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from functools import cache
from typing import Final

from noughts.store.kinds import KINDS, RECORD_LIMITS, ROOM, Kind

SCHEMA_VERSION: Final = 4
"""The version of the tables and the bytes in them. It rises with each change that an older program could not read, and no
number is used twice. No release had 1, 2 or 3."""


class Tables:
    """The tables of one kind of machine, and the statements for them.

    ``values`` has a row for each value: the value itself, the encoded list of its answered command ids, and its index entry.
    ``owners`` finds all values of a player. ``records`` and ``lines`` belong to a value; its id is in the column ``key``.
    """

    def __init__(self, kind: str) -> None:
        if not kind.isidentifier():
            raise ValueError(f"{kind} is no name of a kind")
        self.key, self.values = kind, f"{kind}s"
        self.owners, self.records, self.lines = f"{kind}_owners", f"{kind}_records", f"{kind}_lines"
        if kind == ROOM:
            self.owners, self.records, self.lines = "seated", "games", "lines"
        self.limits = RECORD_LIMITS.get(kind)
        update = f"UPDATE {self.values} SET version=?, data=?, answered=coalesce(?, answered)"
        self.update = f"{update} WHERE id=? AND version=?"
        # SQLite writes to an index when a statement names the indexed column, even if the value stays. So the first two
        # statements do not set ``listing`` and ``time_runs``.
        found_by = "AND listing IS ? AND variant=? AND players=? AND time_runs=?"
        self.update_wake = f"{update}, wake_at_ms=? WHERE id=? AND version=? {found_by}"
        entry = "wake_at_ms=?, listing=?, variant=?, players=?, time_runs=?"
        self.update_index = f"{update}, {entry} WHERE id=? AND version=?"
        self.insert = f"INSERT OR IGNORE INTO {self.values} VALUES(?,?,?,?,?,?,?,?,?)"

    def create(self) -> tuple[str, ...]:
        """Return the statements that make what is missing."""
        key, values, owners = self.key, self.values, self.owners
        return (
            # ``players`` repeats the table of owners. So one UPDATE can check that the players stay the same.
            f"""CREATE TABLE IF NOT EXISTS {values}(
                id TEXT PRIMARY KEY,
                version INTEGER NOT NULL,
                data BLOB NOT NULL,
                answered BLOB NOT NULL,
                wake_at_ms INTEGER NOT NULL,
                listing TEXT,
                variant TEXT NOT NULL,
                players TEXT NOT NULL,
                time_runs INTEGER NOT NULL)""",
            f"CREATE INDEX IF NOT EXISTS {values}_listed ON {values}(listing) WHERE listing IS NOT NULL",
            f"CREATE INDEX IF NOT EXISTS {values}_due ON {values}(wake_at_ms)",
            f"CREATE INDEX IF NOT EXISTS {values}_running ON {values}(time_runs) WHERE time_runs=1",
            f"""CREATE TABLE IF NOT EXISTS {owners}(
                player TEXT NOT NULL,
                {key} TEXT NOT NULL,
                PRIMARY KEY(player, {key})) WITHOUT ROWID""",
            f"CREATE INDEX IF NOT EXISTS {owners}_{key} ON {owners}({key})",
            f"""CREATE TABLE IF NOT EXISTS {self.records}(
                {key} TEXT NOT NULL,
                number INTEGER NOT NULL,
                data BLOB NOT NULL,
                PRIMARY KEY({key}, number)) WITHOUT ROWID""",
            f"""CREATE TABLE IF NOT EXISTS {self.lines}(
                {key} TEXT NOT NULL,
                n INTEGER NOT NULL,
                at_ms INTEGER NOT NULL,
                player TEXT NOT NULL,
                mark TEXT,
                text TEXT NOT NULL,
                ply INTEGER NOT NULL,
                PRIMARY KEY({key}, n)) WITHOUT ROWID""",
            f"CREATE INDEX IF NOT EXISTS {self.lines}_player ON {self.lines}(player)",
        )


@cache
def tables_of(kind: str) -> Tables:
    """Return the tables of a kind. Raise ValueError for a kind that is no name."""
    return Tables(kind)


_OTHERS: Final = (
    """CREATE TABLE IF NOT EXISTS players(
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        seen_ms INTEGER NOT NULL,
        bot INTEGER NOT NULL DEFAULT 0)""",
    "CREATE INDEX IF NOT EXISTS players_seen ON players(seen_ms)",
    "CREATE TABLE IF NOT EXISTS tokens(hash BLOB PRIMARY KEY, player TEXT NOT NULL) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS tokens_player ON tokens(player)",
    # Apart from the tokens, so that a file of an earlier version gets the table when it is opened.
    """CREATE TABLE IF NOT EXISTS token_times(
        hash BLOB PRIMARY KEY,
        made_ms INTEGER NOT NULL,
        seen_ms INTEGER NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS resume_codes(
        hash BLOB PRIMARY KEY,
        player TEXT NOT NULL,
        expires_ms INTEGER NOT NULL) WITHOUT ROWID""",
    # The players of identities that a proxy vouches for, by the hash of the header's value.
    "CREATE TABLE IF NOT EXISTS sign_ons(hash BLOB PRIMARY KEY, player TEXT NOT NULL) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS sign_ons_player ON sign_ons(player)",
    """CREATE TABLE IF NOT EXISTS passes(
        hash BLOB PRIMARY KEY,
        kind TEXT NOT NULL,
        expires_ms INTEGER NOT NULL) WITHOUT ROWID""",
    # The newest beat of the server, and the downtime that is over.
    "CREATE TABLE IF NOT EXISTS alive(one INTEGER PRIMARY KEY CHECK(one=1), at_ms INTEGER NOT NULL)",
    # The server that writes. A second one, which no lock kept out, takes the file over, and the first stops.
    "CREATE TABLE IF NOT EXISTS writer(one INTEGER PRIMARY KEY CHECK(one=1), name BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS downtimes(from_ms INTEGER NOT NULL, until_ms INTEGER NOT NULL)",
    """CREATE TABLE IF NOT EXISTS subscriptions(
        endpoint TEXT PRIMARY KEY,
        player TEXT NOT NULL,
        p256dh TEXT NOT NULL,
        auth TEXT NOT NULL,
        zone TEXT NOT NULL,
        base TEXT NOT NULL,
        made_ms INTEGER NOT NULL,
        failing_since_ms INTEGER NOT NULL) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS subscriptions_player ON subscriptions(player)",
    "CREATE TABLE IF NOT EXISTS secrets(name TEXT PRIMARY KEY, secret BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS bans(address TEXT PRIMARY KEY) WITHOUT ROWID",
)


def create_statements(kinds: Iterable[Kind] = KINDS) -> tuple[str, ...]:
    """Return the statements that make the tables that are missing."""
    return (*(statement for kind in kinds for statement in tables_of(kind.name).create()), *_OTHERS)


def kinds_in(db: sqlite3.Connection, kinds: Iterable[Kind] = KINDS) -> list[Kind]:
    """Return the kinds that have tables in a file. A file has none of a kind that is newer than the last server on it."""
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
    return [kind for kind in kinds if tables_of(kind.name).values in tables]
