"""``noughts backup``, ``check`` and ``copy``."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.support.cli_runs import Capture, noughts
from tests.support.damaged_file import damage, page_with
from tests.support.local_server import local_server
from tests.support.player import enter, friends_room, guest
from tests.support.redis_server import redis_farm
from tests.support.whole_file import fill

pytestmark = pytest.mark.usefixtures("no_settings")


async def run(capsys: Capture, *arguments: object) -> str:
    """Run a command while a server of this process answers. Return what it prints, with its error."""
    status, text = await asyncio.to_thread(noughts, capsys, *arguments)
    assert status == (2 if text.splitlines()[-1].startswith("noughts: ") else 0), text
    return text


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
            assert f"{target}: 1 room, 0 tournaments, 2 guests" in await run(
                capsys, "backup", target, "--data", tmp_path
            )
            await o.ok("move", game=1, ply=1, cell="a1")
    assert [path.name for path in target.parent.iterdir()] == ["noughts.db"]
    async with local_server(target.parent) as copy, enter(copy, room, ann) as x:
        assert x.last["room"]["you"]["mark"] == "X"
        assert x.last["room"]["room"]["game"]["moves"] == ["b2"]


async def test_a_game_continues_from_file_to_redis_and_back(
    tmp_path: Path, start_server: StartServer, capsys: Capture
) -> None:
    """Tokens, seats, moves, chat and answered ids are there. A server that runs prevents a copy, but no backup."""
    first, second, third = (f"sqlite:{tmp_path}/{name}/noughts.db" for name in ("one", "two", "three"))
    backup = tmp_path / "three" / "noughts.db"
    async with local_server(tmp_path / "one") as server:
        ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
        answer = await friends_room(server, ann)
        room = answer["room"]["id"]
        async with enter(server, room, ann) as x, enter(server, room, ben) as o:
            await o.ok("sit", mark="O", invite=answer["invite"])
            await x.ok("move", id="first", game=1, ply=0, cell="b2")
            await x.ok("chat", text="Hello")
    with redis_farm(tmp_path / "redis") as farm:
        redis = farm.server()
        assert "copied: 1 room, 0 tournaments, 2 guests\n" in await run(capsys, "copy", first, redis.url)
        assert "are the same store" in await run(capsys, "copy", redis.url, f"{redis.url}/0", "--force")
        node = start_server(store=redis.url, workers=1)
        async with enter(node, room, ann) as x, enter(node, room, ben) as o:
            assert (await x.ask("move", id="first", game=1, ply=0, cell="b2"))["type"] == "ok"
            await o.ok("move", game=1, ply=1, cell="a1")
        assert "a server runs on one of these stores" in await run(capsys, "copy", redis.url, second)
        assert f"{backup}: 1 room, 0 tournaments, 2 guests" in await run(capsys, "backup", backup, "--store", redis.url)
        assert node.stop() == 0
        await run(capsys, "copy", redis.url, second)
    late = await run(capsys, "backup", tmp_path / "late.db", "--store", redis.url)
    assert ": Connection refused" in late
    assert not late.endswith("..\n")
    assert "is not empty" in await run(capsys, "copy", third, second)
    assert "copied: 1 room" in await run(capsys, "copy", third, second, "--force")
    for name in ("two", "three"):
        async with local_server(tmp_path / name) as server, enter(server, room, ann) as x:
            assert x.last["room"]["room"]["game"]["moves"] == ["b2", "a1"]
            await x.ok("move", game=1, ply=2, cell="c3")


async def test_a_backup_is_restored_and_the_game_goes_on(tmp_path: Path, capsys: Capture) -> None:
    """Not while the server runs. A client of the time after the backup is sent the older state, and can go on."""
    data, backup = tmp_path / "data", tmp_path / "backup.db"
    restore = ("restore", backup, "--data", data)
    async with local_server(data) as server:
        ann = await guest(server.url, "Ann")
        answer: Any = await ann.post("/api/rooms", {"variant": "classic", "opponent": "friend", "mark": "X"})
        ben = await guest(server.url, "Ben")
        room = answer["room"]["id"]
        async with enter(server, room, ann) as x, enter(server, room, ben) as o:
            await o.ok("sit", mark="O", invite=answer["invite"])
            await x.ok("move", game=1, ply=0, cell="b2")
            await run(capsys, "backup", backup, "--data", data)
            await o.ok("move", game=1, ply=1, cell="a1")
            await x.ok("chat", text="later")
        await guest(server.url, "Cat")
        assert "another server uses" in await run(capsys, *restore)
    text = await run(capsys, *restore)
    aside = next(data.glob("noughts.db.before-*"))
    assert "before: 1 room, 0 tournaments, 3 guests; newest change 20" in text
    assert "now:    1 room, 0 tournaments, 2 guests; newest change 20" in text
    assert text.endswith(f"To go back: noughts restore {aside} --data {data}\n")
    async with local_server(data) as server, enter(server, room, ann) as x, enter(server, room, ben) as o:
        assert x.last["room"]["room"]["game"]["moves"] == ["b2"]
        await o.ok("move", game=1, ply=1, cell="c3")
        await x.ok("move", game=1, ply=2, cell="a3")
    await run(capsys, "restore", aside, "--data", data)
    async with local_server(data) as server, enter(server, room, ann) as x:
        assert x.last["room"]["room"]["game"]["moves"] == ["b2", "a1"]


async def test_a_backup_is_restored_to_an_empty_redis(
    tmp_path: Path, start_server: StartServer, capsys: Capture
) -> None:
    backup = tmp_path / "backup.db"
    await fill(tmp_path / "noughts.db", rooms=3)
    await run(capsys, "backup", backup, "--data", tmp_path)
    with redis_farm(tmp_path / "redis") as farm:
        restore = ("restore", backup, "--store", farm.server().url)
        assert "restored: 2 rooms, 0 tournaments, 5 guests" in await run(capsys, *restore)
        assert "is not empty" in await run(capsys, *restore)
        node = start_server(store=restore[-1], workers=1)
        assert "a server runs on one of these stores" in await run(capsys, *restore)
        assert node.stop() == 0


async def test_a_whole_file(tmp_path: Path, capsys: Capture) -> None:
    """Nothing is written to it. A server may run on it meanwhile."""
    path = tmp_path / "noughts.db"
    await fill(path, rooms=3)
    before = path.read_bytes()
    text = await run(capsys, "check", "--data", tmp_path)
    assert text == f"{path}: reading\n{path} is whole: 2 rooms, 0 tournaments, 5 guests\n"
    assert path.read_bytes() == before
    async with local_server(tmp_path / "used"):
        assert (await run(capsys, "check", "--data", tmp_path / "used")).endswith(
            "is whole: 0 rooms, 0 tournaments, 0 guests\n"
        )


async def test_a_damaged_file(tmp_path: Path, capsys: Capture) -> None:
    """The last line says what to do."""
    path = tmp_path / "noughts.db"
    await fill(path, rooms=9)
    with closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute("UPDATE rooms SET data=x'93' WHERE id='room1'")
    status, text = noughts(capsys, "check", "--data", tmp_path)
    assert (status, "room room1 cannot be read: remove it with `noughts close room1`" in text) == (1, True)
    damage(path, page_with(path, b"room5"), "zeros", Random(1))
    status, text = noughts(capsys, "check", "--data", tmp_path)
    assert status == 1
    assert "damaged: rooms: " in text
    assert "/docs/how-to/repair of a server" in text.splitlines()[-1]


async def test_a_damaged_backup_is_not_restored(tmp_path: Path, capsys: Capture) -> None:
    path, backup = tmp_path / "noughts.db", tmp_path / "backup.db"
    await fill(path, rooms=9)
    await run(capsys, "backup", backup, "--data", tmp_path)
    before = path.read_bytes()
    with closing(sqlite3.connect(backup, isolation_level=None)) as store:
        store.execute("UPDATE rooms SET data=x'93' WHERE id='room1'")
    assert "room room1 cannot be read" in await run(capsys, "restore", backup, "--data", tmp_path)
    assert "is the data file itself" in await run(capsys, "restore", path, "--data", tmp_path)
    assert path.read_bytes() == before
    assert not list(tmp_path.glob("*before*"))


@pytest.mark.parametrize(
    "arguments", ["check --store sqlite:{0}", "backup {0}.copy --store sqlite:{0}", "copy sqlite:{0} sqlite:{0}.copy"]
)
def test_a_pipe_is_no_file(tmp_path: Path, capsys: Capture, arguments: str) -> None:
    """Opening it would wait for a writer."""
    os.mkfifo(tmp_path / "pipe")
    status, text = noughts(capsys, *arguments.format(tmp_path / "pipe").split())
    assert (status, f"{tmp_path}/pipe is not a file" in text) == (2, True), text


def test_a_file_of_which_nothing_can_be_read(tmp_path: Path, capsys: Capture) -> None:
    """No row of it is there, and the exit status is not that of a whole file."""
    path = tmp_path / "noughts.db"
    asyncio.run(fill(path, rooms=9))
    size = path.stat().st_size
    for whole in (1, 2):
        with path.open("r+b") as file:
            file.seek(whole * 4096)
            file.write(bytes(size - whole * 4096))
        status, text = noughts(capsys, "check", "--data", tmp_path)
        assert status in (1, 2), text
        assert "is whole" not in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("backup {0}/copy --data {0}", "there is no {0}/noughts.db: check the path, or name the data directory"),
        ("backup {0}/text --data {0}", "{0}/text exists already: choose another name"),
        ("backup {0}/copy --store sqlite:{0}/text", "file is not a database"),
        ("backup {0}/copy --store nonsense", "--store must be sqlite:PATH"),
        ("restore {0}/none --data {0}", "there is no {0}/none"),
        ("restore {0}/text --data {0}", "is not a database"),
        ("check --data {0}", "there is no {0}/noughts.db: check the path, or name the data directory"),
        ("check --store redis://127.0.0.1", "reads a file, and the store is Redis"),
        ("check --store sqlite:{0}/empty", "is empty"),
        ("copy sqlite:{0}/none sqlite:{0}/none", "are the same store"),
        ("copy sqlite:{0}/none sqlite:{0}/copy", "there is no {0}/none: check the path"),
        ("copy nonsense sqlite:{0}/none", "the address of a store must be sqlite:PATH"),
        ("copy redis://:s3cret@127.0.0.1 sqlite:{0}/none", "must not have a password"),
        ("copy sqlite:{0}/none sqlite:{0}/none --store-prefix {{x}}", "--store-prefix must"),
        ("copy redis://127.0.0.1 sqlite:{0}/none --store-password-file {0}/no", "cannot be read"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, capsys: Capture, arguments: str, message: str) -> None:
    (tmp_path / "text").write_text("no database")
    (tmp_path / "empty").touch()
    status, text = noughts(capsys, *arguments.format(tmp_path).split())
    assert (status, text.splitlines()[-1].startswith("noughts: ")) == (2, True), text
    assert message.format(tmp_path) in text
    assert "s3cret" not in text
    assert not (tmp_path / "copy").exists()
