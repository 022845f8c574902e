"""A short soak: what visitors made is gone when they are. ``make soak`` is the long one."""

from __future__ import annotations

from pathlib import Path

from bench.soak.__main__ import SAME_OBJECTS, grown, same_things, soak

SECONDS = 10.0
VISITS = 7


async def test_visitors_who_left_leave_no_memory_behind(tmp_path: Path) -> None:
    """No task, no descriptor, no row, and no more objects than at first."""
    start, *cycles = [sample async for sample in soak(tmp_path / "data", SECONDS, VISITS)]
    last = cycles[-1]
    assert same_things(start, last), f"{start}\n{last}\n{last.task_names}"
    assert last.objects - start.objects <= SAME_OBJECTS, grown(start, last)
    print(f"{last.visits} visits in {last.at_s:.0f} s: {last.objects - start.objects:+} objects")
