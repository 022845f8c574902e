"""The server is killed or stopped, and started again: what it acknowledged is there, and downtime costs nobody any time."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import time
from pathlib import Path

from noughts.protocol.close_codes import RESTART
from tests.conftest import StartServer
from tests.support.deaf_client import deaf_client
from tests.support.ledger import Ledger
from tests.support.player import WAIT_S, connect, enter, guest
from tests.support.rooms import engine_room, pair

STOP_S = 8.0
"""How long a stop may take on a busy machine. It takes five seconds at most on one that has nothing else to do."""


async def test_every_acknowledged_command_survives_a_kill(start_server: StartServer) -> None:
    """With its id: sent again, each command gets the same ok and happens once. Then the games go on."""
    server = start_server()
    ledger = Ledger(server)
    await ledger.open_rooms(12)
    async with ledger.playing():
        await ledger.until(300)
        server.kill()
    server.start()
    await ledger.check()
    async with ledger.playing():
        await ledger.until(20)
    await ledger.check()
    assert not ledger.violations
    print(f"a kill under load: {ledger.figures()}")


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
