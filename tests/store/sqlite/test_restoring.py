"""A copy takes the place of the data. What was there, whole or damaged, is kept with its log."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from noughts.store.contract import StoreUnavailableError
from noughts.store.sqlite.copies import back_up
from noughts.store.sqlite.database_file import DatabaseFile
from noughts.store.sqlite.inspection import log_of
from noughts.store.sqlite.restoring import restore, summary_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file of a killed server, with a ban in its log, and ``copy`` beside it, which has no ban."""
    made, path = tmp_path / "made.db", tmp_path / "noughts.db"
    with closing(DatabaseFile(made).connect()) as db:
        back_up(made, tmp_path / "copy")
        db.execute("PRAGMA wal_autocheckpoint=0")
        db.execute("INSERT INTO bans VALUES('203.0.113.9')")
        for file in (made, log_of(made)):
            shutil.copy(file, tmp_path / file.name.replace("made", "noughts"))
    return path


def bans(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("SELECT count(*) FROM bans").fetchone()[0])


def test_what_was_there_is_kept(path: Path, tmp_path: Path) -> None:
    restore(tmp_path / "copy", path, tmp_path / "aside")
    assert (bans(path), bans(tmp_path / "aside")) == (0, 1)
    assert path.stat().st_mode & 0o777 == 0o600
    assert summary_of(path).newest_ms == 0
    restore(tmp_path / "aside", path, tmp_path / "second")
    assert bans(path) == 1


def test_a_file_system_without_links(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", _no_links)
    restore(tmp_path / "copy", path, tmp_path / "aside")
    assert (bans(path), bans(tmp_path / "aside")) == (0, 1)


def _no_links(source: Path, target: Path) -> None:
    raise PermissionError(1, "Operation not permitted")


def test_no_log_of_another_file_is_added(path: Path, tmp_path: Path) -> None:
    """The file is gone, and its log is there. SQLite would add it to the copy."""
    path.unlink()
    restore(tmp_path / "copy", path, tmp_path / "aside")
    assert (bans(path), (tmp_path / "aside").exists()) == (0, False)


def test_a_damaged_file_is_kept_with_its_log(path: Path, tmp_path: Path) -> None:
    path.write_bytes(b"noise" * 1_000)
    before, log = path.read_bytes(), log_of(path).read_bytes()
    with pytest.raises(StoreUnavailableError):
        summary_of(path)
    restore(tmp_path / "copy", path, tmp_path / "aside")
    assert bans(path) == 0
    assert ((tmp_path / "aside").read_bytes(), log_of(tmp_path / "aside").read_bytes()) == (before, log)


@pytest.mark.parametrize("spoil", [lambda copy: copy.unlink(), lambda copy: copy.write_bytes(b"noise" * 1_000)])
def test_a_copy_that_cannot_be_read_changes_nothing(path: Path, tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    spoil(tmp_path / "copy")
    with pytest.raises(StoreUnavailableError, match="cannot be restored"):
        restore(tmp_path / "copy", path, tmp_path / "aside")
    assert (bans(path), (tmp_path / "aside").exists()) == (1, False)
