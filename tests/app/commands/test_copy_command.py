"""``noughts copy`` and ``noughts backup`` with Redis: a game continues from the copy."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from noughts.app.commands import backup_command
from noughts.app.commands.copy_command import main
from noughts.command_line import UsageError
from tests.conftest import StartServer
from tests.support.local_server import local_server
from tests.support.player import enter, friends_room, guest
from tests.support.redis_server import RedisServer, redis_farm

Capture = pytest.CaptureFixture[str]

pytestmark = pytest.mark.usefixtures("no_settings")


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with redis_farm(tmp_path / "redis") as farm:
        yield farm.server()


async def test_a_game_continues_from_file_to_redis_and_back(
    tmp_path: Path, redis: RedisServer, start_server: StartServer, capsys: Capture
) -> None:
    """Tokens, seats, moves, chat and answered ids are there, and a server that runs prevents a copy."""
    first, second, third = (f"sqlite:{tmp_path}/{name}/noughts.db" for name in ("one", "two", "three"))
    async with local_server(tmp_path / "one") as server:
        ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
        answer = await friends_room(server, ann)
        room = answer["room"]["id"]
        async with enter(server, room, ann) as x, enter(server, room, ben) as o:
            await o.ok("sit", mark="O", invite=answer["invite"])
            await x.ok("move", id="first", game=1, ply=0, cell="b2")
            await x.ok("chat", text="Hello")
    assert await asyncio.to_thread(main, ["copy", first, redis.url]) == 0
    assert "copied and compared 1 rooms and 2 guests\n" in capsys.readouterr().out

    with pytest.raises(UsageError, match="are the same store"):
        await asyncio.to_thread(main, ["copy", redis.url, f"{redis.url}/0", "--force"])

    node = start_server(store=redis.url, workers=1)
    async with enter(node, room, ann) as x, enter(node, room, ben) as o:
        assert (await x.ask("move", id="first", game=1, ply=0, cell="b2"))["type"] == "ok"
        await o.ok("move", game=1, ply=1, cell="a1")
    with pytest.raises(UsageError, match="a server runs on one of these stores"):
        await asyncio.to_thread(main, ["copy", redis.url, second])
    copy = tmp_path / "three" / "noughts.db"
    arguments = ["backup", str(copy), "--store", redis.url]
    assert await asyncio.to_thread(backup_command.main, arguments) == 0
    assert f"{copy}: 1 rooms, 2 guests" in capsys.readouterr().out
    assert node.stop() == 0

    assert await asyncio.to_thread(main, ["copy", redis.url, second]) == 0
    with pytest.raises(UsageError, match="is not empty"):
        await asyncio.to_thread(main, ["copy", third, second])
    assert await asyncio.to_thread(main, ["copy", third, second, "--force"]) == 0
    for name in ("two", "three"):
        async with local_server(tmp_path / name) as server, enter(server, room, ann) as x:
            assert x.last["room"]["room"]["game"]["moves"] == ["b2", "a1"]
            await x.ok("move", game=1, ply=2, cell="c3")


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    nothing = f"sqlite:{tmp_path}/nothing.db"
    for arguments, message in [
        ((nothing, nothing), "are the same store"),
        ((nothing, f"sqlite:{tmp_path}/copy.db"), "there is nothing in"),
        (("nonsense", nothing), "the address of a store must be sqlite:PATH"),
        (("redis://:secret@127.0.0.1", nothing), "must not have a password"),
        ((nothing, nothing, "--store-prefix", "a b"), "--store-prefix must"),
        (("redis://127.0.0.1", nothing, "--store-password-file", f"{tmp_path}/no"), "cannot be read"),
    ]:
        with pytest.raises(UsageError, match=message) as caught:
            main(["copy", *arguments])
        assert "secret" not in str(caught.value)
