"""Ten thousand idle connections, and two thousand that come back at once after a restart."""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import time
from collections.abc import Sequence
from typing import Final

from bench import command_line
from bench.figures import Figure, quantile
from bench.listeners import Listeners
from bench.noughts_server import Noughts
from bench.paced import times_ms
from bench.subject import Room, cpu_ns
from bench.websocket import WebSocket

FIRST: Final = 100
"""Connections that fill what a server allocates once; memory is counted from there."""
A_ROOM: Final = 20
"""Spectators of a room."""
PLAYED: Final = 40
"""Rooms that are played in beside the idle connections."""
MOVES_A_SECOND: Final = 200
IDLE_S: Final = 5.0
SETTLED_S: Final = 2.0


async def enter(server: Noughts, ids: Sequence[str], listeners: Listeners) -> float:
    """Let spectators into each room, and return the KiB of memory for each connection."""
    base_kib = 0
    for number, room in enumerate(ids, 1):
        listeners.enter(A_ROOM, json.dumps({"type": "hello", "protocol": 1, "room": room}))
        if number * A_ROOM == FIRST:
            base_kib = server.rss_kib()
        if number % 10 == 0:
            listeners.drain(0.01)  # answer the pings of those who are there
            await asyncio.sleep(0.01)  # and so do the players
    listeners.drain(SETTLED_S)
    await asyncio.sleep(0.1)
    return (server.rss_kib() - base_kib) / (len(ids) * A_ROOM - FIRST)


async def idle_kib(server: Noughts, idle: int) -> float:
    """Return the KiB of memory that a server takes for each of some idle connections."""
    listeners = Listeners(server.ws_url, b'{"type":"room"')
    try:
        return await enter(server, await server.hold_rooms(idle // A_ROOM), listeners)
    finally:
        listeners.close()


async def moves_ms(rooms: list[Room]) -> list[float]:
    """Return the ms of each move of two games in every room."""
    return [ms for _ in range(2) for ms in await times_ms(rooms, MOVES_A_SECOND)]


async def reconnect(server: Noughts, ids: list[str], count: int) -> tuple[float, float]:
    """Restart the server under connections. Return the seconds until all have a view again, and the ms of CPU for each."""
    before = [await server.enter(ids[number // A_ROOM]) for number in range(count)]
    await server.restart()
    for socket in before:
        socket.close()
    used, begun_s = cpu_ns(server.child.pid), time.perf_counter()

    async def enter_again(number: int) -> WebSocket:
        return await server.enter(ids[number // A_ROOM])

    after = await asyncio.gather(*(enter_again(number) for number in range(count)))
    seconds = time.perf_counter() - begun_s
    cpu_ms = (cpu_ns(server.child.pid) - used) / count / 1e6
    for socket in after:
        socket.close()
    return seconds, cpu_ms


async def measure(arguments: argparse.Namespace) -> list[Figure]:
    """Return what idle connections cost, and how soon many are back."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    server, idle = Noughts(), arguments.idle
    try:
        await server.start()
        rooms = await server.open_rooms(PLAYED)
        ids = await server.hold_rooms(idle // A_ROOM)
        await asyncio.sleep(SETTLED_S)
        await moves_ms(rooms)  # warm
        alone_ms = await moves_ms(rooms)
        listeners = Listeners(server.ws_url, b'{"type":"room"')
        kib = await enter(server, ids, listeners)
        used = cpu_ns(server.child.pid)
        listeners.drain(IDLE_S)
        await asyncio.sleep(0.1)
        idle_share = (cpu_ns(server.child.pid) - used) / 1e6 / IDLE_S
        beside_ms = await moves_ms(rooms)
        listeners.close()
        for room in rooms:
            room.close()
        print(f"{arguments.back} connections come back after a restart", flush=True)
        seconds, cpu_ms = await reconnect(server, ids, arguments.back)
    finally:
        await server.stop()
    pairs = [(share, quantile(beside_ms, share), quantile(alone_ms, share)) for share in (0.5, 0.99)]
    return [
        Figure(f"memory of an idle connection, {idle} open", "KiB", [kib], goal=20.0),
        Figure(f"CPU of a server with {idle} idle connections, ‰ of a core", "‰", [idle_share]),
        *[
            Figure(f"a move beside {idle} idle connections, p{100 * share:.0f}", "ms", [ms], "alone", [alone])
            for share, ms, alone in pairs
        ],
        Figure(f"{arguments.back} connections are back after a restart", "s", [seconds]),
        Figure("CPU of a connection that comes back", "ms", [cpu_ms]),
    ]


def main(arguments: Sequence[str]) -> None:
    """Measure idle connections."""
    parser = command_line.options(__doc__)
    parser.add_argument("--idle", type=int, default=10_000)
    parser.add_argument("--back", type=int, default=2_000)
    command_line.run(measure, parser, arguments)
