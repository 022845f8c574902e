"""Archives by their addresses. The tests of ``noughts copy`` use both kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

from noughts.app.archives import archive_at, archive_named
from noughts.app.runtime.config import Config
from noughts.command_line import UsageError
from noughts.store.redis.archive import RedisArchive
from noughts.store.sqlite.archive import SqliteArchive


def test_an_address_names_a_kind_of_archive(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("secret\n")
    config = Config(store_password_file=secret)
    assert isinstance(archive_at(tmp_path / "noughts.db", config), SqliteArchive)
    assert isinstance(archive_named("sqlite:noughts.db", config), SqliteArchive)
    assert isinstance(archive_named("redis://127.0.0.1", config), RedisArchive)


def test_a_mistake_does_not_repeat_a_password(tmp_path: Path) -> None:
    for text in ("redis://:secret@127.0.0.1", "redis:secret", "redis://a:secret@127.0.0.1:x"):
        with pytest.raises(UsageError) as caught:
            archive_named(text, Config())
        assert "secret" not in str(caught.value)
    with pytest.raises(UsageError, match="cannot be read"):
        archive_named("redis://127.0.0.1", Config(store_password_file=tmp_path / "missing"))
