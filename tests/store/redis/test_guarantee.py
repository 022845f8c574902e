"""What a Redis says of itself, and what that guarantees."""

from __future__ import annotations

import pytest

from noughts.store.redis.guarantee import ServerFacts, facts_from, guarantee_of

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


@pytest.mark.parametrize(
    ("policy", "evicts"),
    [
        ("noeviction", False),
        ("volatile-lru", False),
        ("volatile-ttl", False),
        ("allkeys-lru", True),
        ("allkeys-random", True),
    ],
)
def test_only_some_policies_delete_rooms(policy: str, evicts: bool) -> None:
    assert DURABLE._replace(eviction=policy).evicts_rooms is evicts


def test_a_redis_that_flushes_each_write_is_as_good_as_the_file() -> None:
    guarantee = guarantee_of(DURABLE, 0)
    assert guarantee.weakness is None
    assert guarantee.text == (
        "Redis 7.0.15: append-only file, fsync always; replicas 0 (waits for 0); eviction noeviction"
    )
    assert guarantee_of(DURABLE._replace(replicas=2), 1).weakness is None


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (DURABLE._replace(append_only=False), "no append-only file"),
        (DURABLE._replace(fsync="everysec"), "`everysec`"),
        (DURABLE._replace(fsync="no"), "`no`"),
        (DURABLE._replace(fsync=None), "does not show"),
        (DURABLE._replace(replicas=2), "--store-replicas"),
    ],
)
def test_a_weaker_one_is_told_in_one_sentence(facts: ServerFacts, words: str) -> None:
    weakness = guarantee_of(facts, 0).weakness
    assert weakness is not None
    assert words in weakness
    assert weakness.count(". ") == 0
    assert weakness.endswith(".")
