"""Beats, leases, the store's time and downtime in Redis, and what a node does about a Redis that it cannot use."""

from __future__ import annotations

import asyncio

import pytest

from noughts.room.downtime import Downtime
from noughts.store.contract import GAP_MS, MAX_DOWNTIMES, StoreUnavailableError
from noughts.store.machine_store import Stored, Unavailable
from noughts.store.presence import LEASE_MS, Attendance, PresenceReport
from noughts.store.relay import Message, NodeDied, Reconnected
from tests.support.commits import commit, new_room, next_version
from tests.support.player import WAIT_S
from tests.support.redis_server import RedisServer
from tests.support.redis_stores import RedisNodes, status_of

HOUR_MS = 3_600_000


def age(redis: RedisServer, prefix: str, node: str, by_ms: int) -> int:
    """Make the last beat of a node older. Return its time."""
    beat_ms = int(redis.command("HGET", f"{prefix}nodes", node)) - by_ms
    redis.command("HSET", f"{prefix}nodes", node, beat_ms)
    return beat_ms


def turn_clock(redis: RedisServer, prefix: str, by_ms: int) -> int:
    """Make the newest beat older or newer, as another primary's clock would. Return its time."""
    newest_ms = int(redis.command("GET", f"{prefix}clock")) + by_ms
    redis.command("SET", f"{prefix}clock", newest_ms)
    return newest_ms


async def next_message(nodes: RedisNodes, number: int) -> Message:
    async with asyncio.timeout(10.0):
        return await nodes.backends[number].relay.received()


# --- leases -----------------------------------------------------------------------------------------------------------


