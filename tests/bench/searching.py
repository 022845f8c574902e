"""What searches cost everyone who does not wait for them: the server's own answers, and a move between two people.

The servers and the searches share all cores here, as they do in use.
"""

from __future__ import annotations

import argparse
import asyncio
import time

from tests.bench import command_line
from tests.bench.figures import Figure
from tests.bench.measure import quantile
from tests.bench.noughts_server import Noughts
from tests.bench.room import Room
from tests.bench.websocket import WebSocket

AT_ONCE = 8
"""Rooms in which two engines think all the time."""
PINGS = 300
PING_INTERVAL_S = 0.01


async def pings(socket: WebSocket) -> float:
    """Return p99 of the ms from a ping to its pong: how late the event loop can be."""
    times = []
    for number in range(PINGS):
        started = time.perf_counter()
        socket.send(f'{{"type":"ping","id":"p{number}"}}')
        await socket.until(b'{"type":"pong"')
        times.append((time.perf_counter() - started) * 1000)
        await asyncio.sleep(PING_INTERVAL_S)
    return quantile(times, 0.99)


async def moves(room: Room, games: int) -> float:
    """Return p99 of the ms from a move until the opponent sees it."""
    times = []
    for _ in range(games):
        for socket, move in room.moves():
            other = room.sockets[1 - room.sockets.index(socket)]
            started = time.perf_counter()
            socket.write(move)
            await other.until(b'{"type":"room"')
            times.append((time.perf_counter() - started) * 1000)
            await socket.until_each(b'{"type":"room"', b'{"type":"ok"')
        await room.renew()
    return quantile(times, 0.99)


async def search(server: Noughts) -> list[WebSocket]:
    """Open rooms in which two engines think all the time; return the spectators that keep them going."""
    token = await server.guest()
    body = {"variant": "ultimate", "opponent": "engines", "levels": ["strongest", "strongest"]}
    ids = [str((await server.post("/api/rooms", body, token))["room"]["id"]) for _ in range(AT_ONCE)]
    spectators = [await server.enter(room) for room in ids]
    for spectator in spectators:
        spectator.receiver = lambda message: None
    return spectators


async def measure(arguments: argparse.Namespace) -> list[Figure]:
    """Return how long pings and moves take while every process searches, beside a server that does not search."""
    quiet, busy = Noughts(arguments.tree, "quiet", None), Noughts(arguments.tree, "busy", None)
    lags: dict[str, list[float]] = {"quiet": [], "busy": []}
    times: dict[str, list[float]] = {"quiet": [], "busy": []}
    try:
        for server in (quiet, busy):
            await server.start()
        rooms = {server.name: await server.open_room(0) for server in (quiet, busy)}
        for server in (quiet, busy):
            spectators = await search(server) if server is busy else []
            await asyncio.sleep(2.0)
            for number in range(arguments.rounds):
                lags[server.name].append(await pings(await server.enter(rooms[server.name].id)))
                times[server.name].append(await moves(rooms[server.name], 10))
                print(
                    f"{server.name}, round {number + 1}: ping {lags[server.name][-1]:.1f} ms, "
                    f"move {times[server.name][-1]:.1f} ms (p99)",
                    flush=True,
                )
            for spectator in spectators:
                spectator.close()
    finally:
        await quiet.stop()
        await busy.stop()
    return [
        Figure(f"answer to a ping, {AT_ONCE} searches at once, p99", "ms", lags["busy"], goal=20.0),
        Figure("  without a search", "ms", lags["quiet"]),
        Figure(
            f"a move between two people, {AT_ONCE} searches at once, p99",
            "ms",
            times["busy"],
            "without a search",
            times["quiet"],
            3.0,
        ),
        Figure("  without a search", "ms", times["quiet"]),
    ]


def main() -> None:
    parser = command_line.options(__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    command_line.run(measure, parser, pinned=False)


if __name__ == "__main__":
    main()
