"""An upgrade that meets a Redis without permissions or replicas, or none at all."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.redis.link import RedisLink
from noughts.store.redis.migration import backup_name
from noughts.store.redis.schema import SCHEMA_VERSION, OldData, Schema
from noughts.store.redis.scripts import key_prefix
from tests.support.ports import free_port
from tests.support.redis_server import RedisFarm, RedisServer
from tests.support.redis_stores import address_of, prefix_of

OLD: Final = SCHEMA_VERSION
NEW: Final = SCHEMA_VERSION + 1
MANY: Final = 3_000


async def leave(data: OldData) -> None:
    """Change nothing."""


async def exclaim(data: OldData) -> None:
    """Upgrade each room."""
    for key in await data.keys("room:*"):
        await data.call("APPEND", key, "!")


def fill(redis: RedisServer, prefix: str, count: int) -> None:
    """Store many keys under the old schema."""
    script = "for number = 1, ARGV[2] do redis.call('SET', ARGV[1] .. 'room:' .. number, number) end"
    redis.command("EVAL", script, 0, prefix, count)
    redis.command("SET", f"{prefix}schema", OLD)


def backup_keys(redis: RedisServer, directory: Path) -> list[str]:
    """Return the keys of the backup."""
    return redis.keys(f"{key_prefix(backup_name(prefix_of(directory), OLD))}*")


async def test_many_keys_are_all_in_the_backup(redis: RedisServer, tmp_path: Path, prefix: str) -> None:
    """More than Redis lists at a time."""
    fill(redis, prefix, MANY)
    link = RedisLink(address_of(redis), "new", prefix_of(tmp_path), schema=Schema(NEW, {OLD: leave}))
    await link.migration.run()
    assert len(backup_keys(redis, tmp_path)) == MANY + 1
    assert len(redis.keys(f"{prefix}room:*")) == MANY
    assert redis.command("GET", f"{prefix}schema") == str(NEW)


async def test_an_account_without_the_keys_of_the_backup_changes_nothing(
    farm: RedisFarm, tmp_path: Path, prefix: str
) -> None:
    """With more permissions, the upgrade begins again."""
    redis = farm.server(appendonly="no")
    fill(redis, prefix, 10)
    redis.command("ACL", "SETUSER", "node", "on", ">s3cret", f"~{prefix}*", "resetchannels", "+@all")
    address = address_of(f"redis://node:s3cret@127.0.0.1:{redis.port}")
    schema = Schema(NEW, {OLD: exclaim})
    with pytest.raises(SchemaError, match=r"cannot be upgraded\..*can't access"):
        await RedisLink(address, "new", prefix_of(tmp_path), schema=schema).migration.run()
    assert {redis.command("GET", key) for key in redis.keys(f"{prefix}room:*")} == {str(n) for n in range(1, 11)}
    redis.command("ACL", "SETUSER", "node", "allkeys")
    redis.command("DEL", f"{prefix}migrator")  # as after CLAIM_MS
    await RedisLink(address, "new", prefix_of(tmp_path), schema=schema).migration.run()
    assert redis.command("GET", f"{prefix}room:7") == "7!"


async def test_a_fault_before_the_backup_is_whole_leaves_none(redis: RedisServer, tmp_path: Path, prefix: str) -> None:
    fill(redis, prefix, 10)

    def fail(line: str) -> None:
        raise OSError("the log is closed")

    schema = Schema(NEW, {OLD: exclaim})
    link = RedisLink(address_of(redis), "new", prefix_of(tmp_path), schema=schema, report=fail)
    with pytest.raises(SchemaError, match=r"the program raised OSError. They are unchanged"):
        await link.migration.run()
    assert backup_keys(redis, tmp_path) == []
    assert redis.command("GET", f"{prefix}schema") == str(OLD)
    assert redis.command("GET", f"{prefix}room:7") == "7"


async def test_an_upgrade_without_its_replicas_is_unavailable(
    redis: RedisServer, tmp_path: Path, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The node tries again: by then the data are upgraded, and each change waits for the replicas."""
    monkeypatch.setattr("noughts.store.redis.migration.CONFIRMED_S", 0.0)
    fill(redis, prefix, 1)
    schema = Schema(NEW, {OLD: leave})
    link = RedisLink(address_of(redis), "new", prefix_of(tmp_path), replicas=1, schema=schema)
    with pytest.raises(StoreUnavailableError, match="0 of 1 replicas have the upgraded data"):
        await link.migration.run()


async def test_redis_may_go_away_during_an_upgrade(farm: RedisFarm, tmp_path: Path, prefix: str) -> None:
    redis = farm.server()
    fill(redis, prefix, 1)

    async def end(data: OldData) -> None:
        redis.kill()
        await data.call("PING")

    schema = Schema(NEW, {OLD: end})
    link = RedisLink(address_of(redis), "new", prefix_of(tmp_path), schema=schema)
    with pytest.raises(StoreUnavailableError, match="the upgrade of the data was interrupted"):
        await link.migration.run()
    redis.start()
    assert redis.command("GET", f"{prefix}schema") == str(-OLD)  # no program uses the data


async def test_without_redis_there_is_no_upgrade(tmp_path: Path) -> None:
    link = RedisLink(address_of(f"redis://127.0.0.1:{free_port()}"), "new", prefix_of(tmp_path))
    with pytest.raises(StoreUnavailableError):
        await link.migration.run()
