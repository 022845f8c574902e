"""Ultimate's tables: the decisions, the chances of the random-turn game, and the evaluation of nine boards."""

from __future__ import annotations

import random
from functools import cache

import pytest

from noughts.engine.ultimate.search import FREE
from noughts.engine.ultimate.tables import (
    DRAWN,
    GAINS,
    LINE,
    MY_LINES,
    O_WON,
    POWER,
    STATES,
    TEMPO,
    THEIR_LINES,
    X_WON,
    Tables,
    evaluate,
)
from tests.support.ultimate import ROWS


@pytest.fixture(scope="module")
def tables() -> Tables:
    return Tables()


def digits(state: int) -> list[int]:
    return [state // POWER[place] % 3 for place in range(9)]


def test_a_small_board_is_decided_by_a_line_or_by_its_last_cell(tables: Tables) -> None:
    for state in range(STATES):
        marks = digits(state)
        lined = {mark for mark in (1, 2) for row in ROWS if all(marks[int(place)] == mark for place in row)}
        decision = tables.decisions[state]
        if lined == {1, 2}:
            assert decision in (X_WON, O_WON)  # no game leads there
        elif lined:
            assert decision == (X_WON if lined == {1} else O_WON)
        else:
            assert decision == (0 if 0 in marks else DRAWN)
        for side in (0, 1):
            after = {place: new for place, new, _ in tables.successors[side][state]}
            expected = [] if decision else [place for place in range(9) if marks[place] == 0]
            assert list(after) == expected
            for place, new in after.items():
                assert digits(new) == [*marks[:place], side + 1, *marks[place + 1 :]]


def test_the_state_of_masks(tables: Tables) -> None:
    assert tables.state_of(0, 0) == 0
    assert digits(tables.state_of(0b000000101, 0b100000000)) == [1, 0, 1, 0, 0, 0, 0, 0, 2]


def test_chances_are_those_of_the_random_turn_game(tables: Tables) -> None:
    x_chance, o_chance = tables.chances

    @cache
    def random_turns(marks: str) -> tuple[float, float]:
        for row in ROWS:
            if all(marks[int(place)] == "X" for place in row):
                return 1.0, 0.0
            if all(marks[int(place)] == "O" for place in row):
                return 0.0, 1.0
        free = [place for place in range(9) if marks[place] == "."]
        if not free:
            return 0.0, 0.0
        by_x = [random_turns(marks[:place] + "X" + marks[place + 1 :]) for place in free]
        by_o = [random_turns(marks[:place] + "O" + marks[place + 1 :]) for place in free]
        x = max(by_x, key=lambda pair: pair[0] - pair[1])
        o = max(by_o, key=lambda pair: pair[1] - pair[0])
        return (x[0] + o[0]) / 2, (x[1] + o[1]) / 2

    for marks in (
        "." * 9,
        "XX.......",
        "X...O....",
        "XX.OO....",
        "X.X.O.X..",
        "XOXXOO.X.",
        "OXO......",
        "XXX.OO...",
        "XOXXOOOXX",
    ):
        state = sum(POWER[place] * ".XO".index(mark) for place, mark in enumerate(marks))
        x, o = random_turns(marks)
        # Two marks may raise the difference equally and the chances differently: only the difference is unique.
        assert x_chance[state] - o_chance[state] == pytest.approx(x - o)
        assert min(x_chance[state], o_chance[state]) >= 0
        assert x_chance[state] + o_chance[state] <= 1


def total(chances: list[float]) -> float:
    """Return the sum over the lines of the product of their three chances."""
    return sum(chances[int(row[0])] * chances[int(row[1])] * chances[int(row[2])] for row in ROWS)


def factor(chances: list[float], board: int) -> float:
    """Return the factor of a board's chance in that sum."""
    before, after = chances[:board], chances[board + 1 :]
    return total([*before, 1.0, *after]) - total([*before, 0.0, *after])


@pytest.mark.parametrize("side", [0, 1])
def test_the_evaluation_is_a_sum_over_the_lines(tables: Tables, side: int) -> None:
    rng = random.Random(3 + side)
    for _ in range(100):
        states = [rng.randrange(STATES) for _ in range(9)]
        mine = [tables.chances[side][state] for state in states]
        theirs = [tables.chances[side ^ 1][state] for state in states]
        class_key = sum(tables.class_at[board][state] for board, state in enumerate(states))
        evaluation = evaluate(tables.classes, class_key, side)
        assert evaluation[0] == pytest.approx(LINE * (total(mine) - total(theirs)))
        for board, state in enumerate(states):
            assert evaluation[MY_LINES + board] == pytest.approx(LINE * factor(mine, board))
            assert evaluation[THEIR_LINES + board] == pytest.approx(LINE * factor(theirs, board))
            replies = [new for _, new, _ in tables.successors[side ^ 1][state]]
            gains = [
                (tables.chances[side ^ 1][new] - theirs[board]) * factor(theirs, board)
                + (mine[board] - tables.chances[side][new]) * factor(mine, board)
                for new in replies
            ] or [0.0]
            # The table has the best mark for the small board alone, which is not always the best for its lines.
            assert any(evaluation[GAINS + board] == pytest.approx(TEMPO * LINE * gain, abs=1e-6) for gain in gains)
        assert evaluation[GAINS + FREE] == max(evaluation[GAINS : GAINS + 9])
