"""Alpha-beta on shapes as a compiled program: the same moves and values, many times as fast."""

from __future__ import annotations

import struct
from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.compiled.loading import Program
from noughts.engine.threats.compiled_patterns import COUNTED_NODES_PER_LOOK, NODES_PER_LOOK
from noughts.engine.threats.compiled_threats import MARKS_BYTES, MAX_CELLS
from noughts.engine.threats.deepening import WON
from noughts.engine.threats.shape_board import MINE, MOVE_WORTH, THEIRS, WORTH
from noughts.engine.threats.shape_search import FOUR_NODES, FOURS_IN_A_ROW, LEAD, QUIET_GAIN, ShapeSearch
from noughts.engine.threats.shapes import DIRECTIONS, NEIGHBOURS, REACH, shape
from noughts.rules.variant import Variant

PROGRAM: Final = "shapes"
_NO_CELL: Final = 255
_STOPPED: Final = 2 * WON + 1


class ShapeProgram:
    """The program with its description of one board. It holds one search at a time."""

    def __init__(self, program: Program, variant: Variant) -> None:
        self.program: Final = program
        self.begin: Final = program.function("begin")
        self.value_of: Final = program.function("value_of")
        self.nodes_searched: Final = program.function("nodes_searched")
        address = program.function("input_address")()
        numbers = struct.pack("<6i", variant.cells, FOUR_NODES, FOURS_IN_A_ROW, MOVE_WORTH, LEAD, QUIET_GAIN)
        numbers += struct.pack("<30i", *WORTH, *MINE, *THEIRS)
        program.write(address, numbers)
        self.words: Final = address + len(numbers)
        program.write(self.words + 2 * MARKS_BYTES, neighbours(variant) + shapes())


def neighbours(variant: Variant) -> bytes:
    """Return for each cell and direction the cells that a shape depends on, in the order of their bits."""
    columns, rows = variant.shape[0], variant.shape[1]
    cells = bytearray(_NO_CELL for _ in range(MAX_CELLS * len(DIRECTIONS) * NEIGHBOURS))
    steps = [step for step in range(-REACH, REACH + 1) if step]
    for cell in range(variant.cells):
        row, column = divmod(cell, columns)
        for direction, (right, down) in enumerate(DIRECTIONS):
            for place, step in enumerate(steps):
                x, y = column + step * right, row + step * down
                if 0 <= x < columns and 0 <= y < rows:
                    cells[(cell * len(DIRECTIONS) + direction) * NEIGHBOURS + place] = x + columns * y
    return bytes(cells)


def shapes() -> bytes:
    """Return the shape by the bits of the own cells and, eight bits higher, of the blocked ones."""
    masks = range(1 << NEIGHBOURS)
    return bytes(shape(own & ~blocked, blocked) for blocked in masks for own in masks)


class CompiledShapeSearch(ShapeSearch):
    """The search of one position. The tree is searched by the program, the root by the class above."""

    __slots__ = ("_program",)

    def __init__(self, program: ShapeProgram, variant: Variant, x: int, o: int, budget: Budget) -> None:
        """Begin a search, which ends the one that the program held. Raise MemoryError."""
        super().__init__(variant, x, o, budget)
        self._program = program
        program.program.write(program.words, x.to_bytes(MARKS_BYTES, "little") + o.to_bytes(MARKS_BYTES, "little"))
        program.program.stop_when(lambda: self._budget.left() <= 0.0)
        if not program.begin(COUNTED_NODES_PER_LOOK if budget.counts_readings else NODES_PER_LOOK):
            raise MemoryError("no memory for the tables of a shape search")

    def value_within(self, cell: int, side: int, depth: int, low: int, high: int, width: int) -> int:
        """Return the value of a move for its side, or a bound beyond ``low`` or ``high``. Raise OutOfTimeError."""
        value = self._program.value_of(cell, side, depth, low, high, min(width, MAX_CELLS))
        if value == _STOPPED:
            raise OutOfTimeError
        return value

    def nodes_searched(self) -> int:
        """Return the nodes searched so far."""
        return self._program.nodes_searched()
