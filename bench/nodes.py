"""Several nodes over Redis beside one server on a file: CPU of a move, and how soon both players see it.

All servers, and each Redis with them, share one core; the load has another. Trust the ratios of the minima.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench import command_line
from bench.child import SERVER_CORE, pin
from bench.figures import Figure
from bench.noughts_server import Noughts, NoughtsRoom
from bench.side_by_side import CPU, P50, P99, Contestant, beside, play_in_turns
from bench.subject import GAME, Subject, cpu_ns
from tests.support.redis_server import RedisServer

REDIS: Final = "CPU of redis-server for a move"


class Nodes(Subject):
    """Nodes and the Redis that they share, which flushes its append-only file to the disk for each change.

    The CPU time is that of the nodes together. That of Redis between the same moments is recorded too. A room is whole on
    one node, or with ``across`` its players are connected to different nodes.
    """

    def __init__(self, name: str, directory: Path, count: int, across: bool = False) -> None:
        self.name = name
        self._across = across
        self._redis = RedisServer(directory, appendonly="yes", appendfsync="always")
        settings = {"NOUGHTS_STORE": self._redis.url}
        self._nodes = [Noughts(name=f"node {number}", settings=settings) for number in range(1, count + 1)]
        self._redis_ns: list[int] = []

    async def start(self) -> None:
        self._redis.start()
        pin(self._redis.pid, SERVER_CORE)
        for node in self._nodes:
            await node.start()

    async def open_room(self, number: int) -> NoughtsRoom:
        nodes = self._nodes
        node = nodes[number % len(nodes)]
        return await node.open_room_with(nodes[(number + 1) % len(nodes)] if self._across else node)

    def cpu_ns(self) -> int:
        self._redis_ns.append(cpu_ns(self._redis.pid))
        return sum([node.cpu_ns() for node in self._nodes])

    def rss_kib(self) -> int:
        return sum([node.rss_kib() for node in self._nodes])

    def redis_us(self, moves: int, rounds: int) -> list[float]:
        """Return the µs of Redis for each of ``moves`` in the last rounds, each of which read the time twice."""
        spans = zip(self._redis_ns[::2], self._redis_ns[1::2], strict=True)
        return [(after - before) / moves / 1000 for before, after in spans][-rounds:]

    async def stop(self) -> None:
        for node in self._nodes:
            await node.stop()
        self._redis.kill()


async def measure(arguments: argparse.Namespace) -> list[Figure]:
    """Return the cost of a move in each arrangement of nodes, and how soon it is seen."""
    with tempfile.TemporaryDirectory() as folder:
        nodes = [
            Nodes("one node", Path(folder) / "1", 1),
            Nodes("three nodes", Path(folder) / "2", 3),
            Nodes("X and O on different nodes", Path(folder) / "3", 3, across=True),
        ]
        contestants = [Contestant(subject) for subject in (Noughts(name="file"), *nodes)]
        try:
            for contestant in contestants:
                await contestant.enter(arguments.rooms)
            await play_in_turns(contestants, arguments.rounds, arguments.paced)
        finally:
            for contestant in contestants:
                await contestant.leave()
        file, one, three, across = contestants
        moves = arguments.rooms * len(GAME)
        return [
            beside(one, file, CPU, 1.15),
            beside(three, one, CPU, 1.25),
            beside(across, file, CPU, 2.0),
            *[
                Figure(f"{REDIS}: {each.name}", "µs", each.redis_us(moves, arguments.rounds), "the nodes", samples[CPU])
                for each, samples in zip(nodes, [each.samples for each in contestants[1:]], strict=True)
            ],
            *[beside(across, one, name) for name in (P50, P99)],
        ]


def main(arguments: Sequence[str]) -> None:
    """Measure arrangements of nodes."""
    parser = command_line.options(__doc__)
    parser.add_argument("--rooms", type=int, default=120)
    parser.add_argument("--rounds", type=int, default=8, help="games in every room as fast as they go")
    parser.add_argument("--paced", type=int, default=3, help="games in every room at a fixed rate")
    command_line.run(measure, parser, arguments)
