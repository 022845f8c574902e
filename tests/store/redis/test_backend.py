"""Credits and locks in Redis beyond what every implementation promises."""

from __future__ import annotations

import asyncio

import pytest

from noughts.store.contract import StoreUnavailableError
from noughts.store.coordination import Rate
from noughts.store.redis.backend import RedisCoordination
from tests.support.redis_server import RedisServer
from tests.support.redis_stores import RedisNodes


async def test_a_full_bucket_is_forgotten(nodes: RedisNodes, redis: RedisServer, prefix: str) -> None:
    node = await nodes.node("one")
    assert await node.coordination.take_credit("chat", "p_ann", Rate(5, 50)) == 0
    left_ms = redis.command("PTTL", f"{prefix}credit:chat:p_ann")
    assert 0 < left_ms <= 1_100


async def test_credits_follow_the_time_of_redis(nodes: RedisNodes, redis: RedisServer, prefix: str) -> None:
    """No node's clock has a part in it."""
    node = await nodes.node("one")
    rate = Rate(1, 0.1)
    assert await node.coordination.take_credit("rooms", "p_ann", rate) == 0
    wait_ms = await node.coordination.take_credit("rooms", "p_ann", rate)
    assert 9_000 < wait_ms <= 10_000
    key = f"{prefix}credit:rooms:p_ann"
    redis.command("HSET", key, "s", int(redis.command("HGET", key, "s")) - 10_000)
    assert await node.coordination.take_credit("rooms", "p_ann", rate) == 0


async def test_the_lock_of_a_dead_node_ends(nodes: RedisNodes) -> None:
    """A late node must not give back the lock of another."""
    for name in ("one", "two"):
        await nodes.node(name)
    late = RedisCoordination(nodes.links["one"], lease_ms=100, patience_s=0.1)
    async with late.lock("quick play"), asyncio.timeout(5.0):
        second = RedisCoordination(nodes.links["two"]).lock("quick play")
        await second.__aenter__()
    with pytest.raises(StoreUnavailableError, match="not free"):
        async with late.lock("quick play"):
            pass
    await second.__aexit__(None, None, None)
