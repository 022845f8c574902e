"""Ten thousand idle connections, and two thousand that come back at once after a restart."""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from typing import Final

from tests.bench import command_line
from tests.bench.figures import Figure
from tests.bench.listeners import Listeners
from tests.bench.measure import cpu_ns, quantile, rss_kib
from tests.bench.noughts_server import Noughts
from tests.bench.paced import times_ms
from tests.bench.room import Room
from tests.bench.websocket import WebSocket

FIRST: Final = 100
"""Connections that fill what a server allocates once; memory is counted from there."""
A_ROOM: Final = 20
"""Spectators of a room."""
ROOMS_A_TURN: Final = 10
"""Rooms after whose spectators have come the others, and the players, answer the server's pings."""
PLAYED: Final = 40
"""Rooms that are played in beside the idle connections."""
MOVES_A_SECOND: Final = 200
IDLE_S: Final = 5.0
SETTLED_S: Final = 2.0


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

    async def enter(number: int) -> WebSocket:
        return await server.enter(ids[number // A_ROOM])

    after = await asyncio.gather(*(enter(number) for number in range(count)))
    seconds = time.perf_counter() - begun_s
    cpu_ms = (cpu_ns(server.child.pid) - used) / count / 1e6
    for socket in after:
        socket.close()
    return seconds, cpu_ms


async def measure(arguments: argparse.Namespace) -> list[Figure]:
    """Return what idle connections cost, and how soon many are back."""
    server, idle = Noughts(arguments.tree), arguments.idle
    try:
        await server.start()
        rooms = await server.open_rooms(PLAYED)
        ids = await server.hold_rooms(idle // A_ROOM)
        await asyncio.sleep(SETTLED_S)
        await moves_ms(rooms)  # warm
        alone_ms = await moves_ms(rooms)
        listeners = Listeners(server.ws_url, "", b'{"type":"room"')
        base_kib = 0
        for number, room in enumerate(ids):
            listeners.enter(A_ROOM, json.dumps({"type": "hello", "protocol": 1, "room": room}))
            if (number + 1) * A_ROOM == FIRST:
                base_kib = rss_kib(server.child.pid)
            if number % ROOMS_A_TURN == 0:
                listeners.drain(0.01)
                await asyncio.sleep(0.01)
            if (number + 1) % (len(ids) // 4) == 0:
                print(f"{(number + 1) * A_ROOM} of {idle} idle connections", flush=True)
        listeners.drain(SETTLED_S)
        await asyncio.sleep(0.1)
        kib = (rss_kib(server.child.pid) - base_kib) / (idle - FIRST)
        used = cpu_ns(server.child.pid)
        listeners.drain(IDLE_S)
        await asyncio.sleep(0.1)
        idle_share = (cpu_ns(server.child.pid) - used) / 1e6 / IDLE_S
        beside_ms = await moves_ms(rooms)
        listeners.close()
        for room_ in rooms:
            room_.close()
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


def main() -> None:
    parser = command_line.options(__doc__)
    parser.add_argument("--idle", type=int, default=10_000)
    parser.add_argument("--back", type=int, default=2_000)
    command_line.run(measure, parser)


if __name__ == "__main__":
    main()
