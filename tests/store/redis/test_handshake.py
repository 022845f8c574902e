"""What is checked of a Redis before it is used."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.redis.handshake import ServerFacts, facts_from, guarantee_of
from noughts.store.redis.lease import SCHEMA_VERSION
from noughts.store.relay import Notice, Reconnected
from tests.support.commits import commit, new_room
from tests.support.player import WAIT_S
from tests.support.redis_server import RedisFarm, RedisServer
from tests.support.redis_stores import RedisNodes, new_backend


async def test_a_redis_that_may_delete_rooms_is_rejected(farm: RedisFarm, tmp_path: Path) -> None:
    redis = farm.server(maxmemory_policy="allkeys-lru")
    backend = new_backend(redis, tmp_path)
    with pytest.raises(SchemaError, match=r"maxmemory-policy allkeys-lru.*noeviction"):
        await backend.store.open()
    assert redis.keys() == []
    redis.set("maxmemory-policy", "noeviction")
    await backend.store.open()
    await backend.store.close()


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (SCHEMA_VERSION + 1, r"newer version of Noughts\. Upgrade Noughts"),
        (0, "run `noughts restore` or `noughts copy` again"),
        (1, "before the first release of Noughts, in schema 1, which no release reads"),
    ],
)
async def test_data_of_another_schema_are_rejected(
    redis: RedisServer, tmp_path: Path, prefix: str, schema: int, words: str
) -> None:
    redis.command("SET", f"{prefix}schema", schema)
    backend = new_backend(redis, tmp_path)
    with pytest.raises(SchemaError, match=words):
        await backend.store.open()
    with pytest.raises(StoreUnavailableError, match="not open"):  # it does not try again
        await backend.store.count()
    assert redis.keys(f"{prefix}*") == [f"{prefix}schema"]


async def test_an_account_needs_few_permissions(farm: RedisFarm, tmp_path: Path, prefix: str) -> None:
    """Only the keys and channels of its prefix. Without CONFIG, the fsync policy is unknown."""
    redis = farm.server()
    commands = (
        "+@read +@write +@pubsub +@scripting +@connection +info +role +time"
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


async def test_an_old_redis_is_rejected(
    redis: RedisServer, tmp_path: Path, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noughts.store.redis.handshake.MINIMUM_VERSION", (99, 0))
    with pytest.raises(SchemaError, match=r"This is Redis \d.*Noughts needs 99\.0 or newer"):
        await new_backend(redis, tmp_path).store.open()
    assert redis.keys(f"{prefix}*") == []


async def test_an_account_that_may_not_subscribe_is_told_why(farm: RedisFarm, tmp_path: Path, prefix: str) -> None:
    """It is not rejected for good: the operator may change the permissions while the node tries again."""
    redis = farm.server(appendonly="no")
    redis.command("ACL", "SETUSER", "node", "on", ">s3cret", f"~{prefix}*", "resetchannels", "+@all")
    backend = new_backend(f"redis://node:s3cret@127.0.0.1:{redis.port}", tmp_path)
    with pytest.raises(StoreUnavailableError, match="Redis's user may not do this: see the ACL"):
        await backend.store.open()
    await backend.store.close()


async def test_only_a_second_setup_may_have_missed_messages(nodes: RedisNodes, redis: RedisServer) -> None:
    one = await nodes.node("one")
    one.relay.announce(Notice("banned", "192.0.2.1"))
    two = await nodes.node("two")
    two.relay.announce(Notice("unbanned", "192.0.2.1"))
    async with asyncio.timeout(WAIT_S):
        assert await one.relay.received() == Notice("unbanned", "192.0.2.1")
        redis.command("CLIENT", "KILL", "TYPE", "pubsub")
        assert await one.relay.received() == Reconnected()


# --- what it guarantees -----------------------------------------------------------------------------------------

INFO = """# Server\r
redis_version:7.0.15\r
# Persistence\r
aof_enabled:1\r
# Memory\r
maxmemory_policy:noeviction\r
# Replication\r
connected_slaves:2\r
"""
DURABLE = ServerFacts("Redis", "7.0.15", True, "always", 0, "noeviction")


def test_facts_come_from_info() -> None:
    assert facts_from(INFO, "always") == DURABLE._replace(replicas=2)
    assert facts_from(INFO + "valkey_version:9.1.2\r\n", None)[:4] == ("Valkey", "9.1.2", True, None)
    assert facts_from("", None) == ServerFacts("Redis", "0", False, None, 0, "noeviction")


@pytest.mark.parametrize(
    ("version", "old"), [("6.0.16", True), ("6.2.0", False), ("7.0.15", False), ("5.0.14", True), ("10.0.0", False)]
)
def test_the_oldest_redis_is_6_2(version: str, old: bool) -> None:
    assert DURABLE._replace(version=version).is_old is old
    assert not DURABLE._replace(product="Valkey", version=version).is_old


def test_a_redis_that_flushes_each_write_is_as_good_as_the_file() -> None:
    guarantee = guarantee_of(DURABLE)
    assert guarantee.weakness is None
    assert guarantee.text == ("Redis 7.0.15: append-only file, fsync always; replicas 0; eviction noeviction")


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (DURABLE._replace(append_only=False), "no append-only file"),
        (DURABLE._replace(fsync="everysec"), "`everysec`"),
        (DURABLE._replace(fsync="no"), "`no`"),
        (DURABLE._replace(fsync=None), "does not show"),
        (DURABLE._replace(replicas=2), "may lack the last moves"),
    ],
)
def test_a_weaker_one_is_told_in_one_sentence(facts: ServerFacts, words: str) -> None:
    weakness = guarantee_of(facts).weakness
    assert weakness is not None
    assert words in weakness
    assert weakness.count(". ") == 0
    assert weakness.endswith(".")
