"""Rooms in Redis: what several nodes and late requests may not break. What every store promises: ``test_contract_*.py``."""

from __future__ import annotations

import asyncio
from pathlib import Path

from noughts.store.backend import Backend
from noughts.store.machine_store import Stored, Unavailable
from noughts.store.presence import Attendance, PresenceReport
from tests.support.commits import INDEX, chat, commit, commit_all, new_room, next_version
from tests.support.player import WAIT_S
from tests.support.redis_server import RedisFarm, RedisServer
from tests.support.redis_stores import RedisNodes, redis_contents, redis_nodes
from tests.support.tcp_proxy import tcp_proxy


async def two(nodes: RedisNodes) -> tuple[Backend, Backend]:
    return await nodes.node("one"), await nodes.node("two")


async def test_a_change_that_redis_carries_out_late_is_harmless(redis: RedisServer, tmp_path: Path) -> None:
    """The node gave the change up; another node went on from the same version."""
    async with tcp_proxy(redis.port) as proxy, redis_nodes(proxy.url, tmp_path) as nodes:
        one = await nodes.node("one")
        await commit(one.store, new_room())
        proxy.freeze()
        assert isinstance(await commit(one.store, next_version(2, data=b"late")), Unavailable)
        async with redis_nodes(redis, tmp_path) as others:
            other = await others.node("two")
            assert await commit(other.store, next_version(2, data=b"first")) == Stored(2)
            proxy.thaw()
            for _ in range(20):
                room = await other.store.load("r1")
                assert room is not None
                assert room.data == b"first"


async def test_a_holder_without_a_connection_is_dropped(nodes: RedisNodes, redis: RedisServer, prefix: str) -> None:
    """It reads everything again once it is back. Until then, each change would be published for nobody."""
    one, other = await two(nodes)
    await commit(one.store, new_room())
    for node in (one, other):
        await node.store.hold("r1")
    assert redis.command("HGET", f"{prefix}room:r1", "h") == "one two"
    await other.store.close()
    async with asyncio.timeout(WAIT_S):
        while redis.command("PUBSUB", "NUMSUB", f"{prefix}in:two") != [f"{prefix}in:two", 0]:  # noqa: ASYNC110 - Redis tells nobody
            await asyncio.sleep(0.01)
    await commit(one.store, next_version(2))
    assert redis.command("HGET", f"{prefix}room:r1", "h") == "one"


async def test_redis_keeps_the_lines_that_it_loads(nodes: RedisNodes, redis: RedisServer, prefix: str) -> None:
    """Older chat lines do not stay in memory."""
    one = await nodes.node("one")
    await commit(one.store, new_room())
    await commit_all(one.store, [chat(1)] * 103)
    assert redis.command("LLEN", f"{prefix}lines:r1") == 100


async def test_a_rejected_write_leaves_nothing_half_done(farm: RedisFarm, tmp_path: Path) -> None:
    """Redis has no memory left in the middle of the work."""
    redis = farm.server(appendonly="no")
    async with redis_nodes(redis, tmp_path) as nodes:
        one = await nodes.node("one")
        await commit(one.store, new_room())
        before = redis_contents(redis, tmp_path)
        redis.set("maxmemory", 1)
        change = next_version(
            2, index_entry=INDEX._replace(players=("p_ben",)), command=("p_ben", "c1"), records=((1, b"game"),)
        )
        answer = await commit(one.store, change)
        assert isinstance(answer, Unavailable)
        assert "no memory left" in answer.reason
        assert redis_contents(redis, tmp_path) == before
        redis.set("maxmemory", 0)
        assert await commit(one.store, change) == Stored(2)


async def test_few_departures_are_stored(nodes: RedisNodes) -> None:
    """Of the spectators who left a room, at most 128 are stored. When its players left stays."""
    one, _ = await two(nodes)
    await commit(one.store, new_room())
    await one.store.hold("r1")
    for number in range(300):
        departed_ms = {"p_ann": 500} if number == 0 else {f"p_{number}": 600}
        nodes.reporters["one"].send(PresenceReport("r1", "one", Attendance(0, 0, {}), departed_ms, 600))
    (listed,) = await one.store.newest(1)
    assert listed.presence is not None
    departed_ms = dict(listed.presence.departed_ms)
    assert departed_ms["p_ann"] == 500
    assert 1 < len(departed_ms) <= 129
    assert departed_ms["p_299"] == 600
