"""``make soak``: let visitors come and go, and show that the server keeps nothing of them.

    python -m tests.soak --minutes 5

Exit with status 1 when memory, tasks, descriptors or rows grow.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.soak.soak import SAME_OBJECTS, WARM_UP, Sample, grown, same_things, slope_mib, soak

MAX_SLOPE_MIB: Final = 1.0
"""The most by which memory may grow in ten minutes."""
VISITS: Final = 14
"""Visits of each visitor in a cycle."""


async def samples(minutes: float) -> list[Sample]:
    """Soak, and print each sample."""
    taken = []
    with tempfile.TemporaryDirectory() as directory:
        async for sample in soak(Path(directory) / "data", minutes * 60, VISITS):
            print(sample, flush=True)
            taken.append(sample)
    return taken


def main() -> int:
    """Run the command. Return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description="Show that the server keeps nothing.")
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
