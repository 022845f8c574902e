"""Opens the database file and creates its tables, for one server at a time.

A file that cannot be used is rejected before anything is written to it. A new file gets its name only when it has all its
tables, so a file without them is never one of ours.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.kinds import KINDS, Kind
from noughts.store.sqlite.copies import new_file
from noughts.store.sqlite.inspection import check_kind, check_pages, log_of
from noughts.store.sqlite.schema import SCHEMA_VERSION, create_statements

LOG_BYTES: Final = 16 * 1024 * 1024
"""The most bytes of the log that stay when nobody reads the file any more."""


def no_warning(line: str) -> None:
    """Ignore a warning."""


class DatabaseFile:
    """The path of the database, and the lock of this process."""

    def __init__(self, path: Path, warn: Callable[[str], None] = no_warning, kinds: Sequence[Kind] = KINDS) -> None:
        """``warn`` is called with sentences for the operator, on a thread other than the event loop's."""
        self._path = path
        self.kinds = kinds
        self._log = log_of(path)
        self._warn = warn
        self._lock: int | None = None
        self._file: tuple[int, int] | None = None
        self._log_file: tuple[int, int] | None = None
        self._name = secrets.token_bytes(16)
        """What this server writes into the file, so that it notices another one."""
        self._taken_over = False

    # --- the lock -----------------------------------------------------------------------------------------------

    def lock(self) -> None:
        """Create the file if there is none, and keep other servers from it, also under another path.

        Raise :class:`StoreUnavailableError` if another process has the lock, or the file cannot be used; PermissionError if
        this account may not use it.
        """
        try:
            self._make_if_missing()
            # SQLite's own locks end when any descriptor of the file is closed. So this one stays open until `release`.
            lock = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
        except PermissionError:
            raise  # the command says which account it needs
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise StoreUnavailableError(
                f"another server uses {self._path}. Stop it, or choose another file with --store."
            ) from None
        except OSError as error:
            os.close(lock)
            raise StoreUnavailableError(
                f"the file system of {self._path} cannot lock files: {error.strerror}. Choose a file on a disk of this"
                " machine with --store."
            ) from None
        self._lock = lock

    def release(self) -> None:
        """Let other servers use the file. Every connection must be closed by now."""
        lock, self._lock = self._lock, None
        self._file = self._log_file = None
        self._taken_over = False
        if lock is not None:
            os.close(lock)

    def check(self) -> None:
        """Raise :class:`StoreUnavailableError` if the path no longer leads to the file that was opened first, or to its log.

        SQLite continues to write to a file that was deleted or replaced.
        """
        reason = self.loss_reason()
        if reason is None and self._log_file is not None and _identity(self._log) != self._log_file:
            reason = f"{self._log} was deleted or replaced. It is written again."
            self._log_file = None
        if reason is not None:
            raise StoreUnavailableError(reason)

    def check_writer(self, db: sqlite3.Connection) -> None:
        """Raise :class:`StoreUnavailableError` in a transaction if another server has taken the file over, from then on."""
        row = db.execute("SELECT name FROM writer").fetchone()
        if row is None or row[0] != self._name:
            self._taken_over = True
            raise StoreUnavailableError(self._reason_of_taker())

    def _reason_of_taker(self) -> str:
        return (
            f"another server writes to {self._path}, because the locks of its file system do not keep it out. This server"
            " stores nothing any more: stop one of the two, and start the other again."
        )

    def loss_reason(self) -> str | None:
        """Return what happened to the file since it was opened first, None if it is in its place and ours."""
        if self._taken_over:
            return self._reason_of_taker()
        if self._file is None or _identity(self._path) == self._file:
            return None
        return (
            f"{self._path} was deleted or replaced while the server ran. Put the same file back;"
            " or stop the server, put a backup in its place, and start the server again."
        )

    # --- connections --------------------------------------------------------------------------------------------

    def connect(self) -> sqlite3.Connection:
        """Open the file for one thread at a time, and create its tables.

        The first time, every page is checked. Raise :class:`SchemaError` for data that this program cannot use,
        :class:`StoreUnavailableError` for a file that cannot be read or written.
        """
        try:
            if self._file is None:
                self._make_if_missing()
                self._inspect()
            self._log_file = None
            self.check()
            uri = f"{self._path.absolute().as_uri()}?mode=rw"
            db = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=5.0)
            try:
                self._prepare(db)
                if self._file is None:
                    db.execute("INSERT OR REPLACE INTO writer VALUES(1,?)", (self._name,))
                self._file, self._log_file = _identity(self._path), _identity(self._log)
            except BaseException:
                db.close()
                raise
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error
        return db

    def _make_if_missing(self) -> None:
        if self._path.exists():
            return
        if _identity(self._log) is not None and self._log.stat().st_size:
            raise SchemaError(
                f"{self._path} is missing, but its log {self._log.name} is there and may hold newer data than a backup."
                " Put the file back, or delete the log to go on without it."
            )
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with new_file(self._path) as partial, closing(sqlite3.connect(partial, isolation_level=None)) as db:
            _create_tables(db, self.kinds)

    def _inspect(self) -> None:
        """Reject a file that cannot be used, and write nothing."""
        check_kind(self._path)
        if not check_pages(self._path):
            self._warn(f"{self._path} is large: only a part of it was checked. `noughts check` checks all of it.")

    def _prepare(self, db: sqlite3.Connection) -> None:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        # The log grows while somebody reads the file, as a backup does. Without a limit it would keep its largest size.
        db.execute(f"PRAGMA journal_size_limit={LOG_BYTES}")
        # This runs at each start. A commit that failed earlier may have left changes in the log that can be read but are not
        # on the disk. This commit flushes them, before the first read.
        _create_tables(db, self.kinds)

    def _unusable(self, error: Exception) -> StoreUnavailableError:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        return StoreUnavailableError(f"{self._path} cannot be used: {reason}")


def _create_tables(db: sqlite3.Connection, kinds: Sequence[Kind]) -> None:
    db.execute("BEGIN IMMEDIATE")
    for statement in create_statements(kinds):
        db.execute(statement)
    db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
    db.execute("COMMIT")


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the device and the inode of a file, None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep servers from a file, if there is one. Raise as :meth:`DatabaseFile.lock` does."""
    if not path.exists():
        yield
        return
    file = DatabaseFile(path)
    file.lock()
    try:
        yield
    finally:
        file.release()
