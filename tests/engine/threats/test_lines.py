"""The lines of a board, and the groups of cells that they lack."""

from __future__ import annotations

from noughts.engine.threats.lines import bits, board_of, completions, neighbours, open_lines
from noughts.rules.variant import VARIANTS
from tests.support.gomoku_referee import rows_of_board

PLANE, CUBE = board_of(VARIANTS["gomoku"]), board_of(VARIANTS["qubic"])


def test_the_cube_has_the_76_lines_of_the_referee() -> None:
    assert len(CUBE.lines) == 76
    assert {sum(1 << cell for cell in row) for row in rows_of_board(4, 4, 4, 4)} == set(CUBE.lines)


def test_open_lines_are_grouped_by_the_cells_that_they_lack() -> None:
    """In the top row of 15x15: X on a1, b1, c1, d1; O on f1."""
    mine = open_lines(PLANE, 0b1111, 1 << 5)
    assert mine.fours == 1 << 4
    assert all(pair.bit_count() == 2 for pair in mine.pairs)
    assert open_lines(PLANE, 0, 0b1111) == (0, [])


def test_bits_and_neighbours() -> None:
    assert bits(0b1011000) == [0b1000, 0b10000, 0b1000000]
    assert bits(0) == []
    assert neighbours([0b11, 0b101]) == {0b1: 0b110, 0b10: 0b1, 0b100: 0b1}


def test_completions_are_the_cells_that_complete_a_line_through_a_mark() -> None:
    assert completions(PLANE, 0b1000, 0b1111, 0) == 1 << 4
    assert completions(PLANE, 0b1000, 0b1111, 1 << 4) == 0
    assert completions(PLANE, 1 << 4, 0b11110, 0) == 0b100001  # open at both ends
