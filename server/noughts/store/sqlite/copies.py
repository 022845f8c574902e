"""Copies a database file to one file without a log, also while a server writes to it.

A copy gets its name only when it is complete, checked and on the disk.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, Self

from noughts.store.contract import StoreUnavailableError
from noughts.store.copy import Copied
from noughts.store.kinds import KINDS, Kind
from noughts.store.sqlite.schema import kinds_in, tables_of

FLUSHED_BYTES: Final = 128 * 1024
"""Bytes of a copy that one flush writes."""
RESTS: Final = 4
"""How many times as long as a flush a copy leaves the disk alone after it."""
OPERATIONS: Final = 200
"""Operations of SQLite between two looks at the size of a copy. A row takes three."""


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Yield another name for a new file, closed to others. The file gets ``path`` once it is complete and on the disk."""
    partial = path.with_name(f"{path.name}.partial")
    partial.unlink(missing_ok=True)
    os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        yield partial
        flush(partial)
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    flush(path.parent)


def remove_log(path: Path) -> None:
    """Delete what is left of a log, which belongs to another file: SQLite would add it to this one. Raise OSError."""
    for suffix in ("-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


class _SmallFlushes:
    """Flushes a growing file bit by bit. The log of a server on the same disk would wait for one large flush."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDONLY)
        self._flushed = 0
        self._fault: OSError | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        os.close(self._file)

    def run(self, db: sqlite3.Connection, sql: str, parameter: str) -> None:
        """Run a statement that writes the file. Raise ``sqlite3.Error``, or OSError if a flush fails."""
        db.execute("PRAGMA synchronous=OFF")  # SQLite itself flushes nothing, and keeps few pages back from the file
        db.execute(f"PRAGMA cache_size={FLUSHED_BYTES // -1024}")
        db.set_progress_handler(self._flush, OPERATIONS)
        try:
            db.execute(sql, (parameter,))
        except sqlite3.OperationalError:
            if self._fault is not None:
                raise self._fault from None
            raise

    def _flush(self) -> bool:
        """Flush what is new if it is enough, then rest. Return whether the statement must end."""
        size = os.fstat(self._file).st_size
        if size - self._flushed >= FLUSHED_BYTES:
            began_s = time.monotonic()
            try:
                os.fsync(self._file)
            except OSError as error:
                self._fault = error
                return True
            self._flushed = size
            time.sleep(RESTS * (time.monotonic() - began_s))
        return False


def copy_database(db: sqlite3.Connection, target: Path, kinds: Sequence[Kind] = KINDS) -> Copied:
    """Copy one state of an open database to one file without a log, for this account alone. Return what the copy holds.

    It is checked before it gets its name. The connection is of no use for writing afterwards. Raise ``sqlite3.Error`` or
    OSError, and :class:`StoreUnavailableError` for damage.
    """
    with new_file(target) as partial:
        with _SmallFlushes(partial) as flushes:
            flushes.run(db, "VACUUM INTO ?", str(partial))
        with closing(sqlite3.connect(f"{partial.absolute().as_uri()}?mode=ro", uri=True)) as copy:
            (verdict,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
            if verdict != "ok":
                raise StoreUnavailableError(f"the copy {target} is damaged: {verdict}")
            return counts_in(copy, kinds)


def back_up(source: Path, target: Path, kinds: Sequence[Kind] = KINDS) -> Copied:
    """Copy the database file of a server, running or not. Return what the copy holds.

    Raise :class:`StoreUnavailableError` if the file cannot be read, the copy cannot be written, or the copy is damaged.
    """
    try:
        with closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True, timeout=5.0)) as db:
            copied = copy_database(db, target, kinds)
        give_to_owner_of(source, target)
        return copied
    except (sqlite3.Error, OSError) as error:
        raise StoreUnavailableError(f"{source} cannot be copied to {target}: {error}") from error


def counts_in(db: sqlite3.Connection, kinds: Sequence[Kind] = KINDS) -> Copied:
    """Return how much a database holds."""
    values = {kind.name: _count(db, tables_of(kind.name).values) for kind in kinds_in(db, kinds)}
    return Copied(values, _count(db, "players"))


def _count(db: sqlite3.Connection, table: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def give_to_owner_of(path: Path, file: Path) -> None:
    """Give a file the owner and group of ``path``, where this account may: an operator runs commands as root."""
    if os.geteuid() == 0:
        status = path.stat()
        os.chown(file, status.st_uid, status.st_gid)


def flush(path: Path) -> None:
    """Write a file or a directory to the disk. Raise OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