async def test_a_node_whose_beats_stop_is_given_up(nodes: RedisNodes, redis: RedisServer, prefix: str) -> None:
    """Its changes fail, the others learn of its end, and its players left at its last beat. Its next beat joins again."""
    one, two = await nodes.node("one"), await nodes.node("two")
    await commit(one.store, new_room())
    for node in (one, two):
        await node.store.hold("r1")
    nodes.reporters["one"].send(PresenceReport("r1", "one", Attendance(1, 0, {"p_ann": "Ann"}), {}, 0))
    assert isinstance(await next_message(nodes, 1), PresenceReport)
    age(redis, prefix, "one", LEASE_MS // 2)
    assert len((await two.store.beat(status_of("two"), 0)).nodes) == 2
    beat_ms = age(redis, prefix, "one", LEASE_MS)
    assert (await two.store.beat(status_of("two"), 0)).nodes == (status_of("two"),)
    assert await next_message(nodes, 1) == NodeDied("one", beat_ms)
    held = await two.store.hold("r1")
    assert held is not None
    assert held.presence is not None
    assert held.presence.reports == {}
    assert (held.presence.departed_ms, held.presence.last_left_ms) == ({"p_ann": beat_ms}, beat_ms)
    answer = await commit(one.store, next_version(2))
    assert isinstance(answer, Unavailable)
    assert "no beat for too long" in answer.reason
    with pytest.raises(StoreUnavailableError, match="no beat"):
        await one.store.hold("r1")
    await one.store.beat(status_of("one"), 0)
    assert isinstance(await next_message(nodes, 0), Reconnected)
    assert await commit(one.store, next_version(2)) == Stored(2)


async def test_a_node_that_ends_says_so_at_once(nodes: RedisNodes, redis: RedisServer, prefix: str) -> None:
    """Its players leave then, in all its rooms. The next node that holds a room clears the report of that node away."""
    one, two = await nodes.node("one"), await nodes.node("two")
    await commit(one.store, new_room())
    for node in (one, two):
        await node.store.hold("r1")
    nodes.reporters["one"].send(PresenceReport("r1", "one", Attendance(2, 1, {"p_ann": "Ann"}), {}, 0))
    assert isinstance(await next_message(nodes, 1), PresenceReport)
    await one.store.close()
    message = await next_message(nodes, 1)
    assert isinstance(message, NodeDied)
    (listed,) = await two.store.newest(1)
    held = await two.store.hold("r1")
    assert held is not None
    for presence in (listed.presence, held.presence):
        assert presence is not None
        assert presence.reports == {}
        assert (presence.departed_ms, presence.last_left_ms) == ({"p_ann": message.end_ms}, message.end_ms)
    assert sorted(redis.command("HKEYS", f"{prefix}here:r1")) == ["d:p_ann", "l", "s"]


async def test_old_ends_of_nodes_are_deleted(nodes: RedisNodes, redis: RedisServer, prefix: str) -> None:
    one, two = await nodes.node("one"), await nodes.node("two")
    ends = [word for number in range(1_000) for word in (f"old{number}", 1_000)]
    redis.command("HSET", f"{prefix}dead", *ends)
    recent_ms = int(redis.command("GET", f"{prefix}clock"))
    redis.command("HSET", f"{prefix}dead", "recent", recent_ms)
    await one.store.close()
    await two.store.beat(status_of("two"), 0)
    assert sorted(redis.command("HKEYS", f"{prefix}dead")) == ["one", "recent"]


async def test_a_dead_node_holds_no_room(nodes: RedisNodes, redis: RedisServer, prefix: str) -> None:
    """Its rooms are claimed by those that poll."""
    one, two = await nodes.node("one"), await nodes.node("two")
    await commit(one.store, new_room())
    await one.store.hold("r1")
    assert list(await two.store.claim_due(0, 10, 0)) == []
    age(redis, prefix, "one", LEASE_MS + 500)
    await two.store.beat(status_of("two"), 0)
    assert list(await two.store.claim_due(0, 10, 60_000)) != []
    assert list(await two.store.claim_due(0, 10, 60_000)) == []


async def test_each_player_is_counted_once(nodes: RedisNodes, redis: RedisServer, prefix: str) -> None:
    """On all nodes that live. A node that comes back reports its players again."""
    one, two = await nodes.node("one"), await nodes.node("two")
    for players, count in (({"ann", "ben"}, 2), ({"ann", "ben"}, 2), ({"ben"}, 1), ({"ben", "cat"}, 2)):
        assert (await one.store.beat(status_of("one"), 0, players)).players == count
    assert (await two.store.beat(status_of("two"), 0, {"ben", "dan"})).players == 3
    assert (await one.store.beat(status_of("one"), 0, set())).players == 2
    assert (await one.store.beat(status_of("one"), 0, {"cat"})).players == 3
    age(redis, prefix, "one", LEASE_MS + 500)
    assert (await two.store.beat(status_of("two"), 0, {"ben", "dan"})).players == 2
    for _ in range(2):  # it hears that it was given up, then sends all players
        pulse = await one.store.beat(status_of("one"), 0, {"cat"})
    assert pulse.players == 3
    await one.store.close()
    assert (await two.store.beat(status_of("two"), 0, set())).players == 0
    assert redis.keys(f"{prefix}online*") == []


# --- time and downtime ------------------------------------------------------------------------------------------------


async def test_time_comes_from_redis(nodes: RedisNodes, redis: RedisServer) -> None:
    """Whatever a node's own clock says."""
    one = await nodes.node("one")
    pulse = await one.store.beat(status_of("one"), 5)
    seconds, micros = redis.command("TIME")
    assert abs(pulse.now_ms - int(seconds) * 1000 - int(micros) // 1000) < 2_000


async def test_a_gap_without_any_beat_is_downtime_once(nodes: RedisNodes, redis: RedisServer, prefix: str) -> None:
    """Every node sees the same list, and nobody is given up for the time in which no node could beat."""
    one, two = await nodes.node("one"), await nodes.node("two")
    turn_clock(redis, prefix, -GAP_MS // 2)
    assert (await one.store.beat(status_of("one"), 0)).downtimes == ()
    for name in ("one", "two"):
        age(redis, prefix, name, 60_000)
    newest_ms = turn_clock(redis, prefix, -60_000)
    pulse = await one.store.beat(status_of("one"), 0)
    assert pulse.downtimes == (Downtime(newest_ms, pulse.now_ms),)
    assert len(pulse.nodes) == 2
    for node, name in ((two, "two"), (one, "one"), (two, "two")):
        assert (await node.store.beat(status_of(name), 0)).downtimes == pulse.downtimes
    assert isinstance(await commit(two.store, new_room()), Stored)


async def test_redis_keeps_the_newest_downtimes_only(nodes: RedisNodes, redis: RedisServer, prefix: str) -> None:
    """A server that comes and goes for years fills no list."""
    one = await nodes.node("one")
    redis.command("RPUSH", f"{prefix}downtimes", *[f"{at} {at + 1}" for at in range(MAX_DOWNTIMES)])
    turn_clock(redis, prefix, -60_000)
    await one.store.beat(status_of("one"), 0)
    assert redis.command("LLEN", f"{prefix}downtimes") == MAX_DOWNTIMES
    assert redis.command("LINDEX", f"{prefix}downtimes", 0) == "1 2"


async def test_time_never_goes_backwards(nodes: RedisNodes, redis: RedisServer, prefix: str) -> None:
    """The clock of the new primary is an hour behind. Time goes on, and does not stand still for an hour."""
    one = await nodes.node("one")
    before_ms = turn_clock(redis, prefix, HOUR_MS)
    first = await one.store.beat(status_of("one"), 0)
    assert first.now_ms >= before_ms
    async with asyncio.timeout(WAIT_S):
        while (second := await one.store.beat(status_of("one"), 0)).now_ms == first.now_ms:
            pass
    assert first.now_ms < second.now_ms < first.now_ms + HOUR_MS
    assert second.downtimes == ()
    await commit(one.store, new_room())
    (listed,) = await one.store.newest(1)
    assert listed.presence is not None
    assert listed.presence.since_ms >= before_ms
