"""The masks of four in a row: the cells that complete a line are those of the rules."""

from __future__ import annotations

import random

from noughts.engine.four_in_a_row.board import cell_of
from noughts.engine.four_in_a_row.masks import (
    BOTTOM,
    COLUMNS_CENTRE_FIRST,
    EVEN_ROWS,
    FULL,
    ODD_ROWS,
    winning,
)
from noughts.rules.variant import lines
from tests.support.engine_games import random_game
from tests.support.four_in_a_row import VARIANT
from tools.prove.claimeven import has_line


def test_rows_and_columns_are_all_cells() -> None:
    assert ODD_ROWS | EVEN_ROWS == FULL == sum(COLUMNS_CENTRE_FIRST)
    assert ODD_ROWS & EVEN_ROWS == 0
    assert BOTTOM & ODD_ROWS == BOTTOM


def test_winning_cells_are_those_that_complete_a_line_of_the_rules() -> None:
    rng = random.Random(2)
    bit = {cell_of(1 << i): 1 << i for i in range(49) if FULL >> i & 1}
    for _ in range(300):
        position = random_game(VARIANT, rng.randrange(4, 40), rng).position
        me, opponent = (sum(bit[cell] for cell in bit if marks >> cell & 1) for marks in (position.x, position.o))
        expected = 0
        for cell in bit:
            if not (position.x | position.o) >> cell & 1:
                marks = position.x | 1 << cell
                if any(marks & line == line for line in lines((7, 6), 4)):
                    expected |= bit[cell]
        assert winning(me, me | opponent) == expected
        assert not has_line(me)
        assert has_line(me | expected) is (expected != 0)
