"""Archives by their addresses. The tests of ``noughts copy`` use both kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

from noughts.app.archives import add_file_flags, archive_at, archive_named, file_of
from noughts.app.runtime.config import Config
from noughts.command_line import Parser, UsageError
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


# --- the file of a store ----------------------------------------------------------------------------------------------


def file_named(*arguments: str) -> Path:
    """Return the file that these flags name."""
    parser = Parser(prog="noughts")
    add_file_flags(parser)
    return file_of(parser.parse_args(arguments))


@pytest.mark.usefixtures("no_settings")
def test_a_file_is_named_by_the_data_directory_or_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a flag, or by the environment."""
    path, other = tmp_path / "noughts.db", tmp_path / "other.db"
    path.touch()
    other.touch()
    assert file_named("--data", str(tmp_path)) == path
    assert file_named("--data", str(tmp_path), "--store", f"sqlite:{other}") == other
    monkeypatch.setenv("NOUGHTS_DATA", str(tmp_path))
    assert file_named() == path


@pytest.mark.usefixtures("no_settings")
def test_only_a_file_that_is_there_can_be_checked(tmp_path: Path) -> None:
    for arguments, words in (
        (("--data", str(tmp_path)), "there is no .*noughts.db: name the data directory"),
        (("--store", "redis://127.0.0.1"), "this command reads a file, and the store is Redis"),
        (("--store", "nonsense"), "--store must be sqlite:PATH"),
    ):
        with pytest.raises(UsageError, match=words):
            file_named(*arguments)
