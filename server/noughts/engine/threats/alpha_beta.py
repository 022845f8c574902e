"""Alpha-beta of one position: iterative deepening over its moves. A compiled program searches the tree below them.

The programs are ``compiled/shapes.c`` and ``compiled/patterns.c``. The search returns a good move, never a proof.
"""

from __future__ import annotations

import random
import struct
from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.compiled.program import Program

WON: Final = 1_000_000
NODES_PER_READING: Final = 1_024
"""Nodes between two readings of a clock of real time: 1 to 3 ms."""
NODES_PER_COUNTED_READING: Final = 16
"""Nodes between two readings of a clock that counts them, as those of the weaker levels do."""
_STOPPED: Final = 2 * WON + 1
_MARKS_BYTES: Final = 32


class AlphaBeta:
    """The search of one position. Side 0 is X."""

    def __init__(self, program: Program, cells: int, x: int, o: int, budget: Budget) -> None:
        """Begin a search. The program's earlier search ends. Raise MemoryError."""
        self._program = program
        self._cells = cells
        self._budget = budget
        self._value_of = program.function("value_of")
        marks = x.to_bytes(_MARKS_BYTES, "little") + o.to_bytes(_MARKS_BYTES, "little")
        program.write(program.function("marks_address")(), marks)
        program.stop_when(lambda: self._budget.left() <= 0.0)
        nodes_per_reading = NODES_PER_COUNTED_READING if budget.counts_readings else NODES_PER_READING
        if not program.function("begin")(nodes_per_reading):
            raise MemoryError("no memory for the tables of an alpha-beta search")

    @property
    def nodes(self) -> int:
        """Nodes searched so far."""
        return self._program.function("nodes_searched")()

    def continue_until(self, budget: Budget) -> None:
        """Use this budget from now on. The tables stay, so that what was searched before is soon searched again."""
        self._budget = budget

    def ranked(self, allowed: int, rng: random.Random) -> list[int]:
        """Return the empty cells of the mask ``allowed``, most urgent first, ties in random order."""
        address = self._program.function("urgencies")()
        urgency = struct.unpack(f"<{self._cells}i", self._program.read(address, 4 * self._cells))
        cells = [cell for cell, value in enumerate(urgency) if value >= 0 and allowed >> cell & 1]
        rng.shuffle(cells)
        cells.sort(key=urgency.__getitem__, reverse=True)
        return cells

    def order(self, side: int, cells: list[int], max_depth: int) -> tuple[list[int], int]:
        """Return ``cells``, best first for ``side``, and the value of the first.

        The side cannot complete a line at once. ``cells`` are in order of promise. Iterative deepening ends at
        ``max_depth`` plies or at the deadline.
        """
        order = list(cells)
        choice = order[0]
        value = 0
        depth = 1
        try:
            while depth <= max_depth and len(order) > 1:
                best_value = -WON * 2
                values = {}
                for cell in order:
                    cell_value = self._value(cell, side, depth, best_value)
                    values[cell] = cell_value
                    if cell_value > best_value:
                        best_value, best_now = cell_value, cell
                        # The choice is searched first. An unfinished iteration replaces it only by a move that beats it.
                        if depth > 1:
                            choice = cell
                choice, value = best_now, best_value
                order.sort(key=lambda cell: -values[cell] if cell != choice else -WON * 4)
                if abs(value) > WON // 2:
                    break
                depth += 1
        except OutOfTimeError:
            pass
        order.remove(choice)
        return [choice, *order], value

    def _value(self, cell: int, side: int, depth: int, low: int) -> int:
        """Return the value of a move for its side, or a bound that is at most ``low``. Raise OutOfTimeError."""
        value = self._value_of(cell, side, depth, low)
        if value == _STOPPED:
            raise OutOfTimeError
        return value
