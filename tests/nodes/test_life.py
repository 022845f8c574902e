"""The life of a node: it starts without Redis, plays beside a node of another release, and is listed."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Final

import pytest

from noughts import __version__, command_line
from tests.support.node_processes import node_processes
from tests.support.player import WAIT_S, Api, enter, friends_room, guest
from tests.support.redis_server import RedisFarm
from tests.support.server import QUICK, RunningServer

OTHER_RELEASE: Final = """
import time
import noughts
from noughts.store.redis import scripts
noughts.__version__ = "9.9.9"
machine = time.time_ns
time.time_ns = lambda: machine() + 3600 * 10**9
text_of = scripts._file
scripts._file = lambda name: text_of(name) + "\\n-- another release\\n"
"""
"""What Python runs before the node: another version, scripts with another hash, and a clock that is an hour ahead."""
NOT_LISTED: Final = [""] * 5


async def test_a_node_starts_without_redis(farm: RedisFarm, tmp_path: Path) -> None:
    """It is alive and not ready, says why, and rejects what it cannot store. It is ready when Redis is there."""
    redis = farm.server()
    redis.kill()
    node = RunningServer(tmp_path / "node", {**QUICK, "NOUGHTS_STORE": redis.url, "NOUGHTS_WORKERS": "1"})
    try:
        await asyncio.to_thread(node.start)
        api = Api(node.url)
        assert (await api.get("/healthz"))["status"] == "ok"
        status, body = await api.call("GET", "/readyz")
        assert (status, body["status"]) == (503, "not ready")
        assert body["why"]
        status, body = await api.call("POST", "/api/players", {"name": "Ann"})
        assert (status, body["error"]["code"]) == (503, "unavailable")
        redis.start()
        async with asyncio.timeout(WAIT_S):
            while (await api.call("GET", "/readyz"))[0] != 200:
                pass
        ann = await guest(node.url, "Ann")
        room = (await friends_room(node, ann))["room"]["id"]
        async with enter(node, room, ann) as x:
            await x.ok("chat", text="Hello")
        assert await asyncio.to_thread(node.stop) == 0
        assert "Traceback" not in node.log
        assert "the store cannot be reached: this node waits for it" in node.log
    finally:
        node.kill()


async def rows(data: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, list[str]]:
    """Return the words of each row of ``noughts nodes``, by the name of the node."""
    assert await asyncio.to_thread(command_line.main, ["nodes", "--data", str(data)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == "node version age sockets rooms round trip clock store".split()
    return {line.split()[0]: line.split() for line in lines[1:]}


async def test_two_releases_play_the_same_rooms(
    farm: RedisFarm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``noughts nodes`` lists each with its version, age, sockets, rooms, round trip, clock and guarantee."""
    redis = farm.server()
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "sitecustomize.py").write_text(OTHER_RELEASE)
    path = os.pathsep.join([str(tmp_path / "release"), os.environ.get("PYTHONPATH", "")])
    newer = ("env", f"PYTHONPATH={path}")
    async with node_processes(tmp_path, [redis.url] * 2, prefixes={1: newer}) as (one, two):
        ann, ben = await guest(one.url, "Ann"), await guest(two.url, "Ben")
        answer = await friends_room(one, ann)
        room = answer["room"]["id"]
        async with enter(one, room, ann) as x, enter(two, room, ben) as o, enter(two, room):
            await o.ok("sit", mark="O", invite=answer["invite"])
            await x.until_room(lambda view: view["phase"] == "playing")
            await x.move("b2")
            await o.until_room(lambda view: len(view["game"]["moves"]) == 1)
            await o.move("a1")
            await x.until_room(lambda view: len(view["game"]["moves"]) == 2)
            async with asyncio.timeout(WAIT_S):
                while (listed := await rows(one.data, capsys)).get("node1", NOT_LISTED)[4] != "2":
                    pass
    for name, version, sockets in (("node0", __version__, "1"), ("node1", "9.9.9", "2")):
        row = listed[name]
        assert row[1:6] == [version, "0", "m", sockets, "1"]
        assert float(row[6]) > 0
        assert row[7] == row[9] == "ms"
        assert "append-only file, fsync always" in " ".join(row[10:])
    assert abs(int(listed["node0"][8])) < 60_000
    assert abs(int(listed["node1"][8]) - 3_600_000) < 60_000
