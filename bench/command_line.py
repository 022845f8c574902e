"""The command line that every part of the benchmark has."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import platform
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import uvloop

from bench.child import CORES, LOAD_CORE, pin
from bench.figures import Figure, print_table, save

Measure = Callable[[argparse.Namespace], Coroutine[Any, Any, list[Figure]]]


def options(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options of every part; the description's first line is shown."""
    parser = argparse.ArgumentParser(description=(description or "").split("\n", 1)[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file, too")
    return parser


def run(measure: Measure, parser: argparse.ArgumentParser, arguments: Sequence[str], pinned: bool = True) -> None:
    """Measure, and print the figures.

    The load generator collects no garbage and, if ``pinned``, stays on a core that is not the servers'.
    """
    chosen = parser.parse_args(arguments)
    print(
        f"{platform.machine()}, {len(CORES)} cores, load {os.getloadavg()[0]:.1f}; Python {platform.python_version()}"
    )
    if pinned:
        pin(os.getpid(), LOAD_CORE)
    gc.disable()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        figures = runner.run(measure(chosen))
    print_table(figures)
    if chosen.json is not None:
        save(figures, chosen.json)
