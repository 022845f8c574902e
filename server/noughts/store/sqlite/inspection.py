"""Inspects a database file, and writes nothing: is it ours, which schema has it, is it whole, and what is damaged in it?"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple

from noughts.room.idempotency import IdempotencyKeys
from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.copy import Copied
from noughts.store.kinds import KINDS, Kind
from noughts.store.sqlite.schema import SCHEMA_VERSION, Tables, kinds_in, tables_of

MAGIC: Final = b"SQLite format 3\0"
QUICK_S: Final = 5.0
"""The longest that the check at the start may take. It reads some 200 MB in this time."""
OWN_TABLES: Final = frozenset(("rooms", "players"))
"""Tables in every schema so far."""
PROGRESS_EVERY: Final = 5_000
"""Values between two lines of progress."""
MAX_SHOWN: Final = 20
"""The most sentences about damage that are taken from one table."""
_PRIMARY: Final = 0xFF
"""The low byte of a result code of SQLite is its kind."""
_UNREADABLE: Final = frozenset((sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ))
"""One page could not be read from the disk. Others may be readable."""
_NOT_TEXT: Final = "Could not decode to UTF-8"


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


def check_kind(path: Path) -> None:
    """Raise :class:`SchemaError` if the file is not a database of this schema.

    That is no file, an empty one, another kind of file, another program's database, or another schema.
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
            " save what can be read (the page /docs/how-to/repair of a server says how), or choose another file."
        )
    with _damage_in_words(path), reading(path) as db:
        version = int(db.execute("PRAGMA user_version").fetchone()[0])
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
    if version > SCHEMA_VERSION and (OWN_TABLES & tables or not tables):
        raise SchemaError(f"{path} was written by a newer version of Noughts. Upgrade Noughts to open it.")
    if version == 0 or not tables >= OWN_TABLES:
        raise SchemaError(f"{path} cannot be used: it is a database of another program. Choose another file.")
    if version < SCHEMA_VERSION:
        raise SchemaError(
            f"{path} was written before the first release of Noughts, in schema {version}, which no release reads. Choose"
            " another file to begin without data. To read the old data, use the version that wrote them."
        )


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
        " `noughts check` shows the damage, and the page /docs/how-to/repair of a server says how to save the rest."
    )


