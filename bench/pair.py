"""This checkout beside another one: CPU of a move, its time at a fixed rate, and memory of an idle connection.

``python -m bench pair PATH``. Both and a bare aiohttp server take turns in one run. Trust the ratios.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench import command_line
from bench.figures import Figure
from bench.listeners import idle_kib
from bench.noughts_server import TREE, Noughts
from bench.side_by_side import CPU, MEMORY, P50, P99, RATE, alone, beside, enter_all, play_in_turns


async def measure(arguments: argparse.Namespace) -> list[Figure]:
    """Return this checkout's figures beside the other one's, and both beside the bare server's."""
    servers = [Noughts(TREE, "this"), Noughts(arguments.path.resolve(), "other")]
    contestants = await enter_all(servers, arguments.rooms)
    try:
        await play_in_turns(contestants, arguments.rounds, arguments.paced)
    finally:
        for contestant in contestants:
            await contestant.leave()
    memory: list[list[float]] = [[], []]
    for _ in range(arguments.memory):
        for samples, tree in zip(memory, (TREE, arguments.path.resolve()), strict=True):
            server = Noughts(tree)
            try:
                await server.start()
                samples.append(await idle_kib(server, arguments.idle))
            finally:
                await server.stop()
    this, other, floor = contestants
    return [
        *[beside(this, other, name, 1.05 if name == CPU else None) for name in (CPU, RATE, P50, P99, MEMORY)],
        *[beside(each, floor, name, 3.0) for name in (CPU, P99) for each in (this, other)],
        alone(floor, CPU),
        alone(floor, P99),
        Figure(f"memory of an idle connection, {arguments.idle} open", "KiB", memory[0], "other", memory[1]),
    ]


def main(arguments: Sequence[str]) -> None:
    """Measure two checkouts."""
    parser = command_line.options(__doc__)
    parser.add_argument("path", type=Path, help="the other checkout")
    parser.add_argument("--rooms", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=12, help="games in every room as fast as they go")
    parser.add_argument("--paced", type=int, default=4, help="games in every room at a fixed rate")
    parser.add_argument("--idle", type=int, default=2_000, help="idle connections")
    parser.add_argument("--memory", type=int, default=2, help="how often idle connections are measured")
    command_line.run(measure, parser, arguments)
