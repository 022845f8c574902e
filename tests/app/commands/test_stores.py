"""The stores that the settings and the arguments choose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from noughts.app.commands.stores import address_named, file_of, store_of, with_password
from noughts.app.runtime.config import Config
from noughts.command_line import UsageError
from noughts.store.address import RedisAddress, store_address

REDIS = store_address("redis://127.0.0.1")


def test_the_store_is_a_file_of_the_data_directory(tmp_path: Path) -> None:
    assert store_of(Config(data=Path("data"))) == Path("data/noughts.db")
    path, other = tmp_path / "noughts.db", tmp_path / "other.db"
    path.touch()
    other.touch()
    assert file_of(Config(data=tmp_path)) == path
    assert file_of(Config(data=tmp_path, store=other)) == other


def test_the_password_of_redis_comes_from_a_file(tmp_path: Path) -> None:
    """The file of another store needs none. A password file that is missing, or holds no text, is named."""
    secret = tmp_path / "password"
    secret.write_text("s3cret\n")
    config = Config(store=REDIS, store_password_file=secret)
    assert isinstance(REDIS, RedisAddress)
    assert store_of(config) == replace(REDIS, password="s3cret")
    assert store_of(Config(store=REDIS)) == REDIS
    assert with_password(Path("a.db"), config) == Path("a.db")
    secret.write_bytes(b"\xff")
    for path in (secret, tmp_path / "missing"):
        with pytest.raises(UsageError, match="the file of --store-password-file cannot be read: "):
            store_of(replace(config, store_password_file=path))


@pytest.mark.parametrize("text", ["redis://:secret@127.0.0.1", "redis:secret", "redis://a:secret@127.0.0.1:x"])
def test_a_mistake_does_not_repeat_a_password(text: str) -> None:
    with pytest.raises(UsageError) as error:
        address_named(text, Config())
    assert "secret" not in str(error.value)
