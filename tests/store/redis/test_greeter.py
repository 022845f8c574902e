"""What is checked of a Redis before it is used."""

from __future__ import annotations

from pathlib import Path

import pytest

from noughts.store.contract import SchemaError
from tests.support.commits import commit, new_room
from tests.support.redis_server import RedisFarm, RedisServer
from tests.support.redis_stores import new_backend


async def test_the_guarantee_is_known_once_connected(farm: RedisFarm, tmp_path: Path) -> None:
    redis = farm.server(appendfsync="everysec")
    backend = new_backend(redis, tmp_path)
    assert backend.store.guarantee().text == "not connected yet"
    await backend.store.open()
    assert "fsync everysec" in backend.store.guarantee().text
    assert "`everysec`" in (backend.store.guarantee().weakness or "")
    await backend.store.close()


async def test_a_redis_that_may_delete_rooms_is_rejected(farm: RedisFarm, tmp_path: Path) -> None:
    redis = farm.server(maxmemory_policy="allkeys-lru")
    backend = new_backend(redis, tmp_path)
    with pytest.raises(SchemaError, match=r"maxmemory-policy allkeys-lru.*noeviction"):
        await backend.store.open()
    assert redis.keys() == []
    redis.set("maxmemory-policy", "noeviction")
    await backend.store.open()
    await backend.store.close()


@pytest.mark.parametrize(("schema", "words"), [(99, "newer version"), (0, "noughts copy")])
async def test_data_of_another_schema_are_rejected(
    redis: RedisServer, tmp_path: Path, prefix: str, schema: int, words: str
) -> None:
    redis.command("SET", f"{prefix}schema", schema)
    backend = new_backend(redis, tmp_path)
    with pytest.raises(SchemaError, match=words):
        await backend.store.open()
    assert redis.keys(f"{prefix}*") == [f"{prefix}schema"]


async def test_an_account_needs_few_permissions(farm: RedisFarm, tmp_path: Path, prefix: str) -> None:
    """Only the keys and channels of its prefix. Without CONFIG, the fsync policy is unknown."""
    redis = farm.server()
    commands = (
        "+@read +@write +@pubsub +@scripting +@connection +info +role +wait +time"
        " -@dangerous +info +role -@blocking -flushall -flushdb"
    )
    redis.command(
        "ACL", "SETUSER", "node", "on", ">s3cret", f"~{prefix}*", "resetchannels", f"&{prefix}*", *commands.split()
    )
    backend = new_backend(f"redis://node:s3cret@127.0.0.1:{redis.port}", tmp_path)
    await backend.store.open()
    await commit(backend.store, new_room())
    assert "fsync unknown" in backend.store.guarantee().text
    await backend.store.close()
