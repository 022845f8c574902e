"""Many rooms on one server: what a move costs beside them, what they cost at rest, and how soon a restart serves them.

All are created over HTTP. ``--at-once 8000`` plays in so many rooms at the same time, which takes minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Sequence

from tests.bench import command_line
from tests.bench.figures import Figure
from tests.bench.measure import cpu_ns, rss_kib
from tests.bench.moves import measure_in_turns
from tests.bench.noughts_server import Noughts
from tests.bench.room import Room
from tests.bench.subject import Subject

PLAYING = 100
"""Rooms that are played in beside the rooms that are only held."""
IDLE_S = 8.0
VISITED = 500
"""Rooms that are visited after a restart, before the idle server is measured."""


async def restart(server: Noughts, room: str) -> float:
    """Restart the server; return the seconds from its start until a spectator sees a room."""
    server.child.stop()
    started = time.perf_counter()
    await server.restart()
    socket = await server.enter(room)
    seconds = time.perf_counter() - started
    socket.close()
    return seconds


async def idle(servers: Sequence[Noughts]) -> list[float]:
    """Return the per mille of a core that each server takes while nothing is due."""
    before = [cpu_ns(server.child.pid) for server in servers]
    await asyncio.sleep(IDLE_S)
    return [(cpu_ns(server.child.pid) - start) / 1e6 / IDLE_S for server, start in zip(servers, before, strict=True)]


async def measure(arguments: argparse.Namespace) -> list[Figure]:
    """Return the cost of a move by rooms held, and what the rooms cost at rest and at a restart."""
    few, many, most = (Noughts(arguments.tree, name) for name in ("few", "many", "most"))
    at_once, held = arguments.at_once, arguments.held
    try:
        for server in (few, many, most):
            await server.start()
        few_rooms = await few.open_rooms(PLAYING)
        print(f"creating {held} rooms that are only held", flush=True)
        empty_kib = rss_kib(most.child.pid)
        ids = await most.hold_rooms(held)
        held_kib = rss_kib(most.child.pid)
        most_rooms = await most.open_rooms(PLAYING)
        print(f"creating {at_once} rooms with two players connected to each", flush=True)
        many_rooms = await many.open_rooms(at_once)
        await asyncio.sleep(1.5)  # crowd messages come up to a second late
        sets: list[tuple[str, Subject, Sequence[Room]]] = [
            (f"of {PLAYING}", few, few_rooms),
            (f"{PLAYING} of {at_once}", many, many_rooms[:PLAYING]),
            (f"{PLAYING} of {held}", most, most_rooms),
            (f"{at_once} at once", many, many_rooms),
        ]
        costs = list((await measure_in_turns(sets, arguments.rounds)).values())
        for rooms in (many_rooms, most_rooms):
            for room in rooms:
                room.close()
        print("restarting the server twice, then leaving it alone", flush=True)
        seconds = [await restart(most, ids[77]) for _ in range(2)]
        for room_id in ids[:VISITED]:
            (await most.enter(room_id)).close()
        await asyncio.sleep(2.0)
        few_idle, most_idle = await idle([few, most])
    finally:
        for server in (few, many, most):
            await server.stop()
    base = f"{PLAYING} rooms"
    return [
        Figure(f"CPU of a move in {PLAYING} rooms of {at_once} held", "µs", costs[1], base, costs[0], 1.15),
        Figure(f"CPU of a move in {PLAYING} rooms of {held} held", "µs", costs[2], base, costs[0], 1.15),
        Figure(f"CPU of a move in {at_once} rooms at once", "µs", costs[3], base, costs[0], 1.15),
        Figure(f"  {PLAYING} rooms, the same", "µs", costs[0]),
        Figure(f"memory of a room, {held} held", "KiB", [(held_kib - empty_kib) / held]),
        Figure(f"restart with {held} live rooms until one is served", "s", seconds, goal=5.0),
        Figure(f"CPU of an idle server with {held} rooms, ‰ of a core", "‰", [most_idle], base, [few_idle]),
    ]


def main() -> None:
    parser = command_line.options(__doc__)
    parser.add_argument("--held", type=int, default=10_000)
    parser.add_argument("--at-once", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=4)
    command_line.run(measure, parser)


if __name__ == "__main__":
    main()
