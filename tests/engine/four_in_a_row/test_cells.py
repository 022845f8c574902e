"""What a move to a cell changes: the same as the masks say, also after the look-ups have forgotten it."""

from __future__ import annotations

import random

import pytest

from noughts.engine.four_in_a_row import cells
from noughts.engine.four_in_a_row.board import Board, board_of
from noughts.engine.four_in_a_row.cells import Moves
from noughts.engine.four_in_a_row.masks import BOTTOM, FULL, winning
from tests.support.engine_games import random_game
from tests.support.four_in_a_row import VARIANT


def boards(number: int, rng: random.Random) -> list[Board]:
    """Return random positions in play."""
    return [board_of(random_game(VARIANT, rng.randrange(40), rng).position) for _ in range(number)]


def check(moves: Moves, board: Board) -> None:
    """Compare every move of a position with the masks."""
    open_cells = (board.occupied + BOTTOM) & FULL
    mine = winning(board.me, board.occupied)
    seen = []
    for rank, move, change, near, lines in moves[open_cells]:
        seen.append((rank, move))
        occupied = board.occupied | move
        assert open_cells ^ change == (occupied + BOTTOM) & FULL
        assert (mine | lines[board.me & near]) & (occupied ^ FULL) == winning(board.me | move, occupied)
    assert [move for _, move in seen] == [board.move(column) for column in board.columns()]
    assert [rank for rank, _ in seen] == sorted({rank for rank, _ in seen})


def test_moves_change_what_the_masks_say() -> None:
    moves = Moves()
    for board in boards(300, random.Random(1)):
        check(moves, board)
        check(moves, board)
    assert moves[0] == ()
    assert len(moves) > 100


def test_look_ups_that_are_full_begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "SETS_OF_MOVES", 3)
    monkeypatch.setattr(cells, "PATTERNS", 3)
    moves = Moves()
    for board in boards(50, random.Random(2)):
        check(moves, board)
        assert len(moves) <= 3
    ((_, _, _, near, lines),) = moves[Board(0, 0, 0).move(3)]
    for row in range(6):
        marks = near & BOTTOM << row
        assert lines[marks] == winning(marks | Board(0, 0, 0).move(3), 0)
        assert len(lines) <= 3
