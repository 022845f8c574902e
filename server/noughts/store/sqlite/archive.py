"""A database file as an archive. While it is written, it has another name, so no server can open half of it."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from noughts.room.downtime import Downtime
from noughts.store.archive import ArchivedPlayer, ArchivedRest, ArchivedValue
from noughts.store.contract import StoredPlayer, StoredToken, StoreUnavailableError, Subscription
from noughts.store.kinds import KINDS, Kind
from noughts.store.machine_store import IndexEntry
from noughts.store.sqlite.changes import load_row, players_text
from noughts.store.sqlite.database_file import flush
from noughts.store.sqlite.inspection import check_kind
from noughts.store.sqlite.players import TOKENS
from noughts.store.sqlite.schema import SCHEMA, Schema, tables_of


class SqliteArchive:
    """An :class:`~noughts.store.archive.Archive` in one file."""

    def __init__(self, path: Path, schema: Schema = SCHEMA, kinds: Sequence[Kind] = KINDS) -> None:
        self.kinds = kinds
        self._path = path
        self._schema = schema
        self._partial = path.with_name(f"{path.name}.partial")
        self._open: sqlite3.Connection | None = None
        self._writing = False
        self._locked = False

    async def open(self) -> None:
        """Open the file to read, if there is one. Raise :class:`SchemaError` for a file that is not of this schema."""
        await self.close()
        if not self._path.exists():
            return
        try:
            # Closing the file ends the locks of SQLite in this process. So this comes before SQLite opens the file.
            self._locked = _is_locked(self._path)
            check_kind(self._path)
            self._open = sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
        except (sqlite3.Error, OSError) as error:
            raise StoreUnavailableError(f"{self._path} cannot be read: {error}") from error

    async def close(self) -> None:
        """Close the file. Delete a copy that was broken off, and the log with which SQLite would undo it."""
        self._disconnect()
        if self._writing:
            for suffix in ("", "-journal"):
                self._partial.with_name(self._partial.name + suffix).unlink(missing_ok=True)
        self._writing = False

    def _disconnect(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    async def identity(self) -> str:
        return str(self._path.resolve())

    async def is_used(self) -> bool:
        """Return whether a server uses the file, or runs in its directory: it holds a lock on both."""
        locked = self._locked if self._open is not None else _is_locked(self._path)
        return locked or _is_locked(self._path.parent / "lock")

    async def is_empty(self) -> bool:
        if self._open is None:
            return True
        tables = [*(tables_of(kind.name).values for kind in self.kinds), "players"]
        return not any(self._rows(f"SELECT 1 FROM {name} LIMIT 1") for name in tables if self._has_table(name))

    async def begin(self) -> None:
        await self.close()
        try:
            self._partial.parent.mkdir(parents=True, exist_ok=True)
            self._partial.unlink(missing_ok=True)
            self._writing = True
            os.close(os.open(self._partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            self._open = sqlite3.connect(self._partial, isolation_level=None)
            self._open.execute("BEGIN")
            for statement in self._schema.create:
                self._open.execute(statement)
            self._open.execute(f"PRAGMA user_version={self._schema.version}")
        except (sqlite3.Error, OSError) as error:
            raise StoreUnavailableError(f"{self._partial} cannot be written: {error}") from error

    async def complete(self) -> None:
        try:
            self._db.execute("COMMIT")
            self._disconnect()
            flush(self._partial)
            for suffix in ("-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            os.replace(self._partial, self._path)
            self._writing = False
            flush(self._path.parent)
        except (sqlite3.Error, OSError) as error:
            raise StoreUnavailableError(f"{self._path} cannot be written: {error}") from error

    @property
    def _db(self) -> sqlite3.Connection:
        if self._open is None:
            raise StoreUnavailableError(f"there is no {self._path}")
        return self._open

    def _rows(self, sql: str, *values: object) -> list[Any]:
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise StoreUnavailableError(f"{self._path} cannot be used: {error}") from error

    def _has_table(self, name: str) -> bool:
        """Return whether there is a table. A file has none of a kind that is newer than the last server on it."""
        return bool(self._rows("SELECT 1 FROM sqlite_master WHERE type='table' AND name=?", name))

    # --- values ---------------------------------------------------------------------------------------------------------

    async def ids(self, kind: str) -> Sequence[str]:
        values = tables_of(kind).values
        if not self._has_table(values):
            return ()
        return [id for (id,) in self._rows(f"SELECT id FROM {values} ORDER BY rowid")]

    async def value(self, kind: str, id: str) -> ArchivedValue | None:
        tables = tables_of(kind)
        snapshot = not self._db.in_transaction
        if snapshot:
            self._rows("BEGIN")
        rows = self._rows(
            f"SELECT wake_at_ms, listing, variant, players, time_runs FROM {tables.values} WHERE id=?", id
        )
        stored = load_row(self._db, tables, id)
        records = self._rows(f"SELECT number, data FROM {tables.records} WHERE {tables.key}=? ORDER BY number", id)
        if snapshot:
            self._rows("COMMIT")
        if stored is None:
            return None
        wake_at_ms, listing, variant, players, time_runs = rows[0]
        entry = IndexEntry(wake_at_ms, listing, variant, tuple(players.split()), bool(time_runs))
        return ArchivedValue(kind, id, stored, entry, tuple(records))

    async def put_value(self, value: ArchivedValue) -> None:
        kind, id, stored, entry, records = value
        tables = tables_of(kind)
        players = players_text(entry.players)
        columns = (entry.wake_at_ms, entry.listing, entry.variant, players, entry.time_runs)
        row = (id, stored.version, stored.data, stored.command_ids, *columns)
        self._rows(f"INSERT INTO {tables.values} VALUES(?,?,?,?,?,?,?,?,?)", *row)
        for player in players.split():
            self._rows(f"INSERT INTO {tables.owners} VALUES(?,?)", player, id)
        for record in records:
            self._rows(f"INSERT INTO {tables.records} VALUES(?,?,?)", id, *record)
        for line in stored.lines:
            self._rows(f"INSERT INTO {tables.lines} VALUES(?,?,?,?,?,?,?)", id, *line)

    # --- the rest -------------------------------------------------------------------------------------------------------

    async def player_ids(self) -> Sequence[str]:
        return [id for (id,) in self._rows("SELECT id FROM players ORDER BY id")]

    async def player(self, id: str) -> ArchivedPlayer | None:
        rows = self._rows("SELECT id, name, seen_ms, bot FROM players WHERE id=?", id)
        if not rows:
            return None
        sql = TOKENS if self._has_table("token_times") else "SELECT hash FROM tokens WHERE player=? ORDER BY hash"
        tokens = tuple(StoredToken(*row) for row in self._rows(sql, id))
        codes = self._rows("SELECT hash, expires_ms FROM resume_codes WHERE player=?", id)
        keys = self._rows("SELECT hash FROM sign_ons WHERE player=?", id) if self._has_table("sign_ons") else []
        key, name, seen_ms, bot = rows[0]
        stored = StoredPlayer(key, name, seen_ms, bool(bot))
        sql = "SELECT * FROM subscriptions WHERE player=? ORDER BY made_ms DESC, endpoint DESC"
        rows = self._rows(sql, id) if self._has_table("subscriptions") else []
        subscriptions = tuple(Subscription(*row) for row in rows)
        sign_on = keys[0][0] if keys else None
        return ArchivedPlayer(stored, tokens, codes[0] if codes else None, sign_on, subscriptions)

    async def put_player(self, player: ArchivedPlayer) -> None:
        stored, tokens, code, sign_on, subscriptions = player
        self._rows("INSERT INTO players(id, name, seen_ms, bot) VALUES(?,?,?,?)", *stored)
        for token in tokens:
            self._rows("INSERT INTO tokens(hash, player) VALUES(?,?)", token.hash, stored.id)
            self._rows("INSERT INTO token_times VALUES(?,?,?)", *token)
        if code is not None:
            hash, expires_ms = code
            self._rows("INSERT INTO resume_codes VALUES(?,?,?)", hash, stored.id, expires_ms)
        if sign_on is not None:
            self._rows("INSERT INTO sign_ons VALUES(?,?)", sign_on, stored.id)
        for subscription in subscriptions:
            self._rows("INSERT INTO subscriptions VALUES(?,?,?,?,?,?,?,?)", *subscription)

    async def rest(self) -> ArchivedRest:
        banned = tuple(address for (address,) in self._rows("SELECT address FROM bans ORDER BY address"))
        spans = self._rows("SELECT from_ms, until_ms FROM downtimes ORDER BY rowid")
        beats = self._rows("SELECT at_ms FROM alive")
        has_secrets = self._has_table("secrets")
        secrets = tuple(self._rows("SELECT name, secret FROM secrets ORDER BY name")) if has_secrets else ()
        return ArchivedRest(banned, tuple(Downtime(*span) for span in spans), beats[0][0] if beats else 0, secrets)

    async def put_rest(self, rest: ArchivedRest) -> None:
        for address in rest.banned:
            self._rows("INSERT INTO bans VALUES(?)", address)
        for span in rest.downtimes:
            self._rows("INSERT INTO downtimes VALUES(?,?)", *span)
        if rest.beat_ms:
            self._rows("INSERT INTO alive(one, at_ms) VALUES(1,?)", rest.beat_ms)
        for secret in rest.secrets:
            self._rows("INSERT INTO secrets VALUES(?,?)", *secret)


def _is_locked(path: Path) -> bool:
    with suppress(FileNotFoundError), open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False
