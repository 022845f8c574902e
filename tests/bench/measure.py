"""What a process has used, read from the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def cpu_ns(pid: int) -> int:
    """Return the CPU time of a process with all its threads, in nanoseconds; its children are not in it."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total


def rss_kib(pid: int) -> int:
    """Return the resident memory of a process, in KiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise LookupError(pid)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value that ``share`` of all lie at or below."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
