"""The bound by replies above each mark: never below the value, and sharp where the rule decides the game."""

from __future__ import annotations

import random

import pytest

from noughts.engine.four_in_a_row.board import Board, board_of
from noughts.engine.four_in_a_row.masks import FULL, winning
from noughts.rules.game import Game
from tests.support.engine_games import random_game
from tests.support.four_in_a_row import VARIANT, game_of_columns
from tests.support.slow_solver import SlowSolver, board_text
from tools.prove.claimeven import has_line, highest_value, may_complete
from tools.prove.null_window import NullWindowSearch


def bound_of(board: Board) -> int | None:
    """Return the bound, None if a side completes a line with its next mark."""
    mine = winning(board.me, board.occupied)
    theirs = winning(board.me ^ board.occupied, board.occupied)
    if any((mine | theirs) & board.move(column) for column in board.columns()):
        return None
    return highest_value(board.me, board.me ^ board.occupied, board.occupied, theirs, board.ply)


def quiet_games(plies: range, number: int, rng: random.Random) -> list[tuple[Game, int]]:
    """Return games in which neither side completes a line with its next mark, with the bound of each position."""
    games: list[tuple[Game, int]] = []
    while len(games) < number:
        game = random_game(VARIANT, rng.choice(plies), rng)
        bound = bound_of(board_of(game.position))
        if bound is not None:
            games.append((game, bound))
    return games


def test_no_value_is_above_its_bound() -> None:
    """By the slow solver, which has no masks and no cuts."""
    counts = {-1: 0, 0: 0, 1: 0}
    for game, bound in quiet_games(range(36, 41), 12, random.Random(1)):
        counts[bound] += 1
        if bound < 1:
            assert SlowSolver(VARIANT).worth(board_text(game.position)).sign <= bound, game.moves
    assert counts[-1] + counts[0] > 2


@pytest.mark.parametrize("columns", ["3215545371672133162", "24136613414267741517336"])
def test_below_a_cell_that_completes_a_line_of_x_it_is_lost_for_o(columns: str) -> None:
    """O cannot fill the cell below. In the second position O completes lines too, but none that it reaches."""
    board = board_of(game_of_columns(columns).position)
    assert bound_of(board) == -1
    search = NullWindowSearch()
    assert all(search.score_reaches(*board.after(column), 1) for column in board.columns())


def test_four_switches_are_held_if_some_pairing_leaves_no_line() -> None:
    """By trying all three pairings. X gets one cell of each pair."""
    rng = random.Random(3)
    counts = {True: 0, False: 0}
    for _ in range(4_000):
        a, b, c, d = switches = [1 << 7 * column + rng.choice((1, 3, 5)) for column in rng.sample(range(7), 4)]
        x = sum(1 << cell for cell in rng.sample(range(48), 12)) & FULL & ~sum(switches)
        pairings = (((a, b), (c, d)), ((a, c), (b, d)), ((a, d), (b, c)))
        expected = any(
            not any(has_line(x | first | second) for first in pair for second in other) for pair, other in pairings
        )
        assert may_complete(x, sum(switches)) is not expected
        counts[expected] += has_line(x | sum(switches)) and not any(has_line(x | cell) for cell in switches)
    assert min(counts.values()) >= 10
