"""Archives by their addresses. The tests of ``noughts copy`` use both kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

from noughts.app.commands.archives import archive_at, archive_named, failure, file_of
from noughts.app.runtime.config import Config
from noughts.command_line import UsageError
from noughts.store.address import store_address
from noughts.store.redis.archive import RedisArchive
from noughts.store.sqlite.archive import SqliteArchive


def test_an_address_names_a_kind_of_archive(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("secret\n")
    config = Config(store_password_file=secret)
    assert isinstance(archive_at(tmp_path / "noughts.db", config), SqliteArchive)
    assert isinstance(archive_named("sqlite:noughts.db", config), SqliteArchive)
    for settings in (config, Config()):
        assert isinstance(archive_named("redis://127.0.0.1", settings), RedisArchive)


def test_a_mistake_does_not_repeat_a_password(tmp_path: Path) -> None:
    for text in ("redis://:secret@127.0.0.1", "redis:secret", "redis://a:secret@127.0.0.1:x"):
        with pytest.raises(UsageError) as caught:
            archive_named(text, Config())
        assert "secret" not in str(caught.value)
    with pytest.raises(UsageError, match="cannot be read"):
        archive_named("redis://127.0.0.1", Config(store_password_file=tmp_path / "missing"))


def test_the_message_of_a_failure_is_a_sentence() -> None:
    assert [str(failure(OSError(text))) for text in ("the disk is full", "The file is open.")] == [
        "the disk is full.",
        "The file is open.",
    ]


# --- the file of a store ----------------------------------------------------------------------------------------------


def test_the_file_of_the_store(tmp_path: Path) -> None:
    path, other = tmp_path / "noughts.db", tmp_path / "other.db"
    path.touch()
    other.touch()
    assert file_of(Config(data=tmp_path)) == path
    assert file_of(Config(data=tmp_path, store=other)) == other


def test_only_a_file_that_is_there_can_be_checked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no .*noughts\.db: name the data directory"):
        file_of(Config(data=tmp_path))
    with pytest.raises(UsageError, match="this command reads a file, and the store is Redis"):
        file_of(Config(store=store_address("redis://127.0.0.1")))
