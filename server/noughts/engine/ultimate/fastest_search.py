"""The fastest search of ultimate that this installation has: compiled where the extra ``noughts[fast]`` is installed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from noughts.engine.compiled.loading import load
from noughts.engine.ultimate.compiled_search import PROGRAM, CompiledSearch, SearchProgram
from noughts.engine.ultimate.search import Search
from noughts.engine.ultimate.tables import Tables


def fastest_search(tables: Tables, nodes_per_look: int) -> Callable[[], Search]:
    """Return a maker of searches, each with empty tables of positions."""
    program = load(PROGRAM)
    if program is None:
        return partial(Search, tables, nodes_per_look)
    return partial(CompiledSearch, SearchProgram(program, tables), nodes_per_look)
