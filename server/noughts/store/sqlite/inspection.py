"""Inspects a database file before its first use, and writes nothing: is it ours, which schema has it, and is it whole?"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.sqlite.schema import SCHEMA_VERSION

MAGIC: Final = b"SQLite format 3\0"
QUICK_S: Final = 5.0
"""The longest that the check at the start may take. It reads some 200 MB in this time."""
OWN_TABLES: Final = frozenset(("rooms", "players"))
"""Tables in every schema so far."""


def log_of(path: Path) -> Path:
    """Return the path of a database's write-ahead log. Changes are there until SQLite copies them to the file."""
    return path.with_name(f"{path.name}-wal")


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database file to read. Neither the file nor its log is changed, not even by closing it."""
    # Without a log nothing else is needed. With one, SQLite reads both, and keeps an index of the log in a third file.
    mode = "mode=ro" if _has_bytes(log_of(path)) else "mode=ro&immutable=1"
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, check_same_thread=False)) as db:
        yield db


def check_kind(path: Path, newest: int = SCHEMA_VERSION) -> int:
    """Return the schema of a database file.

    Raise :class:`SchemaError` for what is no file, an empty one, another kind of file, another program's database, or
    a schema above ``newest``.
    """
    if path.exists() and not path.is_file():  # opening a pipe would wait for a writer
        raise SchemaError(f"{path} is not a file. Choose another one.")
    with path.open("rb") as file:
        magic = file.read(len(MAGIC))
    if not magic:
        raise SchemaError(f"{path} is empty. Put a backup in its place, or delete it to begin with no data.")
    if magic != MAGIC:
        raise SchemaError(
            f"{path} cannot be used: it is not a database, or its beginning is damaged. Put a backup in its place,"
            " save what can be read as docs/how-to/repair.md says, or choose another file."
        )
    with _damage_in_words(path), reading(path) as db:
        version = int(db.execute("PRAGMA user_version").fetchone()[0])
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
    if version > newest and (OWN_TABLES & tables or not tables):
        raise SchemaError(f"{path} was written by a newer version of Noughts. Upgrade Noughts to open it.")
    if version == 0 or not tables >= OWN_TABLES:
        raise SchemaError(f"{path} cannot be used: it is a database of another program. Choose another file.")
    return version


def check_pages(path: Path, seconds: float = QUICK_S) -> bool:
    """Read every page. Return False if there was not enough time for all. Raise :class:`SchemaError` for a damaged file."""
    with _damage_in_words(path), reading(path) as db:
        timer = threading.Timer(seconds, db.interrupt)
        timer.start()
        try:
            (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                return False
            raise
        finally:
            timer.cancel()
            timer.join()
    if verdict != "ok":
        raise _damaged(path, verdict)
    return True


@contextmanager
def _damage_in_words(path: Path) -> Iterator[None]:
    """Raise :class:`SchemaError` in place of SQLite's word for a damaged file."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise _damaged(path, str(error)) from error
        raise StoreUnavailableError(f"{path} cannot be used: {error}") from error


def _damaged(path: Path, verdict: str) -> SchemaError:
    reason = " ".join(verdict.replace("*** in database main ***", "").split())
    return SchemaError(
        f"{path} is damaged ({reason}). Put a backup in its place, or save what can be read:"
        " `noughts check` shows the damage, and docs/how-to/repair.md says how to save the rest."
    )


def _has_bytes(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False
