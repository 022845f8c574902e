"""Several nodes over Redis beside one server on a file: CPU of a move, growth with rooms, commands at rest, time to be seen,
stop and start.

All servers, and each Redis with them, share one core; the load has another. Trust the ratios of the minima.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import resource
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from tests.bench import command_line
from tests.bench.cluster import Cluster, NodesSubject, commands_a_second
from tests.bench.figures import Figure
from tests.bench.measure import quantile
from tests.bench.moves import measure_in_turns
from tests.bench.noughts_server import Noughts
from tests.bench.room import GAME, Room
from tests.bench.subject import AT_ONCE, Subject
from tests.bench.websocket import WebSocket

MOVES_A_SECOND: Final = 500
IDLE_S: Final = 5.0
SETTLED_S: Final = 1.5
"""Within this, what a server sends about new connections has come."""


class Watched:
    """One room, and how many ms after each move the player who moved and the other player saw it."""

    def __init__(self, room: Room) -> None:
        self.own_ms: list[float] = []
        self.other_ms: list[float] = []
        self._moves = room.moves()
        self._next = 0
        self._sent_s = 0.0
        self._waits: set[WebSocket] = set()
        self._seen = asyncio.Event()
        self._seen.set()
        for socket in room.sockets:
            socket.receiver = partial(self._receive, socket)
        self._sockets = room.sockets

    async def play(self) -> None:
        """Send the next move, once both players have seen the one before."""
        await self._seen.wait()
        self._seen.clear()
        self._waits = set(self._sockets)
        socket, data = self._moves[self._next]
        self._next += 1
        self._sent_s = time.perf_counter()
        socket.write(data)

    async def played(self) -> None:
        """Wait until both players have seen the last move."""
        await self._seen.wait()

    def _receive(self, socket: WebSocket, message: bytes) -> None:
        if socket not in self._waits or not message.startswith(b'{"type":"room"'):
            return
        mover = self._moves[self._next - 1][0]
        (self.own_ms if socket is mover else self.other_ms).append((time.perf_counter() - self._sent_s) * 1000)
        self._waits.discard(socket)
        if not self._waits:
            self._seen.set()


async def watch(rooms: Sequence[Room]) -> tuple[list[float], list[float]]:
    """Play a game in every room at a steady rate; return the ms until the mover and until the other player saw each move."""
    watched = [Watched(room) for room in rooms]
    begun_s = time.perf_counter()
    async with asyncio.timeout(120.0):
        for number in range(len(rooms) * len(GAME)):
            await asyncio.sleep(max(0.0, begun_s + number / MOVES_A_SECOND - time.perf_counter()))
            await watched[number % len(rooms)].play()
        for each in watched:
            await each.played()
    await asyncio.sleep(SETTLED_S)
    await asyncio.gather(*[room.renew() for room in rooms])
    return [ms for each in watched for ms in each.own_ms], [ms for each in watched for ms in each.other_ms]


async def hold(node: Noughts, count: int) -> list[WebSocket]:
    """Create rooms and connect a spectator to each, so that the node holds them."""
    ids = await node.hold_rooms(count)
    gate = asyncio.Semaphore(AT_ONCE)

    async def enter(room: str) -> WebSocket:
        async with gate:
            while True:
                with contextlib.suppress(ConnectionError):  # Redis was late, so the node sends a client away
                    return await node.enter(room)

    return list(await asyncio.gather(*[enter(room) for room in ids]))


async def restart(node: Noughts) -> tuple[float, float]:
    """Stop a node and start it again. Return the seconds from SIGTERM to its exit, and from its start until it is ready."""
    begun_s = time.perf_counter()
    await asyncio.to_thread(node.child.stop)
    stopped_s = time.perf_counter()
    await node.restart()
    await node.get("/readyz")
    return stopped_s - begun_s, time.perf_counter() - stopped_s


async def measure(arguments: argparse.Namespace) -> list[Figure]:
    """Return the cost of a move in each arrangement of nodes, and how soon it is seen."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count, rounds, held = arguments.rooms, arguments.rounds, arguments.held
    with tempfile.TemporaryDirectory() as folder:
        file = Noughts(arguments.tree, "file")
        clusters = [Cluster(arguments.tree, Path(folder) / str(number), number) for number in (1, 2, 3)]
        one, two, three = clusters
        subjects: list[Subject] = [
            file,
            NodesSubject("one node", one),
            NodesSubject("two nodes", two),
            NodesSubject("three nodes", three),
            NodesSubject("across nodes", three, across=True),
        ]
        sets: list[tuple[str, Subject, Sequence[Room]]] = []
        own_ms: list[list[float]] = []
        other_ms: list[list[float]] = []
        growth: dict[str, list[float]] = {}
        idle = stop_s = start_s = 0.0
        try:
            await file.start()
            for cluster in clusters:
                await cluster.start()
            sets += [(subject.name, subject, await subject.open_rooms(count)) for subject in subjects]
            await asyncio.sleep(SETTLED_S)
            costs = await measure_in_turns(sets, rounds)
            redis = {
                each.name: each.redis_us(count * len(GAME), rounds)
                for each in subjects[1:]
                if isinstance(each, NodesSubject)
            }
            for _ in range(arguments.watches):
                seen = await watch(sets[-1][2])
                own_ms.append(seen[0])
                other_ms.append(seen[1])
            if held:
                few = NodesSubject("few rooms", one)
                many = Cluster(arguments.tree, Path(folder) / "many", 1)
                clusters.append(many)
                await many.start()
                crowd = NodesSubject(f"{held} rooms", many)
                print(f"{held} rooms that a node holds", flush=True)
                sockets = await hold(many.nodes[0], held)
                await asyncio.sleep(SETTLED_S)
                idle = await commands_a_second(many.nodes, IDLE_S)
                growth_sets: list[tuple[str, Subject, Sequence[Room]]] = [
                    (few.name, few, sets[1][2][:100]), (crowd.name, crowd, await crowd.open_rooms(100)),
                ]  # fmt: skip
                growth = await measure_in_turns(growth_sets, rounds)
                stop_s, start_s = await restart(many.nodes[0])
                for socket in sockets:
                    socket.close()
        finally:
            for _, _, rooms in sets:
                for room in rooms:
                    room.close()
            await file.stop()
            for cluster in clusters:
                await cluster.stop()
    p50_ms = [quantile(values, 0.5) for values in other_ms]
    figures = [
        Figure("CPU of a move, one node over Redis", "µs", costs["one node"], "file", costs["file"], 1.15),
        Figure("CPU of a move, rooms on three nodes", "µs", costs["three nodes"], "one node", costs["one node"], 1.25),
        Figure("CPU of a move, X and O on different nodes", "µs", costs["across nodes"], "file", costs["file"], 2.0),
        Figure("CPU of redis-server, one node", "µs", redis["one node"], "the node", costs["one node"], 0.35),
        Figure("CPU of redis-server, two nodes", "µs", redis["two nodes"], "the nodes", costs["two nodes"]),
        Figure("CPU of redis-server, three nodes", "µs", redis["three nodes"], "the nodes", costs["three nodes"]),
        Figure("CPU of redis-server, X and O apart", "µs", redis["across nodes"], "the nodes", costs["across nodes"]),
        Figure("  one server on a file", "µs", costs["file"]),
        Figure(f"seen on another node at {MOVES_A_SECOND} moves a second, p50", "ms", p50_ms, "mover's node",
               [quantile(values, 0.5) for values in own_ms], 2.0),
        Figure("  the same, p99", "ms", [quantile(values, 0.99) for values in other_ms], goal=10.0),
        Figure("  p99 on the mover's node", "ms", [quantile(values, 0.99) for values in own_ms]),
    ]  # fmt: skip
    if held:
        few_costs, many_costs = growth.values()
        figures += [
            Figure(f"CPU of a move in 100 rooms of {held} held", "µs", many_costs, "100 rooms", few_costs, 1.3),
            Figure(f"Redis commands a second of an idle node, {held} held", "", [idle], goal=10.0),
            Figure(f"SIGTERM to exit with {held} connections", "s", [stop_s], goal=3.0),
            Figure(f"start to ready with {held} rooms", "s", [start_s], goal=1.5),
        ]
    return figures


def main() -> None:
    parser = command_line.options(__doc__)
    parser.add_argument("--rooms", type=int, default=120)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument(
        "--watches", type=int, default=3, help="games in which the time until a move is seen is measured"
    )
    parser.add_argument("--held", type=int, default=10_000, help="rooms that a node holds with a connection to each")
    command_line.run(measure, parser)


if __name__ == "__main__":
    main()
