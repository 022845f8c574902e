"""The same games on this server, over a file and over Redis, and on a bare aiohttp server.

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

from bench import command_line
from bench.child import SERVER_CORE, pin
from bench.figures import Figure, quantile
from bench.floor import Floor
from bench.noughts_server import Noughts
from bench.paced import MOVES_A_SECOND, times_ms
from bench.subject import Room, Subject, play_round, warm_up
from tests.support.redis_server import RedisServer

FIRST: Final = 20
"""Rooms that fill what a server allocates once; memory is counted from there."""
SETTLED_S: Final = 1.5
"""Crowd messages come up to a second late."""
CPU, RATE, MEMORY = "CPU of a move", "moves a second", "memory for a player's connection"
P50, P99 = (f"a move at {MOVES_A_SECOND} a second, p{number}" for number in (50, 99))
UNITS: Final = {CPU: "µs", RATE: "", P50: "ms", P99: "ms", MEMORY: "KiB"}
GOAL: Final = 3.0
"""How many times the CPU of a move on the bare server a move may cost here."""


class OverRedis(Noughts):
    """``noughts serve`` over a Redis of its own, which flushes its append-only file for each change."""

    def __init__(self) -> None:
        self._directory = tempfile.TemporaryDirectory()
        self._redis = RedisServer(Path(self._directory.name), appendonly="yes", appendfsync="always")
        super().__init__(name="Noughts, Redis", settings={"NOUGHTS_STORE": self._redis.url})

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
        self.samples: dict[str, list[float]] = {name: [] for name in UNITS}

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
        """Close the connections and stop the server."""
        for room in self.rooms:
            room.close()
        await self.subject.stop()


async def play_in_turns(contestants: Sequence[Contestant], rounds: int, paced: int) -> None:
    """Play in the rooms of all servers in turns. Another server begins each round."""
    for number in range(rounds + paced):
        turn = number % len(contestants)
        for contestant in [*contestants[turn:], *contestants[:turn]]:
            await (contestant.play() if number < rounds else contestant.play_paced())
        name = CPU if number < rounds else P99
        values = ", ".join(f"{each.subject.name} {each.samples[name][-1]:.1f}" for each in contestants)
        print(f"round {number + 1} of {rounds + paced}: {name}, {UNITS[name]}: {values}", flush=True)


async def enter_all(subjects: Sequence[Noughts | Subject], rooms: int) -> list[Contestant]:
    """Start these servers, and a bare one with texts of the size of the first one's views. The caller lets them leave."""
    contestants: list[Contestant] = []
    try:
        for subject in subjects:
            contestants.append(Contestant(subject))
            await contestants[-1].enter(rooms)
        assert isinstance(subjects[0], Noughts)
        contestants.append(Contestant(Floor(subjects[0].view_size)))
        await contestants[-1].enter(rooms)
    except BaseException:
        for contestant in contestants:
            await contestant.leave()
        raise
    return contestants


def beside(one: Contestant, other: Contestant, measure: str, goal: float | None = None) -> Figure:
    """Return a figure that compares two servers."""
    name, samples = other.subject.name, other.samples[measure]
    what = f"{measure}: {one.subject.name}"
    return Figure(what, UNITS[measure], one.samples[measure], name, samples, goal, more_is_better=measure == RATE)


def alone(one: Contestant, measure: str) -> Figure:
    """Return a figure of one server."""
    what = f"{measure}: {one.subject.name}"
    return Figure(what, UNITS[measure], one.samples[measure], more_is_better=measure == RATE)


async def measure(arguments: argparse.Namespace) -> list[Figure]:
    """Return the figures of both servers beside those of the bare one."""
    contestants = await enter_all([Noughts(), OverRedis()], arguments.rooms)
    try:
        await play_in_turns(contestants, arguments.rounds, arguments.paced)
    finally:
        for contestant in contestants:
            await contestant.leave()
    *servers, floor = contestants
    goals = {CPU: GOAL}
    return [
        row
        for name in UNITS
        for row in (*[beside(each, floor, name, goals.get(name)) for each in servers], alone(floor, name))
    ]


def main(arguments: Sequence[str]) -> None:
    """Measure this server and the bare one."""
    parser = command_line.options(__doc__)
    parser.add_argument("--rooms", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=8, help="games in every room as fast as they go")
    parser.add_argument("--paced", type=int, default=2, help="games in every room at a fixed rate")
    command_line.run(measure, parser, arguments)
