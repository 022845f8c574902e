"""Alpha-beta on patterns as a compiled program: the same moves and values, many times as fast."""

from __future__ import annotations

import struct
from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.compiled.loading import Program
from noughts.engine.threats.compiled_threats import MARKS_BYTES, describe
from noughts.engine.threats.deepening import WON
from noughts.engine.threats.fours import Board
from noughts.engine.threats.patterns import PatternSearch, weights_of
from noughts.rules.variant import Variant

PROGRAM: Final = "patterns"
MAX_WIDTH: Final = 32
NODES_PER_LOOK: Final = 1_024
"""Nodes between two looks at a clock of real time: 1 to 3 ms."""
COUNTED_NODES_PER_LOOK: Final = 16
"""As the search in plain Python: a clock that counts its readings is read as often."""
_STOPPED: Final = 2 * WON + 1


class PatternProgram:
    """The program with its description of one board. It holds one search at a time."""

    def __init__(self, program: Program, variant: Variant, board: Board) -> None:
        self.program: Final = program
        self.begin: Final = program.function("begin")
        self.value_of: Final = program.function("value_of")
        self.nodes_searched: Final = program.function("nodes_searched")
        self.words: Final = program.function("words_address")()
        describe(program, board)
        weights = weights_of(variant)
        program.write(program.function("weights_address")(), struct.pack("<256i", *weights.worth, *weights.urgency))


class CompiledPatternSearch(PatternSearch):
    """The search of one position. The tree is searched by the program, the root by the class above."""

    __slots__ = ("_program",)

    def __init__(self, program: PatternProgram, variant: Variant, x: int, o: int, budget: Budget) -> None:
        """Begin a search, which ends the one that the program held. Raise MemoryError."""
        super().__init__(variant, x, o, budget)
        self._program = program
        program.program.write(program.words, x.to_bytes(MARKS_BYTES, "little") + o.to_bytes(MARKS_BYTES, "little"))
        program.program.stop_when(self._is_spent)
        if not program.begin(COUNTED_NODES_PER_LOOK if budget.counts_readings else NODES_PER_LOOK):
            raise MemoryError("no memory for the table of a pattern search")

    def value_of(self, cell: int, side: int, depth: int, low: int, width: int) -> int:
        """Return the value of a move for its side, or a bound that is at most ``low``. Raise OutOfTimeError."""
        value = self._program.value_of(cell, side, depth, low, WON * 2, min(width, MAX_WIDTH))
        if value == _STOPPED:
            raise OutOfTimeError
        return value

    def nodes_searched(self) -> int:
        """Return the nodes searched so far."""
        return self._program.nodes_searched()

    def _is_spent(self) -> bool:
        return self._budget.left() <= 0.0
