"""Bit boards of four in a row: the same positions, moves and lines as those of the rules."""

from __future__ import annotations

import random

from noughts.engine.four_in_a_row.board import Board, board_of, board_of_sum, cell_of
from tests.support.engine_games import random_game
from tests.support.four_in_a_row import VARIANT, game_of_columns


def test_a_position_becomes_columns_from_below() -> None:
    board = board_of(game_of_columns("4435").position)
    x, o = 1 << 7 * 3 | 1 << 7 * 2, 1 << 7 * 3 + 1 | 1 << 7 * 4
    assert board == Board(x, x | o, 4)
    assert board_of(game_of_columns("443").position) == Board(o & ~(1 << 7 * 4), x | o & ~(1 << 7 * 4), 3)


def test_the_cells_of_bits() -> None:
    assert [cell_of(1 << 7 * 3), cell_of(1 << 7 * 3 + 5), cell_of(1 << 5), cell_of(1 << 47)] == [38, 3, 0, 6]


def test_moves_on_columns_are_moves_of_the_rules() -> None:
    rng = random.Random(1)
    for _ in range(200):
        game = random_game(VARIANT, rng.randrange(0, 38), rng)
        board = board_of(game.position)
        assert sorted(cell_of(board.move(column)) for column in board.columns()) == list(game.legal())
        for cell in game.legal():
            after = game.play(cell)
            assert board.after(cell % 7) == board_of(after.position)
            won = after.outcome is not None and after.outcome.reason == "line"
            assert board.wins(cell % 7) is won


def test_every_position_has_a_sum_of_its_own() -> None:
    """The number of positions after n plies, in any order of moves, is a sequence in the literature."""
    layer = {Board(0, 0, 0)}
    counts = []
    for _ in range(7):
        counts.append(len(layer))
        assert len({board.sum for board in layer}) == len(layer)
        assert all(board_of_sum(board.sum) == board and board.mirrored().mirrored() == board for board in layer)
        layer = {board.after(column) for board in layer for column in board.columns()}
    assert counts == [1, 7, 49, 238, 1120, 4263, 16422]


def test_a_position_and_its_mirror_image_have_one_canonical_board() -> None:
    rng = random.Random(2)
    mirrored = 0
    for _ in range(50):
        board = board_of(random_game(VARIANT, rng.randrange(1, 20), rng).position)
        canonical = board.canonical()
        assert canonical == board.mirrored().canonical()
        assert canonical in (board, board.mirrored())
        mirrored += canonical != board
    assert 0 < mirrored < 50


def test_the_columns_that_block_are_those_where_the_opponent_wins() -> None:
    three_in_a_column = board_of(game_of_columns("414142").position)
    assert three_in_a_column.blocking([0, 1, 3]) == [0, 1, 3]
    threat = board_of(game_of_columns("41414").position)
    assert threat.blocking([0, 3, 5]) == [3]
    assert threat.blocking([0, 5]) == [0, 5]
