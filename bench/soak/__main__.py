"""``make soak``: let visitors come and go in cycles, and measure the server at rest after each.

    python -m bench.soak --minutes 5

Exit with status 1 when memory, tasks, descriptors or rows grow.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from bench.soak.probed_server import MARK
from bench.soak.visits import VISITS, visit
from tests.support.footprint import rows
from tests.support.metrics import metric
from tests.support.player import WAIT_S
from tests.support.server import QUICK, RunningServer

AT_ONCE: Final = 6
"""Visitors at a time."""
SETTINGS: Final = {**QUICK, "NOUGHTS_THINK_MS": "100", "NOUGHTS_WORKERS": "1"}
PROBED: Final = (sys.executable, "-m", "bench.soak.probed_server")
WARM_UP: Final = 3
"""One part in this many of the cycles is warm-up: memory is filled that is used again."""
SAMPLES: Final = 3
"""Samples of a server at rest. In any one of them something may be under way that comes again and again."""
MAX_SLOPE_MIB: Final = 1.0
"""The most by which memory may grow in ten minutes."""
VISITS_A_CYCLE: Final = 14
"""Visits of each visitor in a cycle."""
SAME_OBJECTS: Final = 400
"""A process at rest may have this many objects more or fewer."""


class Sample(NamedTuple):
    """A server at rest."""

    at_s: float
    visits: int
    resident_kib: int
    objects: int
    tasks: int
    descriptors: int
    rows: int
    task_names: dict[str, int]
    kinds: dict[str, int]

    def __str__(self) -> str:
        return (
            f"{self.at_s:5.0f} s  {self.visits:6} visits  {self.resident_kib / 1024:7.2f} MiB  {self.objects:7} objects"
            f"  {self.tasks:3} tasks  {self.descriptors:3} descriptors  {self.rows:3} rows"
        )


async def probed(server: RunningServer) -> dict[str, Any]:
    """Return what the server reports on itself."""
    before = server.log.count(MARK)
    os.kill(server.pid, signal.SIGUSR1)
    async with asyncio.timeout(WAIT_S):
        while server.log.count(MARK) == before or not server.log.endswith("\n"):  # noqa: ASYNC110 - a thread
            await asyncio.sleep(0.02)
    report: dict[str, Any] = json.loads(server.log.rpartition(MARK)[2].splitlines()[0])
    return report


async def at_rest(server: RunningServer, began_s: float, visits: int, start: Sample | None) -> Sample:
    """Return a sample once everybody is gone: of some that have no more than the start, the one with the fewest objects.

    If there are none, return the last sample.
    """
    samples: list[Sample] = []
    settled: list[Sample] = []
    for _ in range(round(WAIT_S / 0.1)):
        await asyncio.sleep(0.1)
        if await metric(server, "noughts_connections") or await metric(server, "noughts_rooms_hosted"):
            continue
        samples.append(await sampled(server, began_s, visits))
        if start is None or same_things(start, samples[-1]):
            settled.append(samples[-1])
        if len(settled) == SAMPLES:
            break
    assert samples, "connections or rooms stay"
    return min(settled, key=lambda sample: sample.objects, default=samples[-1])


async def sampled(server: RunningServer, began_s: float, visits: int) -> Sample:
    """Return a sample of the server as it is now."""
    report = await probed(server)
    return Sample(
        time.monotonic() - began_s,
        visits,
        report["resident_kib"],
        report["objects"],
        report["tasks"],
        report["descriptors"],
        rows(server.data / "noughts.db"),
        report["task_names"],
        report["kinds"],
    )


def same_things(first: Sample, later: Sample) -> bool:
    """Return whether a later sample has the tasks, the descriptors and the rows of the first, or fewer."""
    return later.tasks <= first.tasks and later.descriptors <= first.descriptors and later.rows <= first.rows


async def soak(data: Path, seconds: float, visits: int) -> AsyncIterator[Sample]:
    """Start a server, and yield it at rest: at first, and after each cycle, in which each visitor makes ``visits``.

    At least one cycle is run, and further ones for ``seconds``.
    """
    server = RunningServer(data, SETTINGS)
    random, done, began_s = Random(20), 0, time.monotonic()
    try:
        server.start(*PROBED)
        async with asyncio.TaskGroup() as first:
            first.create_task(visit(server, random, len(VISITS)))
        start = await at_rest(server, began_s, done, None)
        yield start
        while not done or time.monotonic() - began_s < seconds:
            async with asyncio.TaskGroup() as visitors:
                for _ in range(AT_ONCE):
                    visitors.create_task(visit(server, random, visits))
            done += AT_ONCE * visits
            yield await at_rest(server, began_s, done, start)
        assert server.stop() == 0
        assert "Traceback" not in server.log, server.log
    finally:
        server.kill()


def slope_mib(samples: Sequence[Sample]) -> float:
    """Return by how many MiB the memory grows in ten minutes: the median slope of all pairs (Theil and Sen), times that."""
    slopes = [(b.resident_kib - a.resident_kib) / (b.at_s - a.at_s) for a, b in combinations(samples, 2)]
    return statistics.median(slopes) * 600 / 1024


def grown(first: Sample, last: Sample, count: int = 12) -> str:
    """Return the kinds of objects of which there are more, and how many more."""
    more = {kind: last.kinds.get(kind, 0) - first.kinds.get(kind, 0) for kind in last.kinds}
    return ", ".join(f"{kind} {number:+}" for kind, number in sorted(more.items(), key=lambda kind: -kind[1])[:count])


async def samples(minutes: float) -> list[Sample]:
    """Soak, and print each sample."""
    taken = []
    with tempfile.TemporaryDirectory() as directory:
        async for sample in soak(Path(directory) / "data", minutes * 60, VISITS_A_CYCLE):
            print(sample, flush=True)
            taken.append(sample)
    return taken


def main() -> int:
    """Run the command. Return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description="Show that the server keeps nothing.")
    parser.add_argument("--minutes", type=float, default=5.0, help="how long to go on (5)")
    taken = asyncio.run(samples(parser.parse_args().minutes))
    first, *_, last = taken
    warm = taken[1 + len(taken) // WARM_UP :]
    faults = []
    if not same_things(first, last):
        faults.append(f"tasks, descriptors or rows stay: {last.task_names}, at first {first.task_names}")
    slope_of_10_min = slope_mib(warm) if len(warm) > 1 else 0.0
    if slope_of_10_min > MAX_SLOPE_MIB:
        faults.append(f"memory grows: {grown(warm[0], last)}")
    if last.objects - warm[0].objects > SAME_OBJECTS:
        faults.append(f"objects stay: {grown(warm[0], last)}")
    for fault in faults:
        print(fault)
    print(
        f"{last.visits} visits: {slope_of_10_min:+.2f} MiB in ten minutes, {last.objects - warm[0].objects:+} objects"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
