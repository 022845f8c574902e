"""The compiled search of ultimate: the same moves, values, nodes and looks at the clock as in plain Python."""

from __future__ import annotations

import random

import pytest

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.compiled.loading import load
from noughts.engine.ultimate import search as search_module
from noughts.engine.ultimate.compiled_search import PROGRAM, TIMED_NODES_PER_LOOK, CompiledSearch, SearchProgram
from noughts.engine.ultimate.kernel import MOST_PLIES, Root
from noughts.engine.ultimate.search import COMPLETE, NODES_PER_LOOK, WIN, Search
from noughts.engine.ultimate.tables import Tables
from noughts.rules.position import Position
from noughts.rules.ultimate import UltimatePosition
from tests.support.budgets import TOLERANCE_S, CountingClock, endless, no_time, overrun_s
from tests.support.ultimate import endings, positions_of, random_games

SMALL_LIMIT = 25


@pytest.fixture(scope="module")
def tables() -> Tables:
    return Tables()


@pytest.fixture(scope="module")
def program(tables: Tables) -> SearchProgram:
    """Return a program with tables of the size that they have in plain Python."""
    return program_with(tables, search_module.TABLE_LIMIT)


def program_with(tables: Tables, limit: int) -> SearchProgram:
    program = load(PROGRAM)
    assert program is not None
    return SearchProgram(program, tables, limit)


def corpus(seed: int, step: int) -> list[Position]:
    """Return positions of every phase of the game, and endings."""
    positions: list[Position] = [
        position for game in random_games(3, seed) for position in list(positions_of(game))[seed % step :: step]
    ]
    return positions + [position for cells in (8, 12) for position in endings(cells, 2, seed)]


def outcome(root: Root, clock: CountingClock, budget: Budget) -> list[object]:
    """Return the results of a search, and its costs."""
    root.deepen(budget, MOST_PLIES)
    results = [root.value, root.best, root.moves, root.losing, root.complete, root.verdict()]
    return [*results, root.keeping_moves(budget), root.search.nodes, root.search.estimates, clock.readings]


@pytest.mark.parametrize("ticks", [1, 12, 150])
def test_it_agrees_with_plain_python_node_by_node(ticks: int, tables: Tables, program: SearchProgram) -> None:
    for position in corpus(seed=ticks, step=11):
        clocks = CountingClock(), CountingClock()
        budgets = [Budget(ticks, clock, counts_readings=True) for clock in clocks]
        plain = outcome(Root(Search(tables), position), clocks[0], budgets[0])
        assert outcome(Root(CompiledSearch(program), position), clocks[1], budgets[1]) == plain


def test_full_tables_are_cleared_like_in_plain_python(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "TABLE_LIMIT", SMALL_LIMIT)
    program = program_with(tables, SMALL_LIMIT)
    for position in corpus(seed=2, step=16):
        clocks = CountingClock(), CountingClock()
        budgets = [Budget(40, clock, counts_readings=True) for clock in clocks]
        plain = Search(tables)
        expected = outcome(Root(plain, position), clocks[0], budgets[0])
        assert outcome(Root(CompiledSearch(program), position), clocks[1], budgets[1]) == expected


def value(root: Root, depth: int, alpha: int = -WIN, beta: int = WIN) -> int:
    """Return the value of a full search of the root's position."""
    state = (root.position.ply, root.key, root.class_key, root.won_x, root.won_o, root.closed)
    return root.search.search(root.side, root.forced, depth, alpha, beta, *state)


def test_values_and_bounds_are_those_of_plain_python(tables: Tables, program: SearchProgram) -> None:
    rng = random.Random(3)
    for position in corpus(seed=3, step=9):
        plain, fast = Root(Search(tables), position), Root(CompiledSearch(program), position)
        if plain.best[0] == WIN:
            continue
        for depth in (1, 2, 4):
            exact = value(plain, depth)
            assert value(fast, depth) == exact
            alpha = exact + rng.randrange(-200, 200)
            assert value(fast, depth, alpha, alpha + 1) == value(plain, depth, alpha, alpha + 1)
        assert (fast.search.nodes, fast.search.estimates) == (plain.search.nodes, plain.search.estimates)


def test_a_spent_budget_stops_it_at_its_first_look(tables: Tables, program: SearchProgram) -> None:
    position = middle_game()
    counting = Budget(0.0, lambda: 1.0, counts_readings=True)
    for budget, nodes in ((no_time(), TIMED_NODES_PER_LOOK), (counting, NODES_PER_LOOK)):
        root = Root(CompiledSearch(program), position)
        root.search.budget = budget
        with pytest.raises(OutOfTimeError):
            value(root, COMPLETE)
        assert root.search.nodes == nodes
        root.search.budget = None
        assert value(root, 4) == value(Root(Search(tables), position), 4)


def middle_game() -> UltimatePosition:
    """Return a position that no search of a test plays to its end."""
    return list(positions_of(next(random_games(1, seed=11))))[12]


def test_a_search_that_was_not_the_latest_begins_again(program: SearchProgram) -> None:
    position = middle_game()
    one, another = Root(CompiledSearch(program), position), Root(CompiledSearch(program), position)
    first = value(one, 5)
    nodes = one.search.nodes
    assert value(one, 5) == first
    assert one.search.nodes == nodes + 1  # the table has the answer
    assert value(another, 5) == first
    assert another.search.nodes == nodes
    assert value(one, 5) == first
    assert one.search.nodes == nodes


@pytest.mark.search
def test_no_search_outlives_its_budget_by_50_ms(tables: Tables) -> None:
    """In processor time, so a busy machine does not count."""
    program = program_with(tables, 100_000)
    position = middle_game()
    Root(CompiledSearch(program), position).deepen(Budget(9.0, CountingClock()), MOST_PLIES)
    assert (
        overrun_s(lambda budget: Root(CompiledSearch(program), position).deepen(budget, MOST_PLIES), 0.1) <= TOLERANCE_S
    )


def test_an_endless_search_of_an_ending_is_a_proof(tables: Tables, program: SearchProgram) -> None:
    for position in endings(14, 3, seed=5):
        roots = [Root(search, position) for search in (Search(tables), CompiledSearch(program))]
        for root in roots:
            root.deepen(endless(), MOST_PLIES)
        assert roots[0].proved
        assert roots[1].verdict() == roots[0].verdict()


def test_tables_beyond_the_memory_are_rejected(tables: Tables) -> None:
    with pytest.raises(MemoryError):
        program_with(tables, 1 << 27)
