"""Ultimate's search: the moves of the rules, exact values at the end of the game, and bounded tables."""

from __future__ import annotations

import pytest

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.ultimate.kernel import ALL_CLOSED, Root
from noughts.engine.ultimate.search import (
    NODES_PER_COUNTED_READING,
    NODES_PER_READING,
    PROVED,
    WIN,
    Search,
)
from noughts.rules.game import start
from noughts.rules.ultimate import UltimatePosition
from tests.support.budgets import no_time
from tests.support.ultimate import VARIANT, endings, positions_of, random_games, slow_value, wins_at_once

TO_THE_END = 99


@pytest.fixture(scope="module")
def search() -> Search:
    return Search(25_000)


def value_of(root: Root, depth: int, alpha: int = -WIN, beta: int = WIN) -> int:
    """Return the value of a full search of the root's position."""
    return root.search.value(root.side, root.forced, depth, alpha, beta, root.position.ply, root.won, root.closed)


def middle_game() -> UltimatePosition:
    """Return a position that no search of a test plays to its end."""
    return list(positions_of(next(random_games(1, seed=11))))[12]


# -- moves -------------------------------------------------------------------------------------------------------------


def test_every_move_leads_to_the_position_of_the_rules(search: Search) -> None:
    for game in random_games(12, seed=1):
        for position in positions_of(game):
            check_moves(search, position)


def check_moves(search: Search, position: UltimatePosition) -> None:
    root = Root(search, position)
    winning = [cell for cell in position.legal() if wins_at_once(position, cell)]
    if winning:
        assert root.best.estimate == WIN
        assert root.cell(root.best) in winning
        return
    assert sorted(root.cell(move) for move in root.moves) == list(position.legal())
    for move in root.moves:
        after = position.play(root.cell(move))
        if after.ended(root.cell(move)) is not None:
            assert (move.closed, move.estimate) == (ALL_CLOSED, 0)
            continue
        root_after = Root(search, after)
        assert move.state == root_after.boards[move.board]
        assert (move.forced, move.won, move.closed) == (root_after.forced, root_after.won[root.side], root_after.closed)


def test_moves_come_in_the_order_of_their_estimates(search: Search) -> None:
    for game in random_games(3, seed=2):
        for position in positions_of(game):
            estimates = [move.estimate for move in Root(search, position).moves]
            assert estimates == sorted(estimates, reverse=True)


def test_the_last_ply_has_the_best_estimate_of_the_moves(search: Search) -> None:
    for game in random_games(12, seed=15):
        for position in positions_of(game):
            root = Root(search, position)
            won = root.best.estimate == WIN
            assert value_of(root, 1) == (WIN - position.ply - 1 if won else int(root.best.estimate))


# -- values ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entries", [3, 25_000])
@pytest.mark.parametrize("cells", [1, 3, 6, 9])
def test_a_search_to_the_end_is_exact(entries: int, cells: int) -> None:
    """With full tables too, which are cleared."""
    search = Search(entries)
    for position in endings(cells, 6, seed=cells):
        value, plies = slow_value(position)
        root = Root(search, position)
        expected = value * (WIN - position.ply - plies) if value else 0
        assert value_of(root, TO_THE_END) == expected
        assert value_of(root, TO_THE_END) == expected  # from the table
        assert root.search.estimates == 0


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_a_value_is_the_same_in_a_null_window(search: Search, depth: int) -> None:
    """A search with a narrow window gives a bound on the same side of it."""
    for position in endings(14, 6, seed=depth):
        value = value_of(Root(search, position), depth)
        for alpha in (value - 1, value):
            bound = value_of(Root(search, position), depth, alpha, alpha + 1)
            assert (bound > alpha) is (value > alpha)


def test_a_search_with_estimates_proves_nothing(search: Search) -> None:
    position = start(VARIANT)
    assert isinstance(position, UltimatePosition)
    root = Root(search, position)
    assert abs(value_of(root, 3)) < PROVED
    assert root.search.estimates > 0


def test_deeper_searches_with_one_table_have_the_values_of_fresh_ones(search: Search) -> None:
    """The table orders the moves by the best move of the shallower search."""
    for position in endings(30, 8, seed=6):
        values = [value_of(Root(search, position), depth) for depth in (2, 3, 4, 5)]
        root = Root(search, position)
        assert [value_of(root, depth) for depth in (2, 3, 4, 5)] == values


# -- the program -------------------------------------------------------------------------------------------------------


def test_a_spent_budget_stops_it_at_its_first_reading(search: Search) -> None:
    counting = Budget(0.0, lambda: 1.0, counts_readings=True)
    for budget, nodes in ((no_time(), NODES_PER_READING), (counting, NODES_PER_COUNTED_READING)):
        root = Root(search, middle_game())
        root.search.budget = budget
        with pytest.raises(OutOfTimeError):
            value_of(root, TO_THE_END)
        assert root.search.nodes == nodes
        root.search.budget = None
        assert value_of(root, 4) == value_of(Root(search, middle_game()), 4)


def test_tables_beyond_the_memory_are_rejected() -> None:
    with pytest.raises(MemoryError):
        Search(1 << 27)
