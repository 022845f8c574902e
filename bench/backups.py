"""What a backup costs the players: the time of a move at a fixed rate, alone and while a backup is made.

    python -m bench backups --rooms 100 --held 5000 --rounds 6

A backup takes seconds only for a large file, so the server holds rooms that nobody plays. Rounds with backups and rounds
without take turns. In a round with backups, one follows the other, each at the low priority that the server gives it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.command_line import options, run
from bench.figures import Figure, quantile
from bench.noughts_server import TREE, Noughts
from bench.paced import MOVES_A_SECOND, times_ms
from bench.subject import warm_up
from noughts.app.runtime.backups import NICENESS

GOAL: Final = 1.5
"""How many times the p99 without a backup the p99 with one may be."""
P50, P99 = (f"a move at {MOVES_A_SECOND} a second, p{number}" for number in (50, 99))


class Copies:
    """Backups one after the other, while a block runs."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self.seconds: list[float] = []

    async def make(self, directory: Path) -> None:
        """Make backups until cancelled."""
        command = [sys.executable, "-m", "noughts", "backup", str(directory), "--keep", "1", "--data", str(self._data)]
        environment = {**os.environ, "PYTHONPATH": str(TREE / "server")}
        while True:
            began_s = time.perf_counter()
            child = await asyncio.create_subprocess_exec(*command, env=environment, stdout=asyncio.subprocess.DEVNULL)
            os.setpriority(os.PRIO_PROCESS, child.pid, NICENESS)
            try:
                assert await child.wait() == 0
            finally:
                if child.returncode is None:
                    child.kill()
                    await child.wait()
            self.seconds.append(time.perf_counter() - began_s)


async def measure(parsed: argparse.Namespace) -> list[Figure]:
    """Return the figures, those without a backup as the reference."""
    subject, directory = Noughts(core=None), Path(tempfile.mkdtemp())
    copies = Copies(subject.folder / "data")
    alone: list[list[float]] = []
    beside: list[list[float]] = []
    await subject.start()
    try:
        await subject.hold_rooms(parsed.held)
        playing = await subject.open_rooms(parsed.rooms)
        await warm_up(subject, playing)
        for number in range(parsed.rounds):
            alone.append(await times_ms(playing))
            maker = asyncio.create_task(copies.make(directory))
            beside.append(await times_ms(playing))
            maker.cancel()
            await asyncio.wait([maker])
            values = ", ".join(f"{quantile(each[-1], 0.99):.2f}" for each in (alone, beside))
            print(f"round {number + 1} of {parsed.rounds}: p99 alone and during a backup, ms: {values}", flush=True)
        size = (subject.folder / "data" / "noughts.db").stat().st_size / 1e6
        print(f"{len(copies.seconds)} backups of {size:.1f} MB, {min(copies.seconds, default=0):.1f} s the quickest")
        for room in playing:
            room.close()
    finally:
        await subject.stop()
        shutil.rmtree(directory)
    return [
        Figure(
            name,
            "ms",
            [quantile(each, share) for each in beside],
            "no backup",
            [quantile(each, share) for each in alone],
            GOAL,
        )
        for name, share in ((P50, 0.5), (P99, 0.99))
    ]


def main(arguments: Sequence[str]) -> None:
    """Measure a server while backups are made of it."""
    parser = options(__doc__)
    parser.add_argument(
        "--rooms", type=int, default=100, metavar="N", help="rooms in which moves are made (%(default)s)"
    )
    parser.add_argument("--held", type=int, default=5_000, metavar="N", help="further rooms in the file (%(default)s)")
    parser.add_argument("--rounds", type=int, default=6, metavar="N", help="rounds of both (%(default)s)")
    run(measure, parser, arguments, pinned=False)
