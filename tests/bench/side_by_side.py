"""The same games on this server, over a file and over Redis, on a bare aiohttp server, on Colyseus and on boardgame.io.

For each: server CPU for a move, moves a second, the time of a move at a fixed rate, and memory for a connection. The servers
take turns, and all are played by the same load program.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.bench import command_line
from tests.bench.child import SERVER_CORE, pin
from tests.bench.figures import Figure
from tests.bench.floor_server import Floor
from tests.bench.measure import quantile
from tests.bench.moves import play_round, warm_up
from tests.bench.noughts_server import Noughts
from tests.bench.paced import MOVES_A_SECOND, times_ms
from tests.bench.peer_servers import peers
from tests.bench.room import Room
from tests.bench.subject import Subject
from tests.support.redis_server import RedisServer

FIRST: Final = 20
"""Rooms that fill what a server allocates once; memory is counted from there."""
SETTLED_S: Final = 1.5
"""Crowd messages come up to a second late."""
MEASURES: Final = {
    "CPU of a move": "µs",
    "moves a second": "",
    f"a move at {MOVES_A_SECOND} a second, p50": "ms",
    f"a move at {MOVES_A_SECOND} a second, p99": "ms",
    "memory for a connection": "KiB",
}
CPU, RATE, P50, P99, MEMORY = MEASURES
OURS: Final = "Noughts"
FLOOR: Final = "bare aiohttp"
GOALS: Final = {FLOOR: 3.0, "Colyseus": 1.4, "boardgame.io": 1.0}
"""How many times the CPU of a move elsewhere a move may cost here."""


class OverRedis(Noughts):
    """``noughts serve`` over a Redis of its own, which flushes its append-only file for each change."""

    durable = "the move, flushed to the disk of Redis"

    def __init__(self, tree: Path) -> None:
        self._directory = tempfile.TemporaryDirectory()
        self._redis = RedisServer(Path(self._directory.name), appendonly="yes", appendfsync="always")
        super().__init__(tree, f"{OURS}, Redis", settings={"NOUGHTS_STORE": self._redis.url})

    async def start(self) -> None:
        self._redis.start()
        pin(self._redis.pid, SERVER_CORE)
        await super().start()

    async def stop(self) -> None:
        await super().stop()
        self._redis.kill()
        self._directory.cleanup()


class Contestant:
    """A server, its rooms, and the samples of each measure."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.rooms: list[Room] = []
        self.samples: dict[str, list[float]] = {name: [] for name in MEASURES}

    async def enter(self, count: int) -> None:
        """Start the server, open the rooms, and measure their memory."""
        print(f"starting {self.subject.name} with {count} rooms", flush=True)
        await self.subject.start()
        self.rooms = await self.subject.open_rooms(FIRST)
        await asyncio.sleep(SETTLED_S)
        before = self.subject.rss_kib()
        self.rooms += await self.subject.open_rooms(count - FIRST, FIRST)
        await asyncio.sleep(SETTLED_S)
        self.samples[MEMORY].append((self.subject.rss_kib() - before) / (2 * (count - FIRST)))
        await warm_up(self.subject, self.rooms)

    async def play(self) -> None:
        """Play a game in every room as fast as it goes."""
        round_ = await play_round(self.subject, self.rooms)
        self.samples[CPU].append(round_.cpu_us)
        self.samples[RATE].append(round_.moves_a_second)

    async def play_paced(self) -> None:
        """Play a game in every room at the fixed rate."""
        times = await times_ms(self.rooms)
        self.samples[P50].append(quantile(times, 0.5))
        self.samples[P99].append(quantile(times, 0.99))

    async def leave(self) -> None:
        for room in self.rooms:
            room.close()
        await self.subject.stop()


def figures(contestants: Sequence[Contestant]) -> list[Figure]:
    """Return a figure for each server and measure beside the floor's, and our cost of a move beside each other one's."""
    samples = {contestant.subject.name: contestant.samples for contestant in contestants}
    rows = [
        Figure(
            measure,
            unit,
            samples[name][measure],
            FLOOR if name != FLOOR else "",
            samples[FLOOR][measure] if name != FLOOR else (),
            subject=name,
            more_is_better=measure == RATE,
        )
        for measure, unit in MEASURES.items()
        for name in samples
    ]
    for name, goal in GOALS.items():
        if name in samples:
            rows.append(Figure("CPU of a durable move", "µs", samples[OURS][CPU], name, samples[name][CPU], goal))
    return rows


async def measure(arguments: argparse.Namespace) -> list[Figure]:
    """Return the figures of all servers."""
    ours = Noughts(arguments.tree, OURS)
    contestants = [Contestant(subject) for subject in (ours, OverRedis(arguments.tree), *peers())]
    entered: list[Contestant] = []
    try:
        for contestant in contestants:
            entered.append(contestant)
            await contestant.enter(arguments.rooms)
        floor = Contestant(Floor(ours.view_size))
        floor.subject.name = FLOOR
        entered.append(floor)
        await floor.enter(arguments.rooms)
        for number in range(arguments.rounds):
            turn = number % len(entered)
            for contestant in [*entered[turn:], *entered[:turn]]:
                await contestant.play()
            costs = ", ".join(f"{each.subject.name} {each.samples[CPU][-1]:.0f}" for each in entered)
            print(f"round {number + 1} of {arguments.rounds}, µs a move: {costs}", flush=True)
        for number in range(arguments.paced):
            for contestant in entered:
                await contestant.play_paced()
            times = ", ".join(f"{each.subject.name} {each.samples[P50][-1]:.2f}" for each in entered)
            print(f"paced round {number + 1} of {arguments.paced}, p50 ms: {times}", flush=True)
    finally:
        for contestant in entered:
            await contestant.leave()
    return figures(entered)


def main() -> None:
    parser = command_line.options(__doc__)
    parser.add_argument("--rooms", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=8, help="games in every room as fast as they go")
    parser.add_argument("--paced", type=int, default=2, help="games in every room at a fixed rate")
    command_line.run(measure, parser)


if __name__ == "__main__":
    main()
