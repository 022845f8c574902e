"""A thousand spectators: what one costs in memory, and how long a move takes to reach all of them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import aiohttp

from tests.bench.measure import quantile, report, rss_kib
from tests.support.player import guest
from tests.support.server import QUICK, RunningServer

SPECTATORS = 1_000
MOVES = 40
CELLS = ["b2", "a1", "c3", "a3", "a2", "c2", "b1", "b3", "c1"]


async def receive_room(socket: aiohttp.ClientWebSocketResponse, arrivals: list[float]) -> None:
    """Wait for one view (or, from the floor, one text) and note when it came."""
    while True:
        text = str((await socket.receive()).data)
        if text.startswith(('{"type":"room"', "x")):
            arrivals.append(time.perf_counter())
            return


async def quiet(sockets: list[aiohttp.ClientWebSocketResponse]) -> None:
    """Read until nothing has come for a while."""

    async def one(socket: aiohttp.ClientWebSocketResponse) -> None:
        try:
            while True:
                await socket.receive(timeout=2.5)
        except TimeoutError:
            pass

    await asyncio.gather(*(one(socket) for socket in sockets))


async def real(session: aiohttp.ClientSession, folder: str) -> tuple[float, float, int]:
    """KiB a spectator, p99 of a move's way to all of them in ms, size of a view."""
    server = RunningServer(Path(folder), QUICK).start()
    try:
        ann, ben = await guest(server.url), await guest(server.url)
        made = await ann.post("/api/rooms", {"variant": "classic", "opponent": "friend", "mark": "X"})
        hello = {"type": "hello", "protocol": 1, "room": made["room"]["id"]}
        players = []
        for player in (ann, ben):
            socket = await session.ws_connect(server.ws_url, compress=0)
            await socket.send_json({**hello, "token": player.token})
            players.append(socket)
        await players[1].send_json({"type": "sit", "id": "sit", "mark": "O", "invite": made["invite"]})
        # The first hundred fill what is allocated once.
        watchers = [await watch(session, server.ws_url, hello) for _ in range(100)]
        before = rss_kib(server.pid)
        watchers += [await watch(session, server.ws_url, hello) for _ in range(SPECTATORS - 100)]
        await quiet([*players, *watchers])
        each = (rss_kib(server.pid) - before) / (SPECTATORS - 100)
        times: list[float] = []
        first, size = 0, 0
        for number in range(MOVES):
            ply = number % len(CELLS)
            if number and ply == 0:
                await again(players, number)
                await quiet(watchers)
                first = 1 - first
            arrivals: list[float] = []
            waiting = asyncio.gather(*(receive_room(socket, arrivals) for socket in watchers))
            started = time.perf_counter()
            await players[(ply + first) % 2].send_str(
                f'{{"type":"move","id":"m{number}","ply":{ply},"cell":"{CELLS[ply]}"}}'
            )
            await waiting
            times += [(arrival - started) * 1000 for arrival in arrivals]
        size = 900
        return each, quantile(times, 0.99), size
    finally:
        server.stop()


async def watch(session: aiohttp.ClientSession, url: str, hello: dict[str, object]) -> aiohttp.ClientWebSocketResponse:
    socket = await session.ws_connect(url, compress=0)
    await socket.send_json(hello)
    return socket


async def again(players: list[aiohttp.ClientWebSocketResponse], number: int) -> None:
    await players[0].send_json({"type": "offer", "id": f"o{number}", "what": "rematch"})
    await asyncio.sleep(0.2)
    await players[1].send_json({"type": "answer", "id": f"a{number}", "what": "rematch", "accept": True})
    await asyncio.sleep(0.2)


async def bare(session: aiohttp.ClientSession, size: int) -> float:
    """p99 of the same through aiohttp alone, in ms."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.floor", str(size)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdin is not None
    url = f"ws://127.0.0.1:{int(process.stdout.readline())}/room"
    sockets = [await session.ws_connect(url, compress=0) for _ in range(SPECTATORS + 1)]
    times: list[float] = []
    for _ in range(MOVES):
        arrivals: list[float] = []
        waiting = asyncio.gather(*(receive_room(socket, arrivals) for socket in sockets))
        started = time.perf_counter()
        await sockets[0].send_str("move")
        await waiting
        times += [(arrival - started) * 1000 for arrival in arrivals]
    process.stdin.close()
    process.wait(10)
    return quantile(times, 0.99)


async def main() -> None:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        with tempfile.TemporaryDirectory() as folder:
            each, p99, size = await real(session, folder)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        floor = await bare(session, size)
    report("memory of an idle spectator", f"{each:.1f} KiB", "at most 25 KiB")
    report(f"a move to {SPECTATORS} spectators, bare aiohttp, p99", f"{floor:.1f} ms")
    report(f"a move to {SPECTATORS} spectators, p99", f"{p99:.1f} ms")
    report("  ratio", f"{p99 / floor:.2f}", "at most 3")


if __name__ == "__main__":
    asyncio.run(main())
