"""The board of shapes: the sum of a position after moves is that of the position from scratch."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from noughts.engine.threats import shape_board, shapes
from noughts.engine.threats.fours import board_of, open_lines
from noughts.engine.threats.shape_board import (
    FIVE,
    FOUR,
    HAS_FIVE,
    HAS_FOUR,
    KEY,
    MINE,
    MOVE_WORTH,
    THEIRS,
    THREE,
    TWO_FOURS,
    WIDTH,
    WORTH,
    ShapeBoard,
    mark,
    tables_of,
    unmark,
)
from noughts.rules.position import Position
from noughts.rules.variant import VARIANTS, Variant
from tests.support.engine_games import random_game

GOMOKU = VARIANTS["gomoku"]
SMALL = Variant("9x6", "Nine by six", "Five in a line wins.", (9, 6), 5)


def positions(variant: Variant = GOMOKU) -> Iterator[Position]:
    rng = random.Random(3)
    for plies in (1, 5, 12, 20, 30, 50):
        game = random_game(variant, plies, rng)
        if game.outcome is None:
            yield game.position


def shapes_on(position: Position) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield each empty cell with the shapes of X and O, once for each direction, cell by cell."""
    columns, rows = position.variant.shape[:2]
    for cell in range(position.variant.cells):
        if (position.x | position.o) >> cell & 1:
            continue
        for right, down in shapes.DIRECTIONS:
            x = o = walls = 0
            for place, step in enumerate([-4, -3, -2, -1, 1, 2, 3, 4]):
                column, row = cell % columns + step * right, cell // columns + step * down
                if not (0 <= column < columns and 0 <= row < rows):
                    walls |= 1 << place
                    continue
                x |= (position.x >> row * columns + column & 1) << place
                o |= (position.o >> row * columns + column & 1) << place
            yield cell, (shapes.shape(x, o | walls), shapes.shape(o, x | walls))


@pytest.mark.parametrize("variant", [GOMOKU, SMALL], ids=lambda variant: variant.key)
def test_worths_estimates_and_counts_are_those_counted_cell_by_cell(variant: Variant) -> None:
    for position in positions(variant):
        board = ShapeBoard(variant, position.x, position.o)
        pairs = list(shapes_on(position))
        for side in (0, 1):
            worths = [0] * variant.cells
            estimate = MOVE_WORTH
            for cell, each in pairs:
                worths[cell] += WORTH[each[side]]
                estimate += MINE[each[side]] + THEIRS[each[1 - side]]
            assert board.worths(side) == worths
            assert board.estimate(side) == estimate
            mine = [each[side] for _, each in pairs]
            assert bool(board.sum & HAS_FIVE[side]) == (shapes.FIVE in mine)
            assert bool(board.sum & HAS_FOUR[side]) == bool({shapes.FOUR, shapes.OPEN_FOUR} & set(mine))


def test_a_move_has_the_sum_of_the_position_after_it() -> None:
    rng = random.Random(3)
    keys = set()
    for position in positions():
        board = ShapeBoard(GOMOKU, position.x, position.o)
        states = board.states[:]
        side = position.ply & 1
        cell = rng.choice([cell for cell in range(225) if not (position.x | position.o) >> cell & 1])
        step = board.steps[side][cell]
        total = board.sum + mark(board.states, step)
        after = [position.x, position.o]
        after[side] |= 1 << cell
        fresh = ShapeBoard(GOMOKU, after[0], after[1])
        assert (total, board.states) == (fresh.sum, fresh.states)
        unmark(board.states, step)
        assert board.states == states
        keys |= {board.sum & KEY, total & KEY}
    assert len(keys) == 2 * len(list(positions()))


def test_fives_and_fours_are_those_of_the_lines() -> None:
    rng = random.Random(4)
    lines = board_of(GOMOKU)
    seen = 0
    for _ in range(60):
        game = random_game(GOMOKU, rng.randrange(30, 90), rng)
        if game.outcome is not None:
            continue
        position = game.position
        board = ShapeBoard(GOMOKU, position.x, position.o)
        for side, (own, other) in enumerate([(position.x, position.o), (position.o, position.x)]):
            groups = open_lines(lines, own, other)
            fives = sum(1 << cell for cell, worth in enumerate(board.worths(side)) if worth >= FIVE)
            assert fives == groups.fours
            pairs = 0
            for pair in groups.pairs:
                pairs |= pair
            fours = sum(1 << cell for cell, worth in enumerate(board.worths(side)) if worth >= FOUR)
            assert fours & ~fives == pairs & ~fives
            seen += fives.bit_count() + fours.bit_count()
    assert seen > 100


def test_four_shapes_of_a_kind_have_no_carry() -> None:
    """Not even twice the worth for one side and once that for the other, as moves are ordered."""
    for kind, limit in ((5, THREE), (6, FOUR), (8, FIVE), (9, 1 << WIDTH)):
        assert 4 * WORTH[kind] < limit
        assert 3 * 4 * (WORTH[kind] % THREE) < THREE
    assert 3 * 4 * WORTH[6] < FOUR
    assert 2 * WORTH[7] + 4 * WORTH[8] < FIVE  # two fours of one's own win at once
    assert WORTH[8] >= TWO_FOURS


def test_full_tables_are_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    board = ShapeBoard(GOMOKU, 1 << 112, 1 << 113)
    monkeypatch.setattr(shape_board, "CHANGES_LIMIT", 0)
    again = ShapeBoard(GOMOKU, 1 << 112, 0)
    assert sum(map(len, tables_of(GOMOKU).changes)) == tables_of(GOMOKU).size == 4
    again.fill(113, 1)
    assert again.sum == board.sum
