"""The file is opened safely, or rejected in a clear sentence and left alone."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.sqlite.database_file import DatabaseFile
from noughts.store.sqlite.schema import SCHEMA_VERSION


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "noughts.db"


def test_a_commit_is_on_the_disk_before_it_is_answered(path: Path) -> None:
    with closing(DatabaseFile(path).connect()) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
        assert db.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_opening_writes_even_when_nothing_is_missing(path: Path) -> None:
    """The commit proves that the disk takes writes, and flushes what a failed one left in the log."""
    DatabaseFile(path).connect().close()
    with closing(sqlite3.connect(path)) as observer:
        before = observer.execute("PRAGMA data_version").fetchone()
        with closing(DatabaseFile(path).connect()):
            assert observer.execute("PRAGMA data_version").fetchone() != before


def test_a_file_of_another_account_keeps_its_exception(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line has the sentence about it."""
    DatabaseFile(path).connect().close()

    def open_it(*arguments: object) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "open", open_it)
    with pytest.raises(PermissionError):
        DatabaseFile(path).lock()


def test_a_directory_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    for use in (DatabaseFile.connect, DatabaseFile.lock):
        with pytest.raises(StoreUnavailableError, match="cannot be used"):
            use(DatabaseFile(tmp_path / "data" / "noughts.db"))


# --- a file that is not used ----------------------------------------------------------------------------------------


def directory_of(path: Path) -> dict[str, tuple[bytes, int]]:
    """Return the bytes and the time of the last write of each file."""
    return {entry.name: (entry.read_bytes(), entry.stat().st_mtime_ns) for entry in path.parent.iterdir()}


def lock_and_connect(file: DatabaseFile) -> None:
    """Use a file as the store does."""
    try:
        file.lock()
        file.connect().close()
    finally:
        file.release()


def schema(path: Path, version: int, mode: str = "WAL") -> None:
    """Make a file of ours, and give it another number."""
    DatabaseFile(path).connect().close()
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA journal_mode={mode}")
        db.execute(f"PRAGMA user_version={version}")


def foreign(path: Path, version: int) -> None:
    """Make the database of another program."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE recipes(name)")
        db.execute(f"PRAGMA user_version={version}")


def damaged(path: Path) -> None:
    DatabaseFile(path).connect().close()
    content = bytearray(path.read_bytes())
    content[4096 : 2 * 4096] = bytes(4096)
    path.write_bytes(content)


NEWER = r"noughts\.db was written by a newer version of Noughts\. Upgrade Noughts"
FOREIGN = r"noughts\.db cannot be used: it is a database of another program\. Choose another file\."
DAMAGED = r"noughts\.db is damaged \(.+\)\. Put a backup in its place, or save what can be read.*`noughts check` shows"


@pytest.mark.parametrize(
    ("make", "match"),
    [
        pytest.param(lambda path: schema(path, SCHEMA_VERSION + 1), NEWER, id="newer"),
        pytest.param(lambda path: schema(path, SCHEMA_VERSION + 1, "DELETE"), NEWER, id="newer without a log"),
        pytest.param(lambda path: schema(path, SCHEMA_VERSION - 1), "in schema 3, which no release reads", id="older"),
        pytest.param(lambda path: foreign(path, 0), FOREIGN, id="foreign"),
        pytest.param(lambda path: foreign(path, SCHEMA_VERSION), FOREIGN, id="foreign with our number"),
        pytest.param(lambda path: foreign(path, SCHEMA_VERSION + 1), FOREIGN, id="foreign with a higher number"),
        pytest.param(
            lambda path: path.write_bytes(b"a diary" * 100), "it is not a database", id="another kind of file"
        ),
        pytest.param(lambda path: path.write_bytes(b"SQLite format 3\0" * 3), "is damaged", id="cut"),
        pytest.param(lambda path: path.write_bytes(b""), r"is empty\. Put a backup in its place, or", id="empty"),
        pytest.param(damaged, DAMAGED, id="damaged"),
    ],
)
def test_a_file_that_is_not_used_is_left_alone(path: Path, make: Callable[[Path], object], match: str) -> None:
    path.parent.mkdir()
    make(path)
    before = directory_of(path)
    with pytest.raises(SchemaError, match=match):
        lock_and_connect(DatabaseFile(path))
    assert directory_of(path) == before


def test_a_log_without_its_file_is_left_alone(path: Path) -> None:
    """SQLite would carry its changes out in a new file."""
    log = path.with_name("noughts.db-wal")
    path.parent.mkdir()
    log.write_bytes(b"changes")
    with pytest.raises(SchemaError, match=r"noughts\.db is missing, but its log noughts\.db-wal is there"):
        DatabaseFile(path).lock()
    assert directory_of(path).keys() == {log.name}
    log.write_bytes(b"")
    DatabaseFile(path).connect().close()


def test_a_newer_file_whose_log_was_left_behind(path: Path) -> None:
    """A killed program left its newest changes in the log. They are read, and stay there."""
    DatabaseFile(path).connect().close()
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version={SCHEMA_VERSION + 1}")
        left = [entry for entry in directory_of(path).items() if not entry[0].endswith("-shm")]
    for name, (content, _) in left:
        (path.parent / name).write_bytes(content)
    assert len(left) == 2
    before = path.read_bytes()
    with pytest.raises(SchemaError, match="newer version"):
        DatabaseFile(path).connect()
    for name, (content, _) in left:
        assert (path.parent / name).read_bytes() == content
    assert path.read_bytes() == before


def test_a_large_file_is_checked_only_in_part(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server starts, and the operator learns how to check the rest."""
    monkeypatch.setattr("noughts.store.sqlite.database_file.check_pages", lambda path: False)
    lines: list[str] = []
    DatabaseFile(path, warn=lines.append).connect().close()
    assert len(lines) == 1
    assert "`noughts check`" in lines[0]


