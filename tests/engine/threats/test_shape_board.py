"""The board of shapes: a game move by move has the worths of the same position from scratch."""

from __future__ import annotations

import random

import pytest

from noughts.engine.threats import shape_board
from noughts.engine.threats.fours import board_of, open_lines
from noughts.engine.threats.shape_board import FIVE, FOUR, TWO_FOURS, ShapeBoard, tables_of
from noughts.rules.variant import VARIANTS
from tests.support.engine_games import random_game

GOMOKU = VARIANTS["gomoku"]


def test_a_move_has_the_worths_of_the_position_after_it() -> None:
    rng = random.Random(3)
    for plies in (1, 5, 20, 60):
        game = random_game(GOMOKU, plies, rng)
        if game.outcome is not None:
            continue
        board = ShapeBoard(GOMOKU, game.position.x, game.position.o)
        before = [list(worths) for worths in board.worths], board.estimates, board.key
        state = board.save()
        cell = rng.choice(game.legal())
        board.fill(cell, plies & 1)
        after = game.play(cell).position
        fresh = ShapeBoard(GOMOKU, after.x, after.o)
        assert (board.worths, board.estimates, board.key) == (fresh.worths, fresh.estimates, fresh.key)
        board.restore(state)
        assert ([*board.worths], board.estimates, board.key) == before


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
            fives = sum(1 << cell for cell, worth in enumerate(board.worths[side]) if worth >= FIVE)
            assert fives == groups.fours
            pairs = 0
            for pair in groups.pairs:
                pairs |= pair
            fours = sum(1 << cell for cell, worth in enumerate(board.worths[side]) if worth >= FOUR)
            assert fours & ~fives == pairs & ~fives
            seen += fives.bit_count() + fours.bit_count()
    assert seen > 100


def test_four_shapes_of_a_kind_are_worth_less_than_the_next_kind() -> None:
    for lower, higher in ((6, FOUR), (7, 1 << 23), (8, FIVE)):
        assert 4 * shape_board.WORTH[lower] < higher
    assert 4 * shape_board.WORTH[5] < shape_board.THREE
    assert shape_board.WORTH[8] >= TWO_FOURS


def test_full_tables_are_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    board = ShapeBoard(GOMOKU, 1 << 112, 1 << 113)
    monkeypatch.setattr(shape_board, "CHANGES_LIMIT", 0)
    again = ShapeBoard(GOMOKU, 1 << 112, 0)
    assert sum(map(len, tables_of(GOMOKU).changes)) == 4
    again.fill(113, 1)
    assert again.worths == board.worths
