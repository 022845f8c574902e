"""The command line that every part of the benchmark has."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import uvloop

from tests.bench.child import LOAD_CORE, pin
from tests.bench.figures import Figure, print_table, save
from tests.bench.noughts_server import TREE

Measure = Callable[[argparse.Namespace], Coroutine[Any, Any, list[Figure]]]


def options(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options of every part; the description's first line is shown."""
    parser = argparse.ArgumentParser(description=(description or "").split("\n", 1)[0])
    parser.add_argument(
        "--server", dest="servers", action="append", type=Path, metavar="PATH", help="a source tree (default: this one)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file")
    return parser


def run(measure: Measure, parser: argparse.ArgumentParser, pinned: bool = True) -> None:
    """Measure, and print the figures or write them to a file.

    The load generator collects no garbage and, if ``pinned``, stays on a core that is not the servers'.
    """
    arguments = parser.parse_args()
    arguments.servers = [tree.resolve() for tree in arguments.servers or [TREE]]
    arguments.tree = arguments.servers[0]
    if pinned:
        pin(os.getpid(), LOAD_CORE)
    gc.disable()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        figures = runner.run(measure(arguments))
    if arguments.json is None:
        print_table(figures)
    else:
        save(figures, arguments.json)
