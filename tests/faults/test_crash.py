"""The server is killed, stopped, started again: what was acknowledged is there, and nobody is charged."""

from __future__ import annotations

import asyncio
import random
import signal
import socket
import sqlite3
import sys
import time
from contextlib import closing

import msgspec

from tests.faults.deaf import deaf_client
from tests.support.player import WAIT_S, Api, connect, enter, friends_room, guest
from tests.support.rooms import engine_room, pair


async def test_every_acknowledged_move_survives_a_kill_under_load(start_server):
    """Pairs play without a pause until the server is killed; what each was told ``ok`` must be there, with its id."""
    server = start_server()
    rng = random.Random(9)
    acknowledged: dict[str, list[tuple[Api, dict]]] = {}
    rooms = []
    for _ in range(12):
        ann, ben = await guest(server.url), await guest(server.url)
        made = await friends_room(server, ann, variant="gomoku")
        rooms.append((made["room"]["id"], made["invite"], ann, ben))
        acknowledged[made["room"]["id"]] = []
    moves = 0
    enough = asyncio.Event()

    async def play(room, invite, ann, ben):
        nonlocal moves
        told = acknowledged[room]
        try:
            async with enter(server, room, ann) as x, enter(server, room, ben) as o:
                await o.ok("sit", id="sit", mark="O", invite=invite)
                told.append((ben, {"type": "sit", "id": "sit", "mark": "O", "invite": invite}))
                while True:
                    ply = len(told) - 1
                    who, api = (x, ann) if ply % 2 == 0 else (o, ben)
                    view = await who.until_room(lambda v, ply=ply: v["game"] and len(v["game"]["moves"]) >= ply)
                    if view["phase"] != "playing":
                        return
                    cell = rng.choice(view["game"]["legal"])
                    move = {"type": "move", "id": f"m{ply}", "ply": ply, "cell": cell}
                    await who.ok("move", id=move["id"], ply=ply, cell=cell)
                    told.append((api, move))
                    moves += 1
                    if moves >= 300:
                        enough.set()
        except Exception:
            if not enough.is_set():
                raise

    players = [asyncio.create_task(play(*room)) for room in rooms]
    async with asyncio.timeout(WAIT_S):
        await enough.wait()
    server.kill()
    await asyncio.gather(*players)
    server.start()
    for room, _, ann, ben in rooms:
        told = acknowledged[room]
        view = await ann.get(f"/api/rooms/{room}")
        made = view["game"]["moves"]
        cells = [message["cell"] for _, message in told[1:]]
        assert made[: len(cells)] == cells
        assert len(made) <= len(cells) + 1  # one more may have been stored and not yet answered
        async with enter(server, room, ann) as x, enter(server, room, ben) as o:
            for api, message in told[-5:]:  # each is known: the same ok, and nothing happens again
                who = x if api is ann else o
                await who.send(message)
                answer = await who.until(lambda m, message=message: m.get("id") == message["id"])
                assert answer["type"] == "ok", answer
            assert (await ann.get(f"/api/rooms/{room}"))["game"]["moves"] == made
            if view["phase"] == "playing":
                who = x if view["game"]["turn"] == "X" else o
                await who.move(rng.choice(view["game"]["legal"]))  # and the game goes on


async def test_an_engine_that_was_to_move_moves_after_a_restart(start_server):
    server = start_server(engine_pace_ms=60_000)
    ann = await guest(server.url)
    made = await engine_room(server, ann)
    async with enter(server, made["room"]["id"], ann) as socket:
        await socket.move("b2")
    server.kill()
    server.environment["NOUGHTS_ENGINE_PACE_MS"] = "0"
    server.start()
    async with asyncio.timeout(WAIT_S):  # with nobody connected: the server thinks of it by itself
        while True:
            view = await ann.get(f"/api/rooms/{made['room']['id']}")
            if len(view["game"]["moves"]) == 2:
                break
            await asyncio.sleep(0.1)


async def test_clocks_charge_nobody_while_the_server_is_down(start_server):
    server = start_server()
    clock = {"mode": "move", "move_ms": 3_000}
    async with pair(server, clock=clock) as table:
        await table.play("b2", "a1")
        assert (await table.view())["clock"]["running"] == "X"
        last = asyncio.get_running_loop().time()
        await asyncio.sleep(1.2)  # the server notes each second that it is up
        server.kill()
        await asyncio.sleep(max(0.0, 3.5 - (asyncio.get_running_loop().time() - last)))
    server.start()
    # The three seconds are over by any watch, but not by one that stood still.
    async with enter(server, table.id, table.ann) as x:
        assert x.room["phase"] == "playing"
        await x.move("c3")


