"""Server CPU for one durable move that two players see: the floor and one or more servers, in turn, in one run.

``python -m tests.bench.moves --server PATH --server PATH``: a PATH is a source tree, so that two can be compared.
All threads of a server count, its children do not. Trust the ratio of the minima: other load only adds.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench import command_line
from tests.bench.figures import Figure
from tests.bench.floor_server import Floor
from tests.bench.noughts_server import Noughts
from tests.bench.peer_servers import peers
from tests.bench.room import GAME, Room, play_all
from tests.bench.subject import Subject

QUIET_S = 0.05
"""The pause before and after a round, in which a server ends what it does after the last answer."""
WARM_UP_MOVES = 6_000
"""Moves that are not counted: by then a compiler at run time has done its work."""


class Round(NamedTuple):
    """The µs of server CPU a move, and the moves a second."""

    cpu_us: float
    moves_a_second: float


async def play_round(subject: Subject, rooms: Sequence[Room]) -> Round:
    """Play one game in every room, each as fast as it goes, and measure it."""
    for room in rooms:
        room.prepare()
    await asyncio.sleep(QUIET_S)
    before, begun_s = subject.cpu_ns(), time.perf_counter()
    await play_all(rooms)
    seconds = time.perf_counter() - begun_s
    await asyncio.sleep(QUIET_S)
    used = subject.cpu_ns() - before
    assert all(room.finished() for room in rooms), f"{subject.name}: a game has not ended"
    await asyncio.gather(*(room.renew() for room in rooms))
    moves = len(rooms) * len(GAME)
    return Round(used / moves / 1000, moves / seconds)


async def measure_round(subject: Subject, rooms: Sequence[Room]) -> float:
    """Return the µs of server CPU a move, for one game in every room."""
    return (await play_round(subject, rooms)).cpu_us


async def warm_up(subject: Subject, rooms: Sequence[Room]) -> None:
    """Play until a compiler at run time has done its work."""
    for _ in range(-(-WARM_UP_MOVES // (len(rooms) * len(GAME)))):
        await play_round(subject, rooms)


async def measure_in_turns(
    subjects: Sequence[tuple[str, Subject, Sequence[Room]]], rounds: int
) -> dict[str, list[float]]:
    """Return the µs a move of each round for each labelled set of rooms; print each round.

    The sets take turns, and another one begins in each round.
    """
    costs: dict[str, list[float]] = {label: [] for label, _, _ in subjects}
    for _, subject, rooms in subjects:
        await warm_up(subject, rooms)
    print("µs a move   " + "".join(f"{label:>18}" for label in costs), flush=True)
    for number in range(rounds):
        turn = number % len(subjects)
        for label, subject, rooms in [*subjects[turn:], *subjects[:turn]]:
            costs[label].append(await measure_round(subject, rooms))
        print(f"round {number + 1:<6}" + "".join(f"{values[-1]:18.1f}" for values in costs.values()), flush=True)
    return costs


async def compare(servers: Sequence[Subject], count: int, rounds: int) -> dict[str, list[float]]:
    """Return the µs a move of each round for the floor and each server, with ``count`` rooms in each."""
    subjects: list[tuple[str, Subject, Sequence[Room]]] = []
    started: list[Subject] = []
    try:
        for server in servers:
            print(f"starting {server.name} with {count} rooms", flush=True)
            started.append(server)
            await server.start()
            subjects.append((server.name, server, await server.open_rooms(count)))
        floor = Floor(max(server.view_size for server in servers if isinstance(server, Noughts)))
        started.append(floor)
        await floor.start()
        subjects.insert(0, (floor.name, floor, await floor.open_rooms(count)))
        await asyncio.sleep(1.5)  # crowd messages come up to a second late
        return await measure_in_turns(subjects, rounds)
    finally:
        for _, _, rooms in subjects:
            for room in rooms:
                room.close()
        for subject in started:
            await subject.stop()


def print_summary(costs: dict[str, list[float]]) -> None:
    """Print minima, medians and their ratios to the floor; then the median of the ratios within each round."""
    for label, summary in (("minimum", min), ("median", statistics.median)):
        floor = summary(costs["floor"])
        print(f"{label:12}" + "".join(f"{summary(values):18.1f}" for values in costs.values()))
        print("  ratio     " + "".join(f"{summary(values) / floor:18.2f}" for values in costs.values()), flush=True)
    pairs = [[cost / floor for cost, floor in zip(values, costs["floor"], strict=True)] for values in costs.values()]
    print("by round    " + "".join(f"{statistics.median(ratios):18.2f}" for ratios in pairs), flush=True)


def labels(trees: Sequence[Path]) -> list[str]:
    """Return a different short name for each source tree."""
    if len(trees) == 1:
        return ["noughts"]
    distinct = len({tree.name for tree in trees}) == len(trees)
    return [tree.name if distinct else f"{number}:{tree.name}" for number, tree in enumerate(trees, 1)]


async def measure(arguments: argparse.Namespace) -> list[Figure]:
    """Return the cost of a move beside the floor's and, where they can be measured, the peers'."""
    trees: list[Path] = arguments.servers
    names = labels(trees)
    servers: list[Subject] = [Noughts(tree, name) for tree, name in zip(trees, names, strict=True)]
    others = peers() if arguments.peers else []
    costs = await compare([*servers, *others], arguments.rooms, arguments.rounds)
    print_summary(costs)
    ours, floor = costs[names[0]], costs["floor"]
    what = f"CPU of a move two players see, {arguments.rooms} rooms"
    figures = [Figure(what, "µs", ours, "bare aiohttp", floor, 3.0)]
    for peer in others:
        figures.append(Figure(what, "µs", ours, peer.name, costs[peer.name], 1.4 if peer.name == "Colyseus" else None))
        figures.append(Figure(f"  {peer.name}, the same", "µs", costs[peer.name], "bare aiohttp", floor))
    figures.append(Figure("  bare aiohttp, one text to both", "µs", floor))
    return figures


def main() -> None:
    parser = command_line.options(__doc__)
    parser.add_argument("--rooms", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--peers", action="store_true", help="measure Colyseus and boardgame.io too")
    command_line.run(measure, parser)


if __name__ == "__main__":
    main()