def _has_bytes(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False


# --- damage in parts of a file --------------------------------------------------------------------------------------


def is_damage(error: Exception) -> bool:
    """Return whether an error of SQLite concerns only the stored bytes that a statement read or would change."""
    if not isinstance(error, sqlite3.Error):
        return False
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # not an error of SQLite itself, but of Python's module, which decodes text
        return str(error).startswith(_NOT_TEXT)
    return code & _PRIMARY == sqlite3.SQLITE_CORRUPT or code in _UNREADABLE


def damage_text(error: Exception) -> str:
    """Return what a log may say about damage. The module's own text would quote what is stored, such as a chat line."""
    return "a text is not UTF-8" if str(error).startswith(_NOT_TEXT) else str(error)


class Named(NamedTuple):
    """A value of one kind, such as a room."""

    kind: str
    id: str


class Health(NamedTuple):
    """What a check has read, and what is damaged in it."""

    counts: Copied
    damage: tuple[str, ...]
    """What SQLite says about damaged pages."""
    unreadable: tuple[Named, ...]
    """Values that cannot be decoded, though their pages are whole."""
    lost: tuple[Named, ...]
    """Values that a table or an index names, and whose row is gone or on a damaged page."""

    @property
    def whole(self) -> bool:
        """Whether nothing is damaged."""
        return not (self.damage or self.unreadable or self.lost)


def check_file(path: Path, show: Callable[[str], None], kinds: Sequence[Kind] = KINDS) -> Health:
    """Read every page, every row and every value. ``show`` is called with lines of progress.

    Raise :class:`SchemaError` for a file that is not of this schema or whose beginning is damaged,
    :class:`StoreUnavailableError` if it cannot be read.
    """
    try:
        check_kind(path)
        with reading(path) as db:
            damage = list(_page_damage(db, show))
            db.execute("BEGIN")  # one state: a value that is removed meanwhile is not lost
            states: dict[str, list[Named]] = {"whole": [], "unreadable": [], "lost": []}
            counts = {}
            for kind in kinds_in(db, kinds):
                tables = tables_of(kind.name)
                ids = _named_ids(db, tables, damage)
                for number, id in enumerate(ids, 1):
                    states[_state_of(db, kind, id, damage)].append(Named(kind.name, id))
                    if number % PROGRESS_EVERY == 0 or number == len(ids):
                        show(f"  {number:,} of {len(ids):,} {kind.name}s")
                counts[kind.name] = _count(db, tables.values, damage)
            players = _count(db, "players", damage)
    except (sqlite3.Error, OSError) as error:
        raise StoreUnavailableError(f"{path} cannot be read: {error}") from error
    unreadable, lost = tuple(states["unreadable"]), tuple(states["lost"])
    return Health(Copied(counts, players), tuple(dict.fromkeys(damage)), unreadable, lost)


def _page_damage(db: sqlite3.Connection, show: Callable[[str], None]) -> Iterator[str]:
    """Yield what SQLite finds in each table with its indexes, then in the file as a whole."""
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table' ORDER BY name")]
    for number, table in enumerate(tables, 1):
        yield from _verdicts(db, f"PRAGMA integrity_check('{table}')", f"{table}: ")
        show(f"  {number} of {len(tables)} tables")
    yield from _verdicts(db, "PRAGMA quick_check", "")


def _verdicts(db: sqlite3.Connection, pragma: str, prefix: str) -> Iterator[str]:
    try:
        lines = [line for (text,) in db.execute(pragma) for line in text.splitlines()]
    except sqlite3.DatabaseError as error:
        lines = [damage_text(error)]
    sentences = [line for line in lines if line != "ok" and not line.startswith("***")]
    yield from [prefix + line for line in sentences[:MAX_SHOWN]]


def _named_ids(db: sqlite3.Connection, tables: Tables, damage: list[str]) -> Sequence[str]:
    """Return all values of a kind that any of its tables names, as far as each can be read."""
    ids: set[str] = set()
    for table in (tables.values, tables.owners, tables.records, tables.lines):
        key = "id" if table == tables.values else tables.key
        try:
            for (id,) in db.execute(f"SELECT DISTINCT {key} FROM {table}"):
                ids.add(id)
        except sqlite3.DatabaseError as error:
            damage.append(f"{table}: {damage_text(error)}")
    return sorted(ids)


def _state_of(db: sqlite3.Connection, kind: Kind, id: str, damage: list[str]) -> Literal["whole", "unreadable", "lost"]:
    """Return whether a value and its records can be read and decoded. Note where the index has other players for it."""
    tables = tables_of(kind.name)
    row, owners, records = None, [], []
    try:
        records = db.execute(f"SELECT data FROM {tables.records} WHERE {tables.key}=?", (id,)).fetchall()
        owners = db.execute(f"SELECT player FROM {tables.owners} WHERE {tables.key}=?", (id,)).fetchall()
    except sqlite3.DatabaseError as error:
        damage.append(f"{kind.name} {id}: {damage_text(error)}")
    with suppress(sqlite3.DatabaseError):  # the check of the pages has named this damage
        row = db.execute(f"SELECT data, answered, players FROM {tables.values} WHERE id=?", (id,)).fetchone()
    if row is None:
        return "lost"
    data, answered, players = row
    if sorted(player for (player,) in owners) != players.split():
        damage.append(f"{tables.owners} of {kind.name} {id} differ from its row")
    return "whole" if _is_readable(kind, data, answered, records) else "unreadable"


def _is_readable(kind: Kind, data: bytes, answered: bytes, records: Sequence[tuple[bytes]]) -> bool:
    try:
        kind.decode(data)
        IdempotencyKeys.decoded(answered)
        for (record,) in records:
            kind.decode_record(record)
    except Exception:  # the bytes may be anything, and a decoder may raise anything about them
        return False
    return True


def _count(db: sqlite3.Connection, table: str, damage: list[str]) -> int:
    try:
        return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    except sqlite3.DatabaseError as error:
        damage.append(f"{table}: {damage_text(error)}")
        return 0
