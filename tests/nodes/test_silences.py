"""Long silences, a node without Redis and a wrong clock, under load from rooms whose players sit on different nodes."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from noughts.app.node.heartbeat import CUT_OFF_S
from noughts.store.presence import LEASE_MS
from tests.support.ledger import load_on
from tests.support.node_processes import node_processes
from tests.support.player import WAIT_S, Api, enter, friends_room, guest
from tests.support.redis_server import RedisFarm, redis_farm
from tests.support.tcp_proxy import tcp_proxy

pytestmark = pytest.mark.long

SLACK_S: Final = 1.0
"""What a busy machine may add to each time."""


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[RedisFarm]:
    """Start servers for one test."""
    with redis_farm(tmp_path / "farm") as opened:
        yield opened


async def test_a_stopped_node_costs_its_players_no_time(farm: RedisFarm, tmp_path: Path) -> None:
    """The other node gave it up meanwhile. Its players get the time back in which it stood still."""
    redis = farm.server()
    async with node_processes(tmp_path, [redis.url] * 2) as (one, _):
        ann, ben = await guest(one.url, "Ann"), await guest(one.url, "Ben")
        answer = await friends_room(one, ann, clock={"mode": "move", "move_ms": 10_000})
        room = answer["room"]["id"]
        async with enter(one, room, ann) as x, enter(one, room, ben) as o:
            await o.ok("sit", mark="O", invite=answer["invite"])
            await x.until_room(lambda view: view["phase"] == "playing")
            await x.move("b2")
            await o.until_room(lambda view: len(view["game"]["moves"]) == 1)
            await o.move("a1")
            await x.until_room(lambda view: len(view["game"]["moves"]) == 2)
            os.kill(one.pid, signal.SIGSTOP)
            await asyncio.sleep(LEASE_MS / 1000 + 3.0)
            os.kill(one.pid, signal.SIGCONT)
            await asyncio.sleep(6.0)
            await x.move("c3")
            view = await x.until_room(lambda view: len(view["game"]["moves"]) == 3)
            assert view["phase"] == "playing"


async def test_a_node_that_is_cut_off_sends_its_players_away(farm: RedisFarm, tmp_path: Path) -> None:
    """They go on at the other node. A Redis that is full is full for both, so nobody is sent away then."""
    redis = farm.server()
    async with (
        tcp_proxy(redis.port) as proxy,
        node_processes(tmp_path, [redis.url, proxy.url]) as nodes,
        load_on(nodes) as load,
    ):
        redis.set("maxmemory", 1)
        await asyncio.sleep(CUT_OFF_S + 3.0)
        assert not load.closed
        redis.set("maxmemory", 0)
        assert await load.everybody() < 2.0 + SLACK_S
        proxy.freeze()
        await asyncio.sleep(CUT_OFF_S - 2.0)
        assert not load.closed
        await load.everybody()
        assert set(load.closed) == {1012}
        proxy.thaw()
        async with asyncio.timeout(WAIT_S):  # until its next beat, the node goes on closing connections
            while (await Api(nodes[1].url).call("GET", "/readyz"))[0] != 200:
                pass


async def test_redis_has_too_many_clients(farm: RedisFarm, tmp_path: Path) -> None:
    redis = farm.server()
    async with node_processes(tmp_path, [redis.url] * 2) as nodes, load_on(nodes) as load:
        with socket.create_connection(("127.0.0.1", redis.port)) as operator:
            operator.sendall(b"CONFIG SET maxclients 1\r\nCLIENT KILL TYPE pubsub\r\n")
            await asyncio.sleep(1.5)
            operator.sendall(b"CONFIG SET maxclients 1000\r\n")
            assert await load.everybody() < 2.0 + SLACK_S
        redis.set("client-output-buffer-limit", "pubsub 1 1 1")
        await asyncio.sleep(1.5)
        redis.set("client-output-buffer-limit", "pubsub 33554432 8388608 60")
        assert await load.everybody() < 2.0 + SLACK_S
