"""Copies a database file, also while a server writes to it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from noughts.store.archive import Copied
from noughts.store.contract import StoreUnavailableError
from noughts.store.kinds import KINDS, Kind
from noughts.store.sqlite.schema import kinds_in, tables_of

_ALL_PAGES: Final = -1


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


def copy_database(db: sqlite3.Connection, source: Path, target: Path) -> None:
    """Copy an open database, with its log, to a file with the rights of ``source``.

    The copy is one state of the database: it is made in one step, and writers go on meanwhile.
    Raise ``sqlite3.Error`` or OSError if that fails.
    """
    with new_file(target) as partial:
        with closing(sqlite3.connect(partial)) as copy:
            db.backup(copy, pages=_ALL_PAGES)
            copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a log
        shutil.copymode(source, partial)


def back_up(source: Path, target: Path, kinds: Sequence[Kind] = KINDS) -> Copied:
    """Copy the database file of a server, running or not. Return what the copy holds.

    Raise :class:`StoreUnavailableError` if the file cannot be read, the copy cannot be written, or the copy is damaged.
    """
    try:
        with closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True, timeout=5.0)) as db:
            copy_database(db, source, target)
        with closing(sqlite3.connect(f"{target.absolute().as_uri()}?mode=ro", uri=True)) as copy:
            (verdict,) = copy.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise StoreUnavailableError(f"the copy {target} is damaged, because {source} is: {verdict}")
            values = {kind.name: _count(copy, tables_of(kind.name).values) for kind in kinds_in(copy, kinds)}
            return Copied(values, _count(copy, "players"))
    except (sqlite3.Error, OSError) as error:
        raise StoreUnavailableError(f"{source} cannot be copied to {target}: {error}") from error


def _count(db: sqlite3.Connection, table: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def flush(path: Path) -> None:
    """Write a file or a directory to the disk. Raise OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
