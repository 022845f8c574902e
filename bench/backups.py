"""What a backup costs the players: the time of a move at a fixed rate, alone and while backups are made.

A backup takes seconds only for a large file, so the server holds rooms that nobody plays. Each round plays once without
backups, and once while one follows the other at the priority that the server gives them.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from typing import Final

from bench import command_line
from bench.figures import Figure, quantile
from bench.noughts_server import TREE, Noughts
from bench.paced import MOVES_A_SECOND, times_ms
from bench.subject import warm_up
from noughts.app.runtime.backups import NICENESS

GOAL: Final = 1.5
"""How many times the p99 without backups the p99 with them may be."""


async def make_backups(server: Noughts) -> None:
    """Make backups until cancelled."""
    words = ("-m", "noughts", "backup", server.folder / "backups", "--keep", "1", "--data", server.folder / "data")
    environment = {**os.environ, "PYTHONPATH": str(TREE / "server")}
    while True:
        child = await asyncio.create_subprocess_exec(
            sys.executable, *words, env=environment, stdout=asyncio.subprocess.DEVNULL
        )
        os.setpriority(os.PRIO_PROCESS, child.pid, NICENESS)
        try:
            assert await child.wait() == 0
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()


async def measure(arguments: argparse.Namespace) -> list[Figure]:
    """Return the figures, those without a backup as the reference."""
    server = Noughts()
    alone: list[list[float]] = []
    beside: list[list[float]] = []
    await server.start()
    try:
        await server.hold_rooms(arguments.held)
        rooms = await server.open_rooms(arguments.rooms)
        await warm_up(server, rooms)
        for _ in range(arguments.rounds):
            alone.append(await times_ms(rooms))
            backups = asyncio.create_task(make_backups(server))
            beside.append(await times_ms(rooms))
            assert not backups.done(), backups
            backups.cancel()
            await asyncio.wait([backups])
        for room in rooms:
            room.close()
    finally:
        await server.stop()
    figures: list[Figure] = []
    for percent, goal in ((50, None), (99, GOAL)):
        with_backups, without = ([quantile(times, percent / 100) for times in each] for each in (beside, alone))
        name = f"a move at {MOVES_A_SECOND} a second, p{percent}"
        figures.append(Figure(name, "ms", with_backups, "no backup", without, goal))
    return figures


def main(arguments: Sequence[str]) -> None:
    """Measure a server while backups are made of it."""
    parser = command_line.options(__doc__)
    parser.add_argument("--rooms", type=int, default=100, help="rooms in which moves are made")
    parser.add_argument("--held", type=int, default=5_000, help="further rooms in the file")
    parser.add_argument("--rounds", type=int, default=6)
    command_line.run(measure, parser, arguments, pinned=False)
