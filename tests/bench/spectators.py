"""A thousand spectators: what an idle one costs in memory, and how long a move takes to reach all of them."""

from __future__ import annotations

import argparse
import asyncio
import json
import time

from tests.bench import command_line
from tests.bench.figures import Figure
from tests.bench.floor_server import Floor, FloorRoom
from tests.bench.listeners import Listeners
from tests.bench.measure import cpu_ns, quantile, rss_kib
from tests.bench.noughts_server import Noughts
from tests.bench.room import Room
from tests.bench.subject import Subject
from tests.bench.websocket import connect

FIRST = 100
"""Connections that fill what a server allocates once; memory is counted from there."""
VIEW_BYTES = 800
"""The size of the floor's text: a spectator's view in the middle of the game."""
QUIET_S = 2.0
"""Within this, what a server sends about a new connection has come."""


async def fill(subject: Subject, listeners: Listeners, count: int) -> float:
    """Enter with ``count`` connections in all; return the KiB of the server's memory for each.

    The players answer the server's pings meanwhile: on a busy machine this takes longer than a client may be silent.
    """
    listeners.enter(FIRST)
    listeners.drain(QUIET_S)
    before = rss_kib(subject.child.pid)
    for start in range(FIRST, count, FIRST):
        listeners.enter(min(FIRST, count - start))
        listeners.drain(0.01)
        await asyncio.sleep(0.01)
    listeners.drain(QUIET_S)
    return (rss_kib(subject.child.pid) - before) / (count - FIRST)


async def play(subject: Subject, room: Room, listeners: Listeners) -> tuple[list[float], float]:
    """Play a game; return each move's ms until 99 % of the spectators have it, and the ms of server CPU a move."""
    times = []
    before = cpu_ns(subject.child.pid)
    for socket, move in room.moves():
        started = time.perf_counter()
        socket.write(move)
        await asyncio.sleep(0)  # the event loop writes at its next turn
        times.append(quantile(listeners.time(started), 0.99) * 1000)
        await asyncio.sleep(0.02)  # the players' messages
    cpu_ms = (cpu_ns(subject.child.pid) - before) / len(times) / 1e6
    for socket in room.sockets:
        socket.discard()
    await room.renew()
    listeners.drain(0.3)
    return times, cpu_ms


async def measure(arguments: argparse.Namespace) -> list[Figure]:
    """Return the memory of an idle connection and the fan-out of a move, each beside the floor's."""
    server, floor, count = Noughts(arguments.tree), Floor(VIEW_BYTES), arguments.spectators
    times: list[float] = []
    bare_times: list[float] = []
    cpu: list[float] = []
    bare_cpu: list[float] = []
    try:
        await server.start()
        await floor.start()
        room = await server.open_room(0)
        hello = {"type": "hello", "protocol": 1}
        in_lobby = Listeners(server.ws_url, json.dumps({**hello, "lobby": True}), b'{"type":"lobby"')
        in_room = Listeners(server.ws_url, json.dumps({**hello, "room": room.id}), b'{"type":"room"')
        in_floor = Listeners(floor.url("transport/room"), "", b"")
        print(f"{count} spectators enter a room, then the lobby, then the floor", flush=True)
        room_kib = await fill(server, in_room, count)
        lobby_kib = await fill(server, in_lobby, count)
        in_lobby.close()
        bare_room = FloorRoom((await connect(floor.url("transport/room")), await connect(floor.url("transport/room"))))
        bare_kib = await fill(floor, in_floor, count)
        for number in range(arguments.rounds + 1):
            game = await play(server, room, in_room)
            bare_game = await play(floor, bare_room, in_floor)
            if number == 0:  # warm
                continue
            times += game[0]
            bare_times += bare_game[0]
            cpu.append(game[1])
            bare_cpu.append(bare_game[1])
            print(
                f"round {number}: p99 {min(game[0]):.1f} ms, {game[1]:.1f} ms of CPU; "
                f"bare {min(bare_game[0]):.1f} ms, {bare_game[1]:.1f} ms of CPU",
                flush=True,
            )
    finally:
        await floor.stop()
        await server.stop()
    return [
        Figure("memory of an idle spectator", "KiB", [room_kib], goal=20.0),
        Figure("memory of an idle connection in the lobby", "KiB", [lobby_kib], goal=20.0),
        Figure("  bare aiohttp, the same", "KiB", [bare_kib]),
        Figure(f"a move to {count} spectators, p99", "ms", times, "bare transport", bare_times, 1.5),
        Figure("  bare transport, a frame of that size", "ms", bare_times),
        Figure(f"CPU of a move to {count} spectators", "ms", cpu, "bare transport", bare_cpu),
    ]


def main() -> None:
    parser = command_line.options(__doc__)
    parser.add_argument("--spectators", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=5, help="games, of nine moves each")
    command_line.run(measure, parser)


if __name__ == "__main__":
    main()
