"""What searches cost those who do not wait for them: the event loop's lag, and a move between two people."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

import aiohttp
import uvloop

from noughts.app.search.pool import SearchPool
from noughts.rules.variant import VARIANTS
from tests.bench.measure import quantile, report
from tests.support.player import Api, guest
from tests.support.server import QUICK, RunningServer

SECONDS = 8.0
AT_ONCE = 8
GAME = "b2 a1 c3 a3 a2 c2 b1 b3 c1".split()


async def lag() -> float:
    """p99 of how late a look every 5 ms comes, in ms, while every process searches."""
    pool = SearchPool(0)
    await pool.start()
    variant = VARIANTS["ultimate"]
    until = time.monotonic() + SECONDS

    async def search() -> None:
        while time.monotonic() < until:
            await pool.move(variant, (40,), "strongest", 1.0, 1)

    late: list[float] = []

    async def look() -> None:
        while time.monotonic() < until:
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            late.append((time.perf_counter() - before - 0.005) * 1000)

    await asyncio.gather(look(), *(search() for _ in range(AT_ONCE)))
    await pool.stop()
    return quantile(late, 0.99)


async def moves(server: RunningServer, rounds: int) -> float:
    """p99 of a move between two people, from sent to seen by the other, in ms."""
    ann, ben = await guest(server.url), await guest(server.url)
    times: list[float] = []
    async with aiohttp.ClientSession() as session:
        for number in range(rounds):
            made = await ann.post("/api/rooms", {"variant": "classic", "opponent": "friend", "mark": "X"})
            hello = {"type": "hello", "protocol": 1, "room": made["room"]["id"]}
            sockets = []
            for player in (ann, ben):
                socket = await session.ws_connect(server.ws_url, compress=0)
                await socket.send_json({**hello, "token": player.token})
                sockets.append(socket)
            await sockets[1].send_json({"type": "sit", "id": "sit", "mark": "O", "invite": made["invite"]})
            await seen(sockets[1], '"phase":"playing"')
            await seen(sockets[0], '"phase":"playing"')
            for ply, cell in enumerate(GAME):
                started = time.perf_counter()
                await sockets[ply % 2].send_str(f'{{"type":"move","id":"m{number}-{ply}","ply":{ply},"cell":"{cell}"}}')
                await seen(sockets[(ply + 1) % 2], f'"{cell}"],"marks"')
                times.append((time.perf_counter() - started) * 1000)
                await seen(sockets[ply % 2], f'"{cell}"],"marks"')
            for socket in sockets:
                await socket.close()
    return quantile(times, 0.99)


async def seen(socket: aiohttp.ClientWebSocketResponse, part: str) -> None:
    while True:
        text = str((await socket.receive()).data)
        if text.startswith('{"type":"room"') and part in text:
            return


async def busy(ann: Api, server: RunningServer) -> list[aiohttp.ClientSession]:
    """Eight rooms in which two engines think all the time, each with somebody who watches."""
    sessions = []
    for _ in range(AT_ONCE):
        made = await ann.post(
            "/api/rooms", {"variant": "ultimate", "opponent": "engines", "levels": ["strongest", "strongest"]}
        )
        session = aiohttp.ClientSession()
        socket = await session.ws_connect(server.ws_url, compress=0)
        await socket.send_json({"type": "hello", "protocol": 1, "room": made["room"]["id"]})
        sessions.append(session)
    return sessions


async def main() -> None:
    report("event-loop lag while every process searches, p99", f"{await lag():.1f} ms", "under 20 ms")
    with tempfile.TemporaryDirectory() as folder:
        server = RunningServer(Path(folder), QUICK).start()
        try:
            idle = await moves(server, 30)
            sessions = await busy(await guest(server.url), server)
            searching = await moves(server, 30)
            for session in sessions:
                await session.close()
        finally:
            server.stop()
    report("a move between two people, nobody searching, p99", f"{idle:.1f} ms")
    report(f"a move between two people, {AT_ONCE} searches at once, p99", f"{searching:.1f} ms")
    report("  ratio", f"{searching / idle:.2f}", "at most 3")


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())
