"""The search for an attack on 5x5: its answers are those of a slow solver, for both sides and any number of marks."""

from __future__ import annotations

import random

import pytest

from noughts.engine.budget import OutOfTimeError
from noughts.engine.five_by_five.attack import SIZE, AttackSearch, cells_of, weights
from noughts.rules.position import sides
from noughts.rules.variant import lines
from tests.support.budgets import endless, readings
from tests.support.five_by_five import VARIANT, random_position, solved_positions
from tests.support.slow_solver import SlowSolver, board_text


@pytest.mark.parametrize(("marks", "count"), [(17, 6), (18, 12), (20, 30), (22, 30), (24, 30)])
def test_values_and_plies_of_late_positions(marks: int, count: int) -> None:
    rng = random.Random(marks)
    search = AttackSearch()
    for _ in range(count):
        position = random_position(marks, rng)
        me, op = sides(position)
        value, plies = SlowSolver(VARIANT).worth(board_text(position))
        assert search.solve(me, op, endless()) == value
        assert search.wins(me, op, endless()) is (value > 0)
        assert search.loses(me, op, endless()) is (value < 0)
        if value:
            assert search.plies(me, op, value, endless()) == plies


def test_an_attack_succeeds_with_enough_marks_and_not_with_fewer() -> None:
    checked = 0
    for position, value, plies in solved_positions():
        if plies is None:
            continue
        me, op = sides(position)
        search = AttackSearch()
        answer = search.wins if value == "win" else search.loses
        marks = (plies + 1) // 2
        assert answer(me, op, endless(), marks)
        assert not answer(me, op, endless(), marks - 1)
        checked += 1
    assert checked > 30


def test_a_spent_budget_stops_the_search_and_leaves_valid_answers() -> None:
    rng = random.Random(5)
    stopped = 0
    while stopped < 3:
        position = random_position(5, rng)
        me, op = sides(position)
        search, fresh = AttackSearch(), AttackSearch()
        try:
            search.solve(me, op, readings(2))
        except OutOfTimeError:
            stopped += 1
            assert search.solve(me, op, endless()) == fresh.solve(me, op, endless())


def test_the_table_stays_within_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that clears its table often still has the right answers."""
    monkeypatch.setattr("noughts.engine.five_by_five.attack.TABLE_LIMIT", 50)
    for position, value, _ in list(solved_positions())[:20]:
        me, op = sides(position)
        assert AttackSearch().solve(me, op, endless()) == {"win": 1, "draw": 0, "loss": -1}[value]


def test_the_weight_of_a_cell_counts_its_open_lines() -> None:
    """A line that lacks k marks weighs 2 to the power of 4 - k, on each of its cells and in the total."""
    rng = random.Random(2)
    for _ in range(30):
        position = random_position(rng.randrange(1, 12), rng)
        expected = [0] * (SIZE + 1)
        for line in lines(VARIANT.shape, VARIANT.line):
            if not line & position.o:
                weight = 1 << (line & position.x).bit_count()
                expected[SIZE] += weight
                for cell in cells_of(line):
                    expected[cell] += weight
        assert list(weights(position.x, position.o)) == expected
