"""The fastest search for scores that this installation has: compiled where the extra ``noughts[fast]`` is installed."""

from __future__ import annotations

from typing import Final, Protocol

from noughts.engine.budget import Budget
from noughts.engine.compiled.loading import load
from noughts.engine.four_in_a_row.compiled_search import PROGRAM, CompiledSearch
from noughts.engine.four_in_a_row.search import NullWindowSearch

TABLE_SIZE: Final = 524_269
COMPILED_TABLE_SIZE: Final = 2_097_143
"""16 MiB. The compiled search fills the smaller table within half a second."""


class ScoreSearch(Protocol):
    """The interface of :class:`~noughts.engine.four_in_a_row.search.NullWindowSearch`."""

    @property
    def nodes(self) -> int: ...

    @property
    def proof_nodes(self) -> int: ...

    def clear(self) -> None: ...

    def allow(self, nodes: int, budget: Budget | None) -> None: ...

    def stored_answer(self, me: int, occupied: int, goal: int) -> bool | None: ...

    def score_reaches(self, me: int, occupied: int, ply: int, goal: int) -> bool: ...


def fastest_search(size: int = TABLE_SIZE, compiled_size: int = COMPILED_TABLE_SIZE) -> ScoreSearch:
    """Return a search with an empty table of ``compiled_size`` entries, or of ``size`` in plain Python."""
    program = load(PROGRAM)
    return NullWindowSearch(size) if program is None else CompiledSearch(program, compiled_size)
