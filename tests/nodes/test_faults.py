"""Two nodes play the same rooms through faults of Redis, of their links, and of themselves.

After each fault, every acknowledged command is looked for, and every id is sent again through both nodes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from typing import Final

import pytest

from tests.support.node_load import node_load
from tests.support.node_processes import Nodes
from tests.support.redis_server import RedisError, RedisServer

pytestmark = pytest.mark.asyncio(loop_scope="module")

FAULT_S: Final = 1.5
TOLD_S: Final = 1.5
"""Within this time, a command that cannot be stored is answered ``unavailable``."""
SLACK_S: Final = 1.0
"""What a busy machine may add to each time."""
LEASE_S: Final = 3.0


async def test_redis_is_killed_and_restarted(nodes: Nodes) -> None:
    async with node_load(nodes.both) as load:
        nodes.redis.kill()
        await asyncio.sleep(FAULT_S)
        nodes.redis.start()
        assert await load.played() < 1.0 + SLACK_S
    assert load.longest_s < TOLD_S + SLACK_S


async def test_redis_is_paused(nodes: Nodes) -> None:
    async with node_load(nodes.both) as load:
        nodes.redis.pause()
        await asyncio.sleep(FAULT_S)
        nodes.redis.resume()
        assert await load.played() < 2.0 + SLACK_S
    assert load.longest_s < TOLD_S + SLACK_S


async def test_a_link_freezes(nodes: Nodes) -> None:
    """For longer than the lease of a node: the late writes of this node fail, and it takes part again."""
    async with node_load(nodes.both) as load:
        nodes.proxy.freeze()
        await asyncio.sleep(LEASE_S + 1.0)
        nodes.proxy.thaw()
        assert await load.played() < 2.0 + SLACK_S
    assert load.longest_s < TOLD_S + SLACK_S


async def test_a_link_is_cut(nodes: Nodes) -> None:
    async with node_load(nodes.both) as load:
        nodes.proxy.cut()
        await asyncio.sleep(FAULT_S)
        nodes.proxy.mend()
        assert await load.played() < 2.0 + SLACK_S
    assert load.longest_s < TOLD_S + SLACK_S


async def test_answers_of_redis_are_dropped(nodes: Nodes) -> None:
    """What Redis did is unknown to the node, and is not done again when its id is."""
    async with node_load(nodes.both) as load:
        nodes.proxy.drops_answers = True
        await asyncio.sleep(FAULT_S)
        nodes.proxy.mend()
        assert await load.played() < 2.0 + SLACK_S
    assert load.longest_s < TOLD_S + SLACK_S


async def test_all_connections_to_redis_are_killed(nodes: Nodes) -> None:
    async with node_load(nodes.both) as load:
        for _ in range(5):
            for kind in ("pubsub", "normal"):
                nodes.redis.command("CLIENT", "KILL", "TYPE", kind)
            await asyncio.sleep(0.1)
        assert await load.played() < 1.0 + SLACK_S
    assert load.longest_s < TOLD_S + SLACK_S


async def test_redis_rejects_changes(nodes: Nodes) -> None:
    """It has forgotten the scripts, has no memory or disk, has too few replicas, and is a replica for a while."""
    redis = nodes.redis
    async with node_load(nodes.both) as load:
        redis.command("SCRIPT", "FLUSH")
        assert await load.played() < 1.0 + SLACK_S
        for setting, value, normal in (("maxmemory", 1, 0), ("min-replicas-to-write", 1, 0)):
            redis.set(setting, value)
            await asyncio.sleep(0.5)
            redis.set(setting, normal)
            assert await load.played() < 2.0 + SLACK_S
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
        assert await load.played() < 2.0 + SLACK_S
        redis.command("REPLICAOF", "127.0.0.1", "1")
        await asyncio.sleep(0.5)
        redis.command("REPLICAOF", "NO", "ONE")
        assert await load.played() < 2.0 + SLACK_S
    assert load.longest_s < TOLD_S + SLACK_S


async def test_redis_is_slow_to_read_its_data(nodes: Nodes) -> None:
    """It is restarted, accepts connections, and rejects every command until it has read its file."""
    fill = "for number = 1, 2500 do redis.call('SET', 'fill:' .. number, string.rep('x', 2000)) end"
    nodes.redis.command("EVAL", fill, 0)
    async with node_load(nodes.both) as load:
        nodes.redis.kill()
        nodes.redis.settings |= {"key-load-delay": "1000", "loading-process-events-interval-bytes": "1024"}
        starting = asyncio.ensure_future(asyncio.to_thread(nodes.redis.start))
        while "LOADING" not in rejection(nodes.redis):
            assert not starting.done(), "Redis was never seen to read its file"
            await asyncio.sleep(0.02)
        await starting
        assert await load.played() < 1.0 + SLACK_S
    assert load.longest_s < TOLD_S + SLACK_S
    nodes.redis.settings["key-load-delay"] = "0"
    nodes.redis.command("EVAL", "for number = 1, 2500 do redis.call('DEL', 'fill:' .. number) end", 0)


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
    async with node_load(nodes.both) as load:
        nodes.two.kill()
        assert await load.played() < 5.0
        await asyncio.to_thread(nodes.two.start)
        await load.played()


async def test_a_node_stops_and_continues(nodes: Nodes) -> None:
    """It is given up meanwhile, so its late writes fail."""
    async with node_load(nodes.both) as load:
        load.silence_expected = True
        os.kill(nodes.two.pid, signal.SIGSTOP)
        await asyncio.sleep(LEASE_S + 1.0)
        os.kill(nodes.two.pid, signal.SIGCONT)
        await load.played()


async def test_nodes_restart_in_turn(nodes: Nodes) -> None:
    """Each closes its connections with 1012 and ends within three seconds."""
    async with node_load(nodes.both) as load:
        for node in nodes.both:
            began_s = time.monotonic()
            assert await asyncio.to_thread(node.stop) == 0
            assert time.monotonic() - began_s < 3.0 + SLACK_S
            await asyncio.to_thread(node.start)
            await load.played()
    assert {code for player in load.players for code in player.closed} == {1012}
