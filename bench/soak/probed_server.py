"""``noughts serve`` that reports on itself: on SIGUSR1 it prints a line with what its process holds.

    python -m bench.soak.probed_server python -m noughts serve --port 0

The first three arguments are those of the program in whose place it runs.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
from collections import Counter
from types import FrameType
from typing import Final

from noughts import command_line
from noughts.app.commands import serve_command
from tests.support.footprint import descriptors, rss_kib

MARK: Final = "PROBE "
"""The beginning of a report."""
TYPES: Final = 300
"""How many kinds of objects a report names, the most frequent ones."""


def report(loop: asyncio.AbstractEventLoop) -> None:
    """Print the tasks, the descriptors, the memory in KiB and the objects of this process."""
    tasks = Counter(str(task.get_coro()).split(" at ")[0] for task in asyncio.all_tasks(loop))
    gc.collect()
    objects = gc.get_objects()
    kinds = Counter(f"{type(each).__module__}.{type(each).__qualname__}" for each in objects)
    figures = {
        "tasks": sum(tasks.values()),
        "descriptors": descriptors(os.getpid()),
        "resident_kib": rss_kib(os.getpid()),
        "objects": len(objects),
        "task_names": tasks,
        "kinds": dict(kinds.most_common(TYPES)),
    }
    print(MARK + json.dumps(figures), flush=True)


def main() -> int:
    """Serve until a signal. Return the exit status."""
    loops: list[asyncio.AbstractEventLoop] = []
    make = serve_command.new_event_loop

    def new_event_loop() -> asyncio.AbstractEventLoop:
        loops.append(make())
        return loops[-1]

    def on_signal(number: int, frame: FrameType | None) -> None:
        report(loops[-1])

    serve_command.new_event_loop = new_event_loop
    signal.signal(signal.SIGUSR1, on_signal)
    return command_line.main(sys.argv[4:])


if __name__ == "__main__":
    sys.exit(main())
