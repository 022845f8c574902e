"""The null-window search for four in a row as a compiled program, ``compiled/four_in_a_row.c``."""

from __future__ import annotations

from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.compiled.program import load

TABLE_SIZE: Final = 2_097_143
"""Entries of eight bytes. A smaller table is full within half a second."""
NODES_PER_READING: Final = 8_192
"""Nodes between two readings of a clock of real time: 1 to 5 ms. A call from the program to Python takes about 10 µs."""
NODES_PER_COUNTED_READING: Final = 1_024
"""Nodes between two readings of a clock that counts them, as those of the weaker levels do."""
NO_READINGS: Final = 0


class ScoreSearch:
    """The search with its transposition table, which it keeps from one call to the next."""

    def __init__(self, size: int = TABLE_SIZE) -> None:
        """Make a table of ``size`` entries. Raise MemoryError, or ProgramError where the program does not run."""
        self.size: Final = size
        self._budget: Budget | None = None
        program = load("four_in_a_row")
        self._nodes = program.function("nodes_searched")
        self._allow = program.function("allow")
        self._clear = program.function("clear")
        self._stored_answer = program.function("stored_answer")
        self._score_reaches = program.function("score_reaches")
        if not program.function("make_table")(size):
            raise MemoryError(f"no memory for {size} table entries")
        program.stop_when(self._is_spent)

    @property
    def nodes(self) -> int:
        """Nodes searched so far."""
        return self._nodes()

    def clear(self) -> None:
        """Clear the table."""
        self._clear()

    def allow(self, nodes: int, budget: Budget | None) -> None:
        """Allow the next searches ``nodes`` in all, and the time of ``budget``, None for no time limit.

        A search beyond that raises :class:`~noughts.engine.budget.OutOfTimeError`. Its table entries remain valid.
        """
        self._budget = budget
        nodes_per_reading = NO_READINGS
        if budget is not None:
            nodes_per_reading = NODES_PER_COUNTED_READING if budget.counts_readings else NODES_PER_READING
        self._allow(nodes, nodes_per_reading)

    def stored_answer(self, me: int, occupied: int, goal: int) -> bool | None:
        """Return whether the score is at least ``goal``, or None if the table does not have the answer."""
        answer = self._stored_answer(me, occupied, goal)
        return None if answer < 0 else answer > 0

    def score_reaches(self, me: int, occupied: int, ply: int, goal: int) -> bool:
        """Return whether the score of a position in play is at least ``goal``. Raise OutOfTimeError."""
        answer = self._score_reaches(me, occupied, ply, goal)
        if answer < 0:
            raise OutOfTimeError
        return answer > 0

    def _is_spent(self) -> bool:
        return self._budget is not None and self._budget.left() <= 0.0
