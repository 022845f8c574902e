"""The server is killed or stopped, and started again: what it acknowledged is there, and downtime costs nobody any time."""

from __future__ import annotations

import asyncio
import random
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

from noughts.protocol.close_codes import RESTART
from tests.conftest import StartServer
from tests.support.deaf_client import deaf_client
from tests.support.player import WAIT_S, Api, Message, Socket, connect, enter, friends_room, guest
from tests.support.rooms import engine_room, pair
from tests.support.server import RunningServer

STOP_S = 8.0
"""How long a stop may take on a busy machine. It takes five seconds at most on one that has nothing else to do."""


class Load:
    """Pairs that play without a pause, and every command of theirs that was answered ok."""

    def __init__(self, server: RunningServer, enough: int) -> None:
        self._server = server
        self._enough = enough
        self._moves = 0
        self._rng = random.Random(9)
        self.acknowledged: dict[str, list[tuple[Api, Message]]] = {}
        self.played = asyncio.Event()
        """Set once enough moves were acknowledged."""

    async def play(self, room: str, invite: str, ann: Api, ben: Api) -> None:
        """Play in a room until the game is over or the server is gone."""
        try:
            async with enter(self._server, room, ann) as x, enter(self._server, room, ben) as o:
                await self._play(self.acknowledged.setdefault(room, []), invite, (ann, x), (ben, o))
        except Exception:
            if not self.played.is_set():
                raise

    async def _play(
        self, commands: list[tuple[Api, Message]], invite: str, ann: tuple[Api, Socket], ben: tuple[Api, Socket]
    ) -> None:
        sit = {"type": "sit", "id": "sit", "mark": "O", "invite": invite}
        await self._command(commands, *ben, sit)
        for ply in range(500):
            api, player = (ann, ben)[ply % 2]
            view = await player.until_room(lambda v, ply=ply: bool(v["game"]) and len(v["game"]["moves"]) >= ply)  # type: ignore[misc]
            if view["phase"] != "playing":
                return
            cell = self._rng.choice(view["game"]["legal"])
            await self._command(commands, api, player, {"type": "move", "id": f"m{ply}", "ply": ply, "cell": cell})
            self._moves += 1
            if self._moves >= self._enough:
                self.played.set()

    async def _command(self, commands: list[tuple[Api, Message]], api: Api, player: Socket, command: Message) -> None:
        fields: dict[str, Any] = {name: value for name, value in command.items() if name != "type"}
        await player.ok(command["type"], **fields)
        commands.append((api, command))


async def test_every_acknowledged_move_survives_a_kill_under_load(start_server: StartServer) -> None:
    """With its id: sent again, each command gets the same ok and happens once. Then the games go on."""
    server = start_server()
    load = Load(server, enough=300)
    rooms = []
    for _ in range(12):
        ann, ben = await guest(server.url), await guest(server.url)
        answer = await friends_room(server, ann, variant="gomoku")
        rooms.append((answer["room"]["id"], answer["invite"], ann, ben))
    players = [asyncio.create_task(load.play(*room)) for room in rooms]
    async with asyncio.timeout(WAIT_S):
        await load.played.wait()
    server.kill()
    await asyncio.gather(*players)
    server.start()
    sent_again = 0
    for room, _, ann, ben in rooms:
        commands = load.acknowledged[room]
        view = await ann.get(f"/api/rooms/{room}")
        moves, cells = view["game"]["moves"], [command["cell"] for _, command in commands[1:]]
        assert moves[: len(cells)] == cells
        assert len(moves) <= len(cells) + 1  # one more may have been stored and not yet answered
        async with enter(server, room, ann) as x, enter(server, room, ben) as o:
            for api, command in commands[-5:]:
                player = x if api is ann else o
                await player.send(command)
                answer = await player.until(lambda m, id=command["id"]: bool(m.get("id") == id))  # type: ignore[misc]
                assert answer["type"] == "ok", answer
                sent_again += 1
            assert (await ann.get(f"/api/rooms/{room}"))["game"]["moves"] == moves
            if view["phase"] == "playing":
                player = x if view["game"]["turn"] == "X" else o
                await player.move(view["game"]["legal"][0])
    count = sum(len(commands) for commands in load.acknowledged.values())
    print(f"{count} commands acknowledged before the kill: 0 lost, {sent_again} sent again, 0 of them happened twice")


