"""The store that the settings choose, and the password of Redis in a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from noughts.app.commands.archives import store_of, with_password
from noughts.app.runtime.config import Config
from noughts.command_line import UsageError
from noughts.store.address import RedisAddress, store_address

REDIS = store_address("redis://127.0.0.1")


def test_the_store_is_a_file_of_the_data_directory() -> None:
    assert store_of(Config(data=Path("data"))) == Path("data/noughts.db")
    assert store_of(Config(store=Path("other.db"))) == Path("other.db")


def test_the_password_of_redis_comes_from_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("s3cret\n")
    assert isinstance(REDIS, RedisAddress)
    assert store_of(Config(store=REDIS, store_password_file=secret)) == replace(REDIS, password="s3cret")
    assert store_of(Config(store=REDIS)) == REDIS
    assert with_password(Path("a.db"), Config(store_password_file=secret)) == Path("a.db")


@pytest.mark.parametrize("content", [None, b"\xff"])
def test_a_password_that_cannot_be_read(tmp_path: Path, content: bytes | None) -> None:
    """The file is missing, or holds no text."""
    secret = tmp_path / "password"
    if content is not None:
        secret.write_bytes(content)
    with pytest.raises(UsageError, match="the file of --store-password-file cannot be read: "):
        with_password(REDIS, Config(store_password_file=secret))