async def test_a_first_move_is_not_aborted_by_an_outage_either(start_server):
    server = start_server()
    ann = await guest(server.url)
    made = await friends_room(server, ann, clock={"mode": "move", "move_ms": 60_000})
    ben = await guest(server.url)
    async with enter(server, made["room"]["id"], ben) as o:
        await o.ok("sit", mark="O", invite=made["invite"])
    server.kill()
    with closing(sqlite3.connect(server.data / "noughts.db")) as db:
        # As if the server had been killed an hour ago.
        hour = 3_600_000
        (data,) = db.execute("SELECT data FROM rooms").fetchone()
        room = msgspec.msgpack.decode(data)
        for name in ("created_ms", "used_ms"):
            room[name] -= hour
        for name in ("started_ms", "turn_since_ms"):
            room["game"][name] -= hour
        db.execute("UPDATE rooms SET data=?, wake_at_ms=wake_at_ms-?", (msgspec.msgpack.encode(room), hour))
        db.execute("UPDATE alive SET at_ms=at_ms-?", (hour,))
        db.commit()
    server.start()
    async with enter(server, made["room"]["id"], ann) as x:
        assert x.room["phase"] == "playing"
        await x.move("b2")


async def test_sigterm_closes_sockets_with_1012_and_ends_in_time(start_server):
    """With a client that is idle, one that plays, one that reads nothing, and a search under way."""
    server = start_server(think_ms=60_000)
    ann = await guest(server.url)
    made = await engine_room(server, ann, variant="gomoku", level="strongest")
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as silent:
        async with (
            connect(server.ws_url, {"lobby": True}) as idle,
            enter(server, made["room"]["id"], ann) as player,
            connect(server.ws_url) as unheard,
        ):
            await player.move("h8")
            silent.sendall(b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n")
            server.process.send_signal(signal.SIGTERM)
            began = time.monotonic()
            assert await idle.closed() == 1012
            assert await player.closed() == 1012
            assert await unheard.closed() == 1012
            status = await asyncio.to_thread(server.process.wait, 10)
    assert status == 0
    assert time.monotonic() - began < 8  # five on a machine with nothing else to do
    server.stop()
    assert "Traceback" not in server.log, server.log


async def test_sigterm_while_a_client_reads_nothing(start_server):
    server = start_server()
    async with pair(server) as table:
        with deaf_client(server, {"room": table.id}):
            crowd = await table.x.until(lambda m: m["type"] == "crowd" and m["spectators"] == 1)
            assert crowd["names"] == []
            await table.play("b2")
            began = time.monotonic()
            assert await asyncio.to_thread(server.stop) == 0
            assert time.monotonic() - began < 8


async def test_a_second_server_on_the_same_data_is_refused(start_server):
    server = start_server()
    other = await asyncio.create_subprocess_exec(
        *_serve(server.data), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    async with asyncio.timeout(WAIT_S):
        told, _ = await other.communicate()
    assert other.returncode == 2
    assert told.decode().startswith("noughts: another server runs on ")
    assert told.count(b"\n") == 1
    assert (await Api(server.url).get("/healthz"))["status"] == "ok"


async def test_what_keeps_it_from_starting_is_told_in_a_line(tmp_path):
    (tmp_path / "file").write_text("no directory")
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / "noughts.db").write_bytes(b"a diary, not a database " * 200)
    for data, flags, why in (
        (tmp_path / "file", (), "cannot be used"),
        (damaged, (), "cannot be used"),
        (tmp_path / "new", ("--port", "x"), "whole number"),
        (tmp_path / "new", ("--host", "203.0.113.77"), "cannot listen"),
        (tmp_path / "new", ("--trusted", "everybody"), "must be addresses"),
    ):
        process = await asyncio.create_subprocess_exec(
            *_serve(data), *flags, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        async with asyncio.timeout(WAIT_S):
            told, _ = await process.communicate()
        assert process.returncode == 2, told
        assert told.decode().startswith("noughts: ")
        assert why in told.decode()
        assert told.count(b"\n") == 1, told.decode()


def _serve(data):
    return sys.executable, "-m", "noughts.app.cli", "serve", "--port", "0", "--data", str(data)