async def test_an_engine_that_was_to_move_moves_after_a_restart(start_server: StartServer) -> None:
    """Nobody is connected: the server knows by itself."""
    server = start_server(engine_pace_ms=60_000)
    ann = await guest(server.url)
    room = (await engine_room(server, ann))["room"]["id"]
    async with enter(server, room, ann) as player:
        await player.move("b2")
    server.kill()
    server.environment["NOUGHTS_ENGINE_PACE_MS"] = "0"
    server.start()
    began_s = time.monotonic()
    async with asyncio.timeout(WAIT_S):
        while len((await ann.get(f"/api/rooms/{room}"))["game"]["moves"]) < 2:  # noqa: ASYNC110 - another process plays
            await asyncio.sleep(0.1)
    print(f"the engine, which was to move before the kill, moved {time.monotonic() - began_s:.2f} s after the restart")


async def test_clocks_stand_still_while_the_server_is_down(start_server: StartServer) -> None:
    """Three seconds are over by any other clock. The server notes each second that it is up."""
    server = start_server()
    async with pair(server, clock={"mode": "move", "move_ms": 3_000}) as room:
        await room.play("b2", "a1")
        assert (await room.view())["clock"]["running"] == "X"
        moved_s = time.monotonic()
        await asyncio.sleep(1.2)
        server.kill()
        await asyncio.sleep(max(0.0, moved_s + 3.5 - time.monotonic()))
    server.start()
    async with enter(server, room.id, room.ann) as x:
        assert x.room["phase"] == "playing"
        await x.move("c3")
    print(f"{time.monotonic() - moved_s:.1f} s of a kill and a restart: no flag with 3 s a move")


async def test_sigterm_closes_every_socket_and_ends_in_time(start_server: StartServer) -> None:
    """That of a client that is idle, of one that plays, of one without a hello; and with a search under way."""
    server = start_server(think_ms=60_000)
    ann = await guest(server.url)
    room = (await engine_room(server, ann, variant="gomoku", level="strongest"))["room"]["id"]
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as silent:
        async with (
            connect(server.ws_url, {"lobby": True}) as idle,
            enter(server, room, ann) as player,
            connect(server.ws_url) as unknown,
        ):
            await player.move("h8")
            silent.sendall(b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n")
            assert server.process is not None
            server.process.send_signal(signal.SIGTERM)
            before_s = time.monotonic()
            assert [await each.closed() for each in (idle, player, unknown)] == [RESTART] * 3
            status = await asyncio.to_thread(server.process.wait, 10)
    took_s = time.monotonic() - before_s
    assert status == 0
    assert took_s < STOP_S
    server.stop()
    assert "Traceback" not in server.log, server.log
    print(f"SIGTERM with 3 sockets, half a handshake and a search: stopped in {took_s:.2f} s")


async def test_sigterm_while_a_client_does_not_read(start_server: StartServer) -> None:
    server = start_server()
    async with pair(server) as room:
        with deaf_client(server, {"room": room.id}):
            crowd = await room.x.until(lambda m: bool(m["type"] == "crowd" and m["spectators"] == 1))
            assert crowd["names"] == []
            await room.play("b2")
            before_s = time.monotonic()
            assert await asyncio.to_thread(server.stop) == 0
            took_s = time.monotonic() - before_s
            assert took_s < STOP_S
    print(f"SIGTERM with a client that does not read: stopped in {took_s:.2f} s")


# --- what keeps it from starting ------------------------------------------------------------------------------------


async def serve(data: Path, *flags: str) -> tuple[int | None, str]:
    """Try to start a server. Return its exit status and what it wrote."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "noughts", "serve", "--port", "0", "--data", str(data), *flags),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(WAIT_S):
        text, _ = await process.communicate()
    return process.returncode, text.decode()


async def test_a_second_server_on_the_same_data_does_not_start(start_server: StartServer) -> None:
    """And does the first one no harm."""
    server = start_server()
    status, text = await serve(server.data)
    assert (status, text.count("\n")) == (2, 1)
    assert text.startswith("noughts: another server runs on ")
    assert (await Api(server.url).get("/healthz"))["status"] == "ok"


async def test_one_line_says_what_keeps_it_from_starting(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / "noughts.db").write_bytes(b"a diary, not a database " * 200)
    for data, flags, reason in (
        (tmp_path / "file", (), "cannot be used"),
        (damaged, (), "cannot be used"),
        (tmp_path / "new", ("--port", "x"), "whole number"),
        (tmp_path / "new", ("--host", "203.0.113.77"), "cannot listen"),
        (tmp_path / "new", ("--trusted", "everybody"), "must be addresses"),
    ):
        status, text = await serve(data, *flags)
        assert (status, text.count("\n")) == (2, 1), text
        assert text.startswith("noughts: ")
        assert reason in text
