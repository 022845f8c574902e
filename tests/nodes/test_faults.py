"""Two nodes play the same rooms through faults of Redis, of their links, and of themselves.

After each fault, every acknowledged command is looked for, and every id is sent again through both nodes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Final, NamedTuple

import pytest

from tests.support.ledger import load_on
from tests.support.node_processes import Nodes
from tests.support.player import enter
from tests.support.redis_server import RedisError, RedisServer
from tests.support.rooms import engine_room, pair, until_crowd

pytestmark = pytest.mark.asyncio(loop_scope="module")

FAULT_S: Final = 1.5
REPORTED_S: Final = 1.5
"""Within this time, a command that cannot be stored is answered ``unavailable``."""
SLACK_S: Final = 1.0
"""What a busy machine may add to each time."""
LEASE_S: Final = 3.0
LONG_PACE_S: Final = 0.3
"""How long a player thinks so that a game outlasts the starts of nodes, also on a busy machine."""


class Fault(NamedTuple):
    """A fault of Redis or of a link. Play continues within ``back_s`` after its end."""

    begin: Callable[[Nodes], object]
    end: Callable[[Nodes], object]
    back_s: float
    lasts_s: float = FAULT_S


def drop_answers(nodes: Nodes) -> None:
    """Drop what Redis answers the second node. What Redis did is unknown to this node."""
    nodes.proxy.drops_answers = True


FAULTS: Final = {
    "redis_is_killed": Fault(lambda nodes: nodes.redis.kill(), lambda nodes: nodes.redis.start(), 1.0),
    "redis_is_paused": Fault(lambda nodes: nodes.redis.pause(), lambda nodes: nodes.redis.resume(), 2.0),
    # For longer than the lease of a node: the late writes of this node fail, and it takes part again.
    "a_link_freezes": Fault(lambda nodes: nodes.proxy.freeze(), lambda nodes: nodes.proxy.thaw(), 2.0, LEASE_S + 1.0),
    "a_link_is_cut": Fault(lambda nodes: nodes.proxy.cut(), lambda nodes: nodes.proxy.mend(), 2.0),
    "answers_are_dropped": Fault(drop_answers, lambda nodes: nodes.proxy.mend(), 2.0),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_play_continues_after_a_fault(nodes: Nodes, name: str) -> None:
    """Commands that cannot be stored meanwhile are answered in time."""
    fault = FAULTS[name]
    async with load_on(nodes.both) as load:
        fault.begin(nodes)
        await asyncio.sleep(fault.lasts_s)
        fault.end(nodes)
        assert await load.everybody() < fault.back_s + SLACK_S
    assert load.longest_s < REPORTED_S + SLACK_S


async def test_all_connections_to_redis_are_killed(nodes: Nodes) -> None:
    async with load_on(nodes.both) as load:
        for _ in range(5):
            for kind in ("pubsub", "normal"):
                nodes.redis.command("CLIENT", "KILL", "TYPE", kind)
            await asyncio.sleep(0.1)
        assert await load.everybody() < 1.0 + SLACK_S
    assert load.longest_s < REPORTED_S + SLACK_S


async def test_redis_rejects_changes(nodes: Nodes) -> None:
    """It has forgotten the scripts, has no memory or disk, has too few replicas, and is a replica for a while."""
    redis = nodes.redis
    async with load_on(nodes.both) as load:
        redis.command("SCRIPT", "FLUSH")
        assert await load.everybody() < 1.0 + SLACK_S
        for setting, value, normal in (("maxmemory", 1, 0), ("min-replicas-to-write", 1, 0)):
            redis.set(setting, value)
            await asyncio.sleep(0.5)
            redis.set(setting, normal)
            assert await load.everybody() < 2.0 + SLACK_S
        redis.set("save", "3600 1")
        snapshot = redis.directory / "dump.rdb"
        snapshot.mkdir()  # a snapshot cannot replace a directory
        redis.command("BGSAVE")
        while "rdb_last_bgsave_status:err" not in redis.command("INFO", "persistence"):  # noqa: ASYNC110 - Redis tells nobody
            await asyncio.sleep(0.02)
        with pytest.raises(RedisError, match="MISCONF"):
            redis.command("SET", "any", "thing")
        await asyncio.sleep(0.5)
        snapshot.rmdir()
        redis.set("save", "")
        assert await load.everybody() < 2.0 + SLACK_S
        redis.command("REPLICAOF", "127.0.0.1", "1")
        await asyncio.sleep(0.5)
        redis.command("REPLICAOF", "NO", "ONE")
        assert await load.everybody() < 2.0 + SLACK_S
    assert load.longest_s < REPORTED_S + SLACK_S


async def test_redis_is_slow_to_read_its_data(nodes: Nodes) -> None:
    """It is restarted, accepts connections, and rejects every command until it has read its file."""
    fill = "for number = 1, 1200 do redis.call('SET', 'fill:' .. number, string.rep('x', 2000)) end"
    nodes.redis.command("EVAL", fill, 0)
    async with load_on(nodes.both) as load:
        nodes.redis.kill()
        nodes.redis.settings |= {"key-load-delay": "400", "loading-process-events-interval-bytes": "1024"}
        starting = asyncio.ensure_future(asyncio.to_thread(nodes.redis.start))
        while "LOADING" not in rejection(nodes.redis):
            assert not starting.done(), "Redis was never seen to read its file"
            await asyncio.sleep(0.02)
        await starting
        await load.everybody()
    nodes.redis.settings["key-load-delay"] = "0"
    nodes.redis.command("EVAL", "for number = 1, 1200 do redis.call('DEL', 'fill:' .. number) end", 0)


def rejection(redis: RedisServer) -> str:
    """Return what a Redis says to a read that it rejects, nothing if it answers or is away."""
    try:
        redis.command("GET", "fill:1")
    except RedisError as error:
        return str(error)
    except OSError:
        pass
    return ""


async def test_a_node_is_killed(nodes: Nodes) -> None:
    async with load_on(nodes.both) as load:
        load.pace_s = LONG_PACE_S
        nodes.two.kill()
        assert await load.everybody() < 5.0
        await asyncio.to_thread(nodes.two.start)
        await load.everybody()


async def test_players_and_engines_of_a_killed_node(nodes: Nodes) -> None:
    """Its players show as away and go on elsewhere, and its engines move, within five seconds."""
    async with pair(nodes.one, nodes.two) as game, AsyncExitStack() as stack:
        x = game.x
        await until_crowd(x, lambda crowd: crowd["seats"]["O"] is not None and crowd["seats"]["O"]["present"])
        against_engines = []
        for _ in range(6):
            other = (await engine_room(nodes.one, game.ann))["room"]["id"]
            against_engines.append(await stack.enter_async_context(enter(nodes.one, other, game.ann)))
            await stack.enter_async_context(enter(nodes.two, other))
        for player in against_engines:
            await until_crowd(player, lambda crowd: crowd["spectators"] == 1)  # from now on, both nodes know the keeper
        began_s = time.monotonic()
        nodes.two.kill()
        for player in against_engines:
            await player.move("b2")
        for player in against_engines:
            await player.until_room(lambda view: len(view["game"]["moves"]) == 2)
        await until_crowd(x, lambda crowd: not crowd["seats"]["O"]["present"])
        again = await stack.enter_async_context(enter(nodes.one, game.id, game.ben))
        await x.move("b2")
        await again.until_room(lambda view: len(view["game"]["moves"]) == 1)
        await again.move("a1")
        assert time.monotonic() - began_s < 5.0 + SLACK_S
        await asyncio.to_thread(nodes.two.start)


async def test_a_node_stops_and_continues(nodes: Nodes) -> None:
    """It is given up meanwhile, so its late writes fail."""
    async with load_on(nodes.both) as load:
        load.silence_expected = True
        os.kill(nodes.two.pid, signal.SIGSTOP)
        await asyncio.sleep(LEASE_S + 1.0)
        os.kill(nodes.two.pid, signal.SIGCONT)
        await load.everybody()


async def test_nodes_restart_in_turn(nodes: Nodes) -> None:
    """Each closes its connections with 1012 and ends within three seconds."""
    async with load_on(nodes.both) as load:
        load.pace_s = LONG_PACE_S
        for node in nodes.both:
            began_s = time.monotonic()
            assert await asyncio.to_thread(node.stop) == 0
            assert time.monotonic() - began_s < 3.0 + SLACK_S
            await asyncio.to_thread(node.start)
            await load.everybody()
    assert set(load.closed) == {1012}
