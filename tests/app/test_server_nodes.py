"""Two nodes in processes of their own play the same rooms over one Redis."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from typing import NamedTuple

import aiohttp
import pytest

from noughts import command_line
from tests.support.player import WAIT_S, Api, Socket, enter, friends_room, guest
from tests.support.redis_server import RedisServer, redis_farm
from tests.support.rooms import engine_room, until_crowd
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


class Game(NamedTuple):
    """Ann at X on one node and Ben at O on the other, a spectator on each."""

    id: str
    ann: Api
    ben: Api
    x: Socket
    o: Socket
    spectators: tuple[Socket, Socket]


@asynccontextmanager
async def game_across(cluster: Cluster) -> AsyncIterator[Game]:
    ann, ben = await guest(cluster.one.url, "Ann"), await guest(cluster.two.url, "Ben")
    answer = await friends_room(cluster.one, ann)
    room = answer["room"]["id"]
    async with AsyncExitStack() as stack:
        x = await stack.enter_async_context(enter(cluster.one, room, ann))
        o = await stack.enter_async_context(enter(cluster.two, room, ben))
        await o.ok("sit", mark="O", invite=answer["invite"])
        await x.until_room(lambda view: view["phase"] == "playing")
        spectators = [await stack.enter_async_context(enter(node, room)) for node in (cluster.one, cluster.two)]
        yield Game(room, ann, ben, x, o, (spectators[0], spectators[1]))


async def test_a_game_is_played_across_nodes(cluster: Cluster) -> None:
    """Everybody on both nodes sees each move, chat line and name, and an id sent again is known to every node."""
    async with game_across(cluster) as game:
        answer = await game.x.ok("move", id="first", game=1, ply=0, cell="b2")
        await game.o.until_room(lambda room: len(room["game"]["moves"]) == 1)
        async with enter(cluster.two, game.id, game.ann) as elsewhere:
            assert await elsewhere.ask("move", id="first", game=1, ply=0, cell="b2") == answer
        for socket, cell in ((game.o, "a1"), (game.x, "a2"), (game.o, "c3"), (game.x, "c2")):
            await socket.until_room(lambda room, mark=socket.you["mark"]: room["game"]["turn"] == mark)  # type: ignore[misc]
            await socket.move(cell)
        for socket in (game.o, *game.spectators):
            room = await socket.until_room(lambda room: room["game"]["outcome"] is not None)
            assert room["game"]["outcome"]["winner"] == "X"
        await game.x.ok("chat", text="well played")
        for socket in (game.o, *game.spectators):
            line = await socket.until(lambda message: message["type"] == "chat" and "well played" in str(message))
            assert "Ann" in str(line)
        crowd = await until_crowd(game.spectators[1], lambda crowd: crowd["spectators"] >= 2)
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
    async with game_across(cluster) as game:
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


async def test_players_of_a_killed_node_are_away(cluster: Cluster) -> None:
    """Within five seconds. They go on at the other node, and so does their engine."""
    loop = asyncio.get_running_loop()
    async with game_across(cluster) as game:
        answer = await engine_room(cluster.one, game.ann)
        cluster.one.kill()
        began_s = loop.time()
        await until_crowd(game.o, lambda crowd: not crowd["seats"]["X"]["present"])
        assert loop.time() - began_s < 5.0
        ann = Api(cluster.two.url, game.ann.token, game.ann.player)
        async with enter(cluster.two, game.id, ann) as back, enter(cluster.two, answer["room"]["id"], ann) as other:
            await back.move("b2")
            await game.o.until_room(lambda room: len(room["game"]["moves"]) == 1)
            await other.move("b2")
            await other.until_room(lambda room: len(room["game"]["moves"]) == 2)
    cluster.one.start()


async def test_play_goes_on_after_redis_was_killed(cluster: Cluster) -> None:
    """Commands are rejected meanwhile; no acknowledged move is lost."""
    loop = asyncio.get_running_loop()
    async with game_across(cluster) as game:
        await game.x.move("b2")
        await game.o.until_room(lambda room: len(room["game"]["moves"]) == 1)
        cluster.redis.kill()
        began_s = loop.time()
        assert await game.o.rejected("move", id="again", game=1, ply=1, cell="a1") == "unavailable"
        assert loop.time() - began_s < 1.5
        cluster.redis.start()
        began_s = loop.time()
        async with asyncio.timeout(WAIT_S):
            again = {"id": "again", "game": 1, "ply": 1, "cell": "a1"}
            while (await game.o.ask("move", **again))["type"] != "ok":  # noqa: ASYNC110 - the answer shows it
                await asyncio.sleep(0.05)
        assert loop.time() - began_s < 2.0
        room = await game.x.until_room(lambda room: len(room["game"]["moves"]) == 2)
        assert [move["cell"] if isinstance(move, dict) else move for move in room["game"]["moves"]] == ["b2", "a1"]


async def test_a_paused_redis_is_told_in_time(cluster: Cluster) -> None:
    loop = asyncio.get_running_loop()
    async with game_across(cluster) as game:
        cluster.redis.pause()
        began_s = loop.time()
        assert await game.x.rejected("move", id="late", game=1, ply=0, cell="b2") == "unavailable"
        assert loop.time() - began_s < 1.6
        cluster.redis.resume()
        async with asyncio.timeout(WAIT_S):
            late = {"id": "late", "game": 1, "ply": 0, "cell": "b2"}
            while (await game.x.ask("move", **late))["type"] != "ok":  # noqa: ASYNC110 - the answer shows it
                await asyncio.sleep(0.05)
        room = await game.o.until_room(lambda room: len(room["game"]["moves"]) == 1)
        assert len(room["game"]["moves"]) == 1
