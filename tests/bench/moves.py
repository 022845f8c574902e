"""Server CPU for one durable move that two players see: the floor and one or more servers, in turn, in one run.

``python -m tests.bench.moves --server PATH --server PATH``: a PATH is a source tree, so that two can be compared.
All threads of the server count, its children do not. Trust the ratio of the minima: other load only adds.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
from collections.abc import Sequence
from pathlib import Path

import uvloop

from tests.bench.child import LOAD_CORE, pin
from tests.bench.floor_server import Floor
from tests.bench.measure import cpu_ns
from tests.bench.noughts_server import TREE, Noughts
from tests.bench.peer_servers import peers
from tests.bench.room import GAME, Room, play_all
from tests.bench.subject import Subject

QUIET_S = 0.05
"""The pause before and after a round, in which a server ends what it does after the last answer."""


async def measure_round(subject: Subject, rooms: Sequence[Room]) -> float:
    """Return the µs of server CPU a move, for one game in every room."""
    for room in rooms:
        room.prepare()
    await asyncio.sleep(QUIET_S)
    before = cpu_ns(subject.child.pid)
    await play_all(rooms)
    await asyncio.sleep(QUIET_S)
    used = cpu_ns(subject.child.pid) - before
    assert all(room.finished() for room in rooms), f"{subject.name}: a game has not ended"
    await asyncio.gather(*(room.renew() for room in rooms))
    return used / (len(rooms) * len(GAME)) / 1000


async def measure(servers: Sequence[Subject], rooms: int, rounds: int) -> dict[str, list[float]]:
    """Return the µs a move of every round, for the floor and each server; print each round."""
    subjects: list[Subject] = []
    opened: list[list[Room]] = []
    costs: dict[str, list[float]] = {}
    try:
        for server in servers:
            await server.start()
            subjects.append(server)
            opened.append(await server.open_rooms(rooms))
        size = max(server.view_size for server in servers if isinstance(server, Noughts))
        floor = Floor(size)
        await floor.start()
        subjects.insert(0, floor)
        opened.insert(0, await floor.open_rooms(rooms))
        costs = {subject.name: [] for subject in subjects}
        await asyncio.sleep(1.5)  # the last crowd messages
        for subject, its_rooms in zip(subjects, opened, strict=True):  # a game to warm up
            await measure_round(subject, its_rooms)
        print(f"{rooms} rooms, views of {size} bytes; µs a move")
        print("round   " + "".join(f"{name:>14}" for name in costs), flush=True)
        for number in range(rounds):
            pairs = list(zip(subjects, opened, strict=True))
            turn = number % len(pairs)
            for subject, its_rooms in pairs[turn:] + pairs[:turn]:
                costs[subject.name].append(await measure_round(subject, its_rooms))
            print(f"{number + 1:<8}" + "".join(f"{values[-1]:14.1f}" for values in costs.values()), flush=True)
    finally:
        for its_rooms in opened:
            for room in its_rooms:
                room.close()
        for subject in subjects:
            await subject.stop()
    return costs


def print_summary(costs: dict[str, list[float]]) -> None:
    """Print minima, medians and their ratios to the floor; then the median of the ratios within each round."""
    for label, summary in (("minimum", min), ("median", statistics.median)):
        floor = summary(costs["floor"])
        print(f"{label:<8}" + "".join(f"{summary(values):14.1f}" for values in costs.values()))
        print("  ratio " + "".join(f"{summary(values) / floor:14.2f}" for values in costs.values()), flush=True)
    pairs = [[cost / floor for cost, floor in zip(values, costs["floor"], strict=True)] for values in costs.values()]
    print("by round" + "".join(f"{statistics.median(ratios):14.2f}" for ratios in pairs), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.moves", description=__doc__.splitlines()[0])
    parser.add_argument("--server", action="append", metavar="PATH", help="a source tree (default: this one)")
    parser.add_argument("--rooms", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--peers", action="store_true", help="measure Colyseus and boardgame.io too")
    arguments = parser.parse_args()
    pin(os.getpid(), LOAD_CORE)
    trees = [Path(path).resolve() for path in arguments.server or [TREE]]
    names = [tree.name if [t.name for t in trees].count(tree.name) == 1 else str(tree)[-13:] for tree in trees]
    servers: list[Subject] = [Noughts(tree, name) for tree, name in zip(trees, names, strict=True)]
    if arguments.peers:
        servers += peers()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        print_summary(runner.run(measure(servers, arguments.rooms, arguments.rounds)))


if __name__ == "__main__":
    main()
