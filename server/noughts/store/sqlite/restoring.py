"""Puts a copy in the place of a database file. An interruption leaves the old data in place, or the new ones."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from noughts.store.contract import StoreUnavailableError
from noughts.store.copy import Copied
from noughts.store.kinds import KINDS, Kind
from noughts.store.sqlite.copies import copy_database, counts_in, flush, give_to_owner_of, remove_log
from noughts.store.sqlite.inspection import log_of, reading
from noughts.store.sqlite.schema import kinds_in, tables_of


class Summary(NamedTuple):
    """What a database file holds, and the time of the newest change of a value, 0 without one."""

    counts: Copied
    newest_ms: int


def summary_of(path: Path, kinds: Sequence[Kind] = KINDS) -> Summary:
    """Return what a file holds. Raise ``StoreUnavailableError`` if it cannot be read."""
    try:
        with reading(path) as db:
            return Summary(counts_in(db, kinds), newest_ms(db, kinds))
    except (sqlite3.Error, OSError) as error:
        raise StoreUnavailableError(f"{path} cannot be read: {error}") from error


def newest_ms(db: sqlite3.Connection, kinds: Sequence[Kind]) -> int:
    """Return the time of the newest change of any value, 0 without one. It takes 2 µs a value."""
    times = [
        kind.used_ms(data)
        for kind in kinds_in(db, kinds)
        for (data,) in db.execute(f"SELECT data FROM {tables_of(kind.name).values}")
    ]
    return max(times, default=0)


def restore(copy: Path, path: Path, aside: Path) -> None:
    """Put a copy of ``copy`` in the place of ``path``, and keep what was there, with its log, under the name ``aside``.

    The caller has checked the copy, and keeps servers from both names. The new file gets the owner of the old one, or of
    the directory, if this account may give files away. Raise ``StoreUnavailableError`` if the disk does not take it.
    """
    new = path.with_name(f"{path.name}.restored")
    try:
        with reading(copy) as db:
            copy_database(db, new)
        give_to_owner_of(path if path.exists() else path.parent, new)
        if path.exists():
            _fold_log(path)
            _link(path, aside)
            _put_log_aside(path, aside)
        remove_log(path)
        os.replace(new, path)
        flush(path.parent)
    except (sqlite3.Error, OSError) as error:
        raise StoreUnavailableError(f"{copy} cannot be restored to {path}: {error}") from error


def _fold_log(path: Path) -> None:
    """Write the changes of the log into the file, and delete the log. A damaged file keeps its log."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def _link(path: Path, name: Path) -> None:
    """Give a file another name. Some file systems have no links: there, copy it."""
    try:
        os.link(path, name)
    except OSError:
        shutil.copy2(path, name)
        give_to_owner_of(path, name)
        flush(name)
    flush(path.parent)


def _put_log_aside(path: Path, aside: Path) -> None:
    """Keep the log of a file that cannot take its changes. So the file has no log any more, and its other name has it."""
    with suppress(FileNotFoundError):
        os.replace(log_of(path), log_of(aside))
        flush(path.parent)
