"""``noughts backup``: a copy of a running server's file, and the mistakes that its arguments can have."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from noughts.app.commands.backup_command import main
from noughts.command_line import UsageError
from noughts.store.redis.backend import redis_backend
from tests.support.local_server import local_server
from tests.support.player import Api, enter, friends_room, guest
from tests.support.redis_server import redis_farm
from tests.support.redis_stores import address_of

Capture = pytest.CaptureFixture[str]

pytestmark = pytest.mark.usefixtures("no_settings")


async def test_a_server_starts_from_the_backup_of_a_running_one(tmp_path: Path, capsys: Capture) -> None:
    """The token, the room and its moves are in it."""
    (tmp_path / "other").mkdir()
    target = tmp_path / "other" / "noughts.db"
    async with local_server(tmp_path) as server:
        ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
        answer = await friends_room(server, ann)
        room = answer["room"]["id"]
        async with enter(server, room, ann) as x, enter(server, room, ben) as o:
            await o.ok("sit", mark="O", invite=answer["invite"])
            await x.ok("move", game=1, ply=0, cell="b2")
            status = await asyncio.to_thread(main, ["backup", str(target), "--data", str(tmp_path)])
            await o.ok("move", game=1, ply=1, cell="a1")
    assert status == 0
    assert f"{target}: 1 rooms, 2 guests" in capsys.readouterr().out
    assert [path.name for path in target.parent.iterdir()] == ["noughts.db"]
    async with local_server(target.parent) as copy, enter(copy, room, ann) as x:
        assert x.last["room"]["you"]["mark"] == "X"
        assert x.last["room"]["room"]["game"]["moves"] == ["b2"]


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    there = tmp_path / "noughts.db"
    with pytest.raises(UsageError, match=r"there is no .*noughts.db: name the data directory"):
        main(["backup", str(tmp_path / "copy"), "--data", str(tmp_path)])
    there.write_text("no database")
    with pytest.raises(UsageError, match="exists already"):
        main(["backup", str(there), "--data", str(tmp_path)])
    with pytest.raises(UsageError, match=r"cannot be copied .*not a database"):
        main(["backup", str(tmp_path / "copy"), "--store", f"sqlite:{there}"])
    assert not (tmp_path / "copy").exists()
    with pytest.raises(UsageError, match="--store must be sqlite:PATH"):
        main(["backup", str(tmp_path / "copy"), "--store", "nonsense"])


async def test_a_backup_of_redis_is_a_file(tmp_path: Path, capsys: Capture) -> None:
    """A server can start on it. Without Redis, one line says so."""
    target = tmp_path / "noughts.db"
    with redis_farm(tmp_path / "redis") as farm:
        redis = farm.server(appendonly="no")
        async with local_server(tmp_path / "node", backend=redis_backend(address_of(redis), "node")) as node:
            answer = await friends_room(node, await guest(node.url, "Ann"))
        assert await asyncio.to_thread(main, ["backup", str(target), "--store", redis.url]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"{target}: 1 rooms, 1 guests, ")
    async with local_server(tmp_path) as copy:
        assert (await Api(copy.url).get(f"/api/rooms/{answer['room']['id']}"))["variant"] == "classic"
    with pytest.raises(UsageError, match=r"cannot be reached: .*[^.]\.$"):
        await asyncio.to_thread(main, ["backup", str(tmp_path / "late.db"), "--store", redis.url])