def test_a_new_file_has_its_name_only_with_its_tables(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that ends while it makes the file leaves nothing that the next one could not use."""

    def fail(path: Path) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("noughts.store.sqlite.copies.flush", fail)
    with pytest.raises(StoreUnavailableError, match="no space left"):
        DatabaseFile(path).connect()
    assert not path.exists()
    monkeypatch.undo()
    DatabaseFile(path).connect().close()


# --- the lock, and a file that goes away ----------------------------------------------------------------------------


def test_one_server_uses_a_file(path: Path) -> None:
    """By whatever name."""
    first, second = DatabaseFile(path), DatabaseFile(path.with_name("link.db"))
    first.lock()
    path.with_name("link.db").symlink_to(path)
    with pytest.raises(
        StoreUnavailableError, match=r"another server uses .*link\.db\. Stop it, or choose another file"
    ):
        second.lock()
    first.connect().close()
    first.release()
    second.lock()
    second.release()


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_was_deleted_or_replaced(path: Path, replaced: bool) -> None:
    """It is not made again. The same file put back is used again."""
    file = DatabaseFile(path)
    with closing(file.connect()):
        assert file.loss_reason() is None
        file.check()
    path.rename(path.with_name("aside.db"))
    if replaced:
        DatabaseFile(path).connect().close()
    assert "was deleted or replaced while the server ran" in (file.loss_reason() or "")
    for use in (file.check, file.connect):
        with pytest.raises(StoreUnavailableError, match="was deleted or replaced while the server ran"):
            use()
    assert path.exists() is replaced
    path.with_name("aside.db").replace(path)
    assert file.loss_reason() is None
    file.connect().close()


def test_a_log_that_was_deleted(path: Path) -> None:
    """Closing the file saves what was in the log. Then it can be opened again."""
    file = DatabaseFile(path)
    with closing(file.connect()) as db:
        db.execute("INSERT INTO bans VALUES('203.0.113.9')")
        path.with_name("noughts.db-wal").unlink()
        with pytest.raises(StoreUnavailableError, match=r"noughts\.db-wal was deleted or replaced"):
            file.check()
    with closing(file.connect()) as db:
        assert db.execute("SELECT * FROM bans").fetchall() == [("203.0.113.9",)]
        file.check()
