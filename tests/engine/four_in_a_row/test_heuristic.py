"""The heuristic search: it sees wins and losses within its depth, and prefers useful threats."""

from __future__ import annotations

import random

import pytest

from noughts.engine.budget import Budget
from noughts.engine.four_in_a_row.board import Board, board_of
from noughts.engine.four_in_a_row.heuristic import HeuristicSearch
from tests.support.budgets import endless
from tests.support.engine_games import random_game
from tests.support.four_in_a_row import VARIANT, game_of_columns
from tests.support.slow_solver import slow_verdict


def best_column(board: Board, nodes: int, budget: Budget) -> int:
    """Return the column that the search prefers."""
    moves = {board.move(column): column for column in board.columns()}
    return moves[HeuristicSearch(nodes, budget).best(board.me, board.occupied, board.ply, list(moves))]


@pytest.mark.parametrize(
    ("columns", "best"),
    [
        ("4455", {2, 5}),  # X makes three in the row with both ends open
        ("44536", {6}),  # O blocks the row
        ("142414", {3}),  # X blocks the column
    ],
)
def test_it_sees_wins_in_three_plies_and_blocks(columns: str, best: set[int]) -> None:
    assert best_column(board_of(game_of_columns(columns).position), 20_000, endless()) in best


def test_with_enough_nodes_its_endings_are_perfect() -> None:
    rng = random.Random(1)
    for _ in range(30):
        game = random_game(VARIANT, rng.randrange(34, 41), rng)
        if any(board_of(game.position).wins(column) for column in range(7)):
            continue  # the kernel makes such a move without a search
        verdict, keeping = slow_verdict(game.position)
        column = best_column(board_of(game.position), 1_000_000, endless())
        assert verdict.value == "loss" or column in {cell % 7 for cell in keeping}
