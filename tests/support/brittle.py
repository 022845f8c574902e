"""A connection to a database whose commits fail when a test says so."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any, Literal

from noughts.store.sqlite.database_file import DatabaseFile


class BrittleDisk:
    """Connects to a file. ``failing`` says when the next commits fail: before they take effect, after it, or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failing: Literal["before", "after"] | None = None
        self.connects = 0
        DatabaseFile(path).connect().close()

    def connect(self) -> sqlite3.Connection:
        """Open the file as the store does, with a commit of its own."""
        self.connects += 1
        db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, factory=_BrittleConnection)
        db.disk = self
        try:
            db.execute("BEGIN IMMEDIATE")
            db.execute("COMMIT")
        except BaseException:
            db.close()
            raise
        return db


class _BrittleConnection(sqlite3.Connection):
    disk: BrittleDisk

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        failing = self.disk.failing if sql == "COMMIT" else None
        if failing == "before":
            raise sqlite3.OperationalError("disk I/O error")
        cursor = super().execute(sql, parameters)
        if failing == "after":
            raise sqlite3.OperationalError("disk I/O error")
        return cursor
