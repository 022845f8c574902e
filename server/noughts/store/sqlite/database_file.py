"""Opens the database file, and creates or migrates its tables."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.sqlite.migration import Migration
from noughts.store.sqlite.schema import CREATE, SCHEMA_VERSION


class DatabaseFile:
    """The path of the database, and the migration for an older one."""

    def __init__(self, path: Path, migration: Migration | None = None) -> None:
        self._path = path
        self._migration = migration

    def connect(self) -> sqlite3.Connection:
        """Open the file for one thread at a time, and create or migrate its tables.

        Raise :class:`SchemaError` for data that this program cannot use, :class:`StoreUnavailableError` for a file that
        cannot be read or written.
        """
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, timeout=5.0)
            try:
                self._prepare(db)
            except BaseException:
                db.close()
                raise
        except (sqlite3.Error, OSError) as error:
            raise StoreUnavailableError(f"{self._path} cannot be used: {error}") from error
        return db

    def _prepare(self, db: sqlite3.Connection) -> None:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise SchemaError(f"{self._path} was written by a newer version of Noughts. Upgrade Noughts to open it.")
        older = 0 < version < SCHEMA_VERSION
        if older and self._migration is None:
            raise SchemaError(f"{self._path} was written by an older version of Noughts and cannot be upgraded here.")
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        if older and self._migration is not None:
            self._migration.run(db, self._path)
        # This runs at each start. A commit that failed earlier may have left changes in the log that can be read but are not
        # on the disk. This commit flushes them, before the first read.
        db.execute("BEGIN IMMEDIATE")
        for statement in CREATE:
            db.execute(statement)
        db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        db.execute("COMMIT")
