"""Bytes of the data file are damaged: the server says so and does not start, or goes on without what is damaged."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from noughts.store.contract import SchemaError
from noughts.store.sqlite.database_file import DatabaseFile
from tests.conftest import StartServer
from tests.faults.test_crash import serve
from tests.support.damaged_file import DAMAGE, damage, page_count, page_with
from tests.support.player import WAIT_S, Api, connect, enter, friends_room, guest
from tests.support.rooms import pair
from tests.support.server import RunningServer


async def a_file_in_use(server: RunningServer) -> list[str]:
    """Let guests play, chat and finish games on a server, and stop it. Return the rooms."""
    rooms = []
    for _ in range(6):
        async with pair(server, variant="gomoku") as room:
            rooms.append(room.id)
            for number in range(3):
                await room.x.ok("chat", id=f"c{number}", text="a line of some length " * 10)
            await room.play("h8", "h9", "g8", "g9", "f8", "f9")
            await room.x.ok("resign")
    for _ in range(60):
        await guest(server.url)
    assert await asyncio.to_thread(server.stop) == 0
    return rooms


def why_not_opened(path: Path) -> str | None:
    try:
        DatabaseFile(path).connect().close()
    except SchemaError as error:
        return str(error)
    return None


async def test_a_server_does_not_start_on_a_damaged_page(start_server: StartServer, tmp_path: Path) -> None:
    """For each page and each kind of damage. The file stays as it is, and the reason says what to do."""
    server = start_server()
    await a_file_in_use(server)
    path = server.data / "noughts.db"
    pages, whole, random = page_count(path), path.read_bytes(), Random(12)
    with closing(sqlite3.connect(path)) as store:
        free = store.execute("PRAGMA freelist_count").fetchone()[0]
    started = []
    for number in range(1, pages + 1):
        for kind in DAMAGE:
            path.write_bytes(whole)
            damage(path, number, kind, random)
            damaged = path.read_bytes()
            reason = why_not_opened(path)
            if reason is None:
                started.append((number, kind))
            else:
                assert "/docs/how-to/repair of a server" in reason
                assert path.read_bytes() == damaged
    assert len({number for number, _ in started}) <= free, started
    status, text = await serve(server.data)
    assert (status, text.count("\n")) == (2, 1), text
    assert "Put a backup in its place, or save what can be read" in text
    print(f"{pages} pages, {len(DAMAGE)} kinds of damage: {len(started)} not noticed, on {free} free pages")


async def test_damage_while_the_server_runs(start_server: StartServer) -> None:
    """Requests for the damaged room fail. Nobody else's do, clocks run, and the lobby lists the other rooms."""
    server = start_server()
    ann = await guest(server.url)
    rooms = [(await friends_room(server, ann))["room"]["id"] for _ in range(40)]
    await ann.call("POST", "/api/rooms", {"variant": "classic", "opponent": "anyone", "visibility": "public"})
    assert await asyncio.to_thread(server.stop) == 0
    path = server.data / "noughts.db"
    page_count(path)
    server.start()
    damage(path, page_with(path, rooms[3].encode()), "noise", Random(12))
    with closing(sqlite3.connect(path)) as store:  # a change by another program empties the server's cache of pages
        store.execute("INSERT INTO bans VALUES('203.0.113.9')")
        store.commit()
    asking = asyncio.create_task(ask_without_end(server, rooms[3]))
    moves = 0
    async with pair(server, variant="gomoku", clock={"mode": "move", "move_ms": 3_000}) as room:
        for ply in range(20):
            await room.play(f"{'abcdefghij'[ply % 10]}{1 + ply // 10 * 4 + ply % 2}")
            moves += 1
        assert (await ann.call("GET", f"/api/rooms/{rooms[3]}"))[0] == 503
        assert (await ann.call("GET", "/api/rooms"))[0] == 200
        async with connect(server.ws_url, {"room": rooms[3]}) as client:
            assert await client.closed() == 1011
        assert (await Api(server.url).call("GET", "/readyz"))[0] == 200
        await room.x.until_room(lambda view: view["phase"] == "finished")  # a clock runs out all the same
        asking.cancel()
        await asyncio.wait([asking])
    server.stop()
    assert 1 <= server.log.count(f"room={rooms[3]}") <= 6  # however often it is asked for
    print(f"{moves} of {moves} moves beside a damaged room")


async def ask_without_end(server: RunningServer, room: str) -> None:
    """Ask for one room over and over, until cancelled."""
    api = Api(server.url)
    while True:
        assert (await api.call("GET", f"/api/rooms/{room}"))[0] == 503


# --- the file goes away ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["deleted", "replaced"])
async def test_a_deleted_file_makes_the_server_unready(start_server: StartServer, how: str) -> None:
    """Within a second the server is not ready, says why, and acknowledges nothing. The same file put back serves again."""
    server = start_server()
    path, api = server.data / "noughts.db", Api(server.url)
    async with pair(server) as room:
        await room.play("b2", "a1")
        path.rename(aside := path.with_name("aside.db"))
        began_s = time.monotonic()
        if how == "replaced":
            path.write_bytes(aside.read_bytes())
        assert (await room.x.ask("move", id="m", ply=2, cell="c3"))["code"] == "unavailable"
        status, answer = await api.call("GET", "/readyz")
        assert (status, answer["status"]) == (503, "not ready")
        assert "noughts.db was deleted or replaced while the server ran" in answer["why"]
        noticed_s = time.monotonic() - began_s
        await until_logged(server, "the store cannot be used")
        aside.rename(path)
        await until_logged(server, "the store can be used again")
        await room.x.ok("move", id="m", ply=2, cell="c3")
        assert (await room.view())["game"]["moves"] == ["b2", "a1", "c3"]
    assert server.log.count("the store cannot be used") == 1
    print(f"a file that is {how}: not ready after {noticed_s:.2f} s, 0 moves acknowledged meanwhile")


async def until_logged(server: RunningServer, text: str) -> None:
    async with asyncio.timeout(WAIT_S):
        while text not in server.log:  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.05)


async def test_an_idle_server_logs_that_its_file_was_deleted(start_server: StartServer) -> None:
    """The log says so though nobody asks."""
    server = start_server()
    (server.data / "noughts.db").unlink()
    began_s = time.monotonic()
    await until_logged(server, "was deleted or replaced while the server ran")
    print(f"a file that is deleted under an idle server: logged after {time.monotonic() - began_s:.2f} s")
    assert (await Api(server.url).call("GET", "/readyz"))[0] == 503
    assert not (server.data / "noughts.db").exists()


async def test_a_deleted_write_ahead_log_loses_no_move(start_server: StartServer) -> None:
    """SQLite's log, in which the newest moves are: they are saved, and the game goes on."""
    server = start_server()
    async with pair(server) as room:
        await room.play("b2", "a1")
        (server.data / "noughts.db-wal").unlink()
        async with asyncio.timeout(WAIT_S):
            while (await room.x.ask("move", id="m", ply=2, cell="c3"))["type"] != "ok":
                pass
    server.kill()
    server.start()
    async with enter(server, room.id, room.ann) as x:
        assert x.room["game"]["moves"] == ["b2", "a1", "c3"]
        print(f"a log of the file that is deleted: {len(x.room['game']['moves'])} of 3 acknowledged moves stored")
