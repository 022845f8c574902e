"""Games of days over two nodes: one of them sends each notice, and ends the game."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from noughts.store.kinds import ROOM
from noughts.store.redis.backend import redis_backend
from tests.support.node_processes import node_processes
from tests.support.player import enter
from tests.support.push_service import PushService
from tests.support.redis_server import RedisFarm
from tests.support.redis_stores import address_of, connect
from tests.support.server import RunningServer
from tests.support.waiting_rooms import plies_sent, shorten, until_flag, waiting_room


@asynccontextmanager
async def two_nodes(farm: RedisFarm, directory: Path) -> AsyncIterator[tuple[PushService, list[RunningServer], str]]:
    """Start two nodes that may post to a push service. Yield them with the URL of their Redis."""
    redis = farm.server()
    async with (
        PushService(directory) as service,
        node_processes(directory, [redis.url] * 2, service.settings()) as nodes,
    ):
        yield service, nodes, redis.url


@pytest.mark.long
async def test_one_node_sends_each_notice(farm: RedisFarm, tmp_path: Path) -> None:
    """None while the other node has the page visible, and none for a turn that was answered at the other node."""
    async with two_nodes(farm, tmp_path) as (service, (one, two), _):
        room = await waiting_room(one, service)
        seen = await waiting_room(two, service, "p/2")
        await room.move(one, "b2")
        async with enter(one, seen.id, seen.ben) as first, enter(two, seen.id, seen.ben) as second:
            await first.ok("visible", visible=False)
            await seen.move(one, "b2")
            await second.until_room(lambda view: view["game"]["turn"] == "O")
            await service.wait(1)
            await room.move(two, "a1", "O")
            await room.move(one, "c1")  # its notice waits, because another one of this room was just sent
            await room.move(two, "a3", "O")
            await room.move(one, "c3")
            await service.wait(2, 20.0)
            assert plies_sent(service, "p/2", seen.browser) == {}
            await second.ok("visible", visible=False)
            await service.wait(3)
        assert plies_sent(service, "p/1", room.browser) == {(1, False): 1, (5, False): 1}
        assert plies_sent(service, "p/2", seen.browser) == {(1, False): 1}


@pytest.mark.long
async def test_another_node_goes_on_for_one_that_was_killed(farm: RedisFarm, tmp_path: Path) -> None:
    """It sends the notice that the dead node had not sent, and ends the game within two seconds of its time."""
    async with two_nodes(farm, tmp_path) as (service, (one, two), url):
        room = await waiting_room(two, service)
        await room.move(one, "b2")
        one.kill()
        (post,) = await service.wait(1, 30.0)
        assert json.loads(room.browser.decrypt(post.body))["ply"] == 1
        backend = redis_backend(address_of(url), "test")
        await connect(backend.store)
        await shorten(backend.store.machines(ROOM), room.id, 4_000)
        await backend.store.close()
        await until_flag(two, room.id)
