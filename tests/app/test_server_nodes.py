"""Two nodes in processes of their own play the same rooms over one Redis."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack
from typing import NamedTuple

import aiohttp
import pytest

from noughts import command_line
from tests.support.player import Api, enter, friends_room
from tests.support.redis_server import RedisServer, redis_farm
from tests.support.rooms import pair, until_crowd
from tests.support.server import QUICK, RunningServer


class Cluster(NamedTuple):
    """A Redis and two nodes."""

    redis: RedisServer
    one: RunningServer
    two: RunningServer


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    directory = tmp_path_factory.mktemp("nodes")
    with redis_farm(directory / "redis") as farm, ExitStack() as stack:
        redis = farm.server()
        settings = {**QUICK, "NOUGHTS_STORE": redis.url, "NOUGHTS_WORKERS": "1"}
        nodes = [RunningServer(directory / "data", settings) for _ in range(2)]
        for node in nodes:
            stack.callback(node.kill)
            node.start()
        yield Cluster(redis, *nodes)
        for node in nodes:
            assert node.stop() == 0
            assert "Traceback" not in node.log, node.log


async def test_a_game_is_played_across_nodes(cluster: Cluster) -> None:
    """Everybody on both nodes sees each move, chat line and name, and an id sent again is known to every node."""
    async with pair(cluster.one, cluster.two) as game, AsyncExitStack() as stack:
        spectators = [await stack.enter_async_context(enter(node, game.id)) for node in (cluster.one, cluster.two)]
        answer = await game.x.ok("move", id="first", game=1, ply=0, cell="b2")
        await game.o.until_room(lambda room: len(room["game"]["moves"]) == 1)
        async with enter(cluster.two, game.id, game.ann) as elsewhere:
            assert await elsewhere.ask("move", id="first", game=1, ply=0, cell="b2") == answer
        for socket, cell in ((game.o, "a1"), (game.x, "a2"), (game.o, "c3"), (game.x, "c2")):
            await socket.until_room(lambda room, mark=socket.you["mark"]: room["game"]["turn"] == mark)  # type: ignore[misc]
            await socket.move(cell)
        for socket in (game.o, *spectators):
            room = await socket.until_room(lambda room: room["game"]["outcome"] is not None)
            assert room["game"]["outcome"]["winner"] == "X"
        await game.x.ok("chat", text="well played")
        for socket in (game.o, *spectators):
            line = await socket.until(lambda message: message["type"] == "chat" and "well played" in str(message))
            assert "Ann" in str(line)
        crowd = await until_crowd(spectators[1], lambda crowd: crowd["spectators"] >= 2)
        assert crowd["spectators"] >= 2


async def test_each_node_reports_on_redis_and_on_the_others(cluster: Cluster) -> None:
    """In its log, its readiness and its metrics."""
    for node in (cluster.one, cluster.two):
        assert "append-only file, fsync always" in node.log
        ready = await Api(node.url).get("/readyz")
        assert ready["status"] == "ready"
        assert "append-only file, fsync always" in ready["guarantee"]
        assert "weakness" not in ready
        async with aiohttp.ClientSession() as session, session.get(node.url + "/metrics") as response:
            metrics = await response.text()
        assert "\nnoughts_nodes 2.0\n" in metrics
        assert "\nnoughts_store_connects_total 0.0\n" not in metrics
        assert "\nnoughts_heartbeats_total 0.0\n" not in metrics


async def test_admin_commands_work_through_any_node(cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    """The nodes of one machine have a secret each in one directory."""
    for node in (cluster.one, cluster.two):
        assert (node.data / f"admin-{node.port}.json").exists()
    async with pair(cluster.one, cluster.two) as game:
        for command in ("nodes", "rooms"):
            assert await asyncio.to_thread(command_line.main, [command, "--data", str(cluster.one.data)]) == 0
        text = capsys.readouterr().out
        assert text.count("append-only file, fsync always") == 2
        assert game.id in text
        for node, room in (
            (cluster.one, game.id),
            (cluster.two, (await friends_room(cluster.one, game.ann))["room"]["id"]),
        ):
            secret = json.loads((node.data / f"admin-{node.port}.json").read_text())
            operator = Api(secret["url"], secret["token"])
            assert await operator.post(f"/admin/rooms/{room}/close") == {"closed": room}
        assert await game.o.closed() == 4410
