"""Ultimate's search: the moves of the rules, estimates of the last ply, and bounded tables."""

from __future__ import annotations

import pytest

from noughts.engine.budget import OutOfTimeError
from noughts.engine.ultimate.kernel import Root
from noughts.engine.ultimate.search import ALL_CLOSED, COMPLETE, NODES_PER_LOOK, PROVED, WIN, Move, Search
from noughts.engine.ultimate.tables import Tables
from noughts.rules.game import start
from noughts.rules.ultimate import UltimatePosition
from tests.support.budgets import endless, no_time
from tests.support.ultimate import VARIANT, endings, positions_of, random_games, slow_value, wins_at_once


@pytest.fixture(scope="module")
def tables() -> Tables:
    return Tables()


def search_value(root: Root, depth: int, alpha: int = -WIN, beta: int = WIN) -> int:
    """Return the value of a full search of the root's position."""
    ply = root.position.ply
    state = (root.key, root.class_key, root.won_x, root.won_o, root.closed)
    return root.search.search(root.side, root.forced, depth, alpha, beta, ply, *state)


def test_every_move_leads_to_the_position_of_the_rules(tables: Tables) -> None:
    for game in random_games(12, seed=1):
        for position in positions_of(game):
            check_moves(tables, position)


def check_moves(tables: Tables, position: UltimatePosition) -> None:
    root = Root(Search(tables), position)
    winning = [cell for cell in position.legal() if wins_at_once(position, cell)]
    if winning:
        assert root.best[0] == WIN
        assert root.cell(root.best) in winning
        return
    assert sorted(root.cell(move) for move in root.moves) == list(position.legal())
    for move in root.moves:
        after = position.play(root.cell(move))
        if after.ended(root.cell(move)) is not None:
            assert (move[8], move[0]) == (ALL_CLOSED, 0)
            continue
        root_after = Root(Search(tables), after)
        assert position_after(move) == (
            root_after.forced,
            root_after.class_key,
            root_after.won_x,
            root_after.won_o,
            root_after.closed,
        )


def position_after(move: Move) -> tuple[int, ...]:
    return (move[3], move[4], *move[6:9])


def test_moves_come_in_the_order_of_their_estimates(tables: Tables) -> None:
    for game in random_games(3, seed=2):
        for position in positions_of(game):
            estimates = [move[0] for move in Root(Search(tables), position).moves]
            assert estimates == sorted(estimates, reverse=True)


def test_the_last_ply_has_the_best_estimate_of_the_moves(tables: Tables) -> None:
    for game in random_games(12, seed=15):
        for position in positions_of(game):
            root = Root(Search(tables), position)
            ply = position.ply
            state = (root.class_key, root.won_x, root.won_o, root.closed)
            if root.best[0] == WIN:
                assert root.search.last_ply(root.side, root.forced, WIN, ply, *state) == WIN - ply - 1
            else:
                assert root.search.last_ply(root.side, root.forced, WIN, ply, *state) == int(root.best[0])


def test_the_last_ply_stops_at_an_estimate_that_reaches_beta(tables: Tables) -> None:
    root = Root(Search(tables), endings(9, 1, seed=4)[0])
    state = (root.class_key, root.won_x, root.won_o, root.closed)
    beta = int(min(move[0] for move in root.moves)) - 1
    assert root.search.last_ply(root.side, root.forced, beta, root.position.ply, *state) >= beta


@pytest.mark.parametrize("cells", [1, 3, 6, 9])
def test_a_search_to_the_end_is_exact(tables: Tables, cells: int) -> None:
    for position in endings(cells, 6, seed=cells):
        value, plies = slow_value(position)
        root = Root(Search(tables), position)
        estimates = root.search.estimates
        result = search_value(root, COMPLETE)
        assert root.search.estimates == estimates  # nothing was estimated
        expected = value * (WIN - position.ply - plies) if value else 0
        assert result == expected
        assert search_value(root, COMPLETE) == expected  # from the table


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_a_value_is_the_same_in_a_null_window(tables: Tables, depth: int) -> None:
    """A search with a narrow window gives a bound on the same side of it."""
    for position in endings(14, 6, seed=depth):
        value = search_value(Root(Search(tables), position), depth)
        for alpha in (value - 1, value):
            bound = search_value(Root(Search(tables), position), depth, alpha, alpha + 1)
            assert (bound > alpha) is (value > alpha)


def test_a_search_with_estimates_proves_nothing(tables: Tables) -> None:
    position = start(VARIANT)
    assert isinstance(position, UltimatePosition)
    root = Root(Search(tables), position)
    assert abs(search_value(root, 3)) < PROVED
    assert root.search.estimates > 0


def test_a_spent_budget_stops_the_search_after_its_nodes_per_look(tables: Tables) -> None:
    root = Root(Search(tables), endings(20, 1, seed=5)[0])
    root.search.budget = no_time()
    with pytest.raises(OutOfTimeError):
        search_value(root, COMPLETE)
    assert root.search.nodes == NODES_PER_LOOK


def test_full_tables_are_cleared_and_values_stay_right(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = Tables()
    monkeypatch.setattr("noughts.engine.ultimate.search.TABLE_LIMIT", 3)
    monkeypatch.setattr("noughts.engine.ultimate.search.CACHE_LIMIT", 3)
    for position in endings(10, 4, seed=9):
        value, plies = slow_value(position)
        root = Root(Search(tables), position)
        root.search.budget = endless()
        assert search_value(root, COMPLETE) == (value * (WIN - position.ply - plies) if value else 0)
        assert all(len(table) <= 3 for table in root.search.table)
        assert len(root.search.cache) <= 3


def test_deeper_searches_with_one_table_have_the_values_of_fresh_ones(tables: Tables) -> None:
    """The table orders the moves by the best move of the shallower search."""
    for position in endings(30, 8, seed=6):
        root = Root(Search(tables), position)
        for depth in (2, 3, 4, 5):
            assert search_value(root, depth) == search_value(Root(Search(tables), position), depth)


def test_a_search_starts_with_empty_tables_of_its_own(tables: Tables) -> None:
    one, two = Search(tables), Search(tables)
    assert one.table == [{} for _ in range(10)]
    assert one.table is not two.table
    assert one.cache is two.cache
