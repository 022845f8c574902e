"""The exact search of nearly full boards: the value of every move is that of a slow search of everything."""

from __future__ import annotations

import random

import pytest

from noughts.engine.budget import OutOfTimeError
from noughts.engine.threats.endings import EndingSearch
from noughts.engine.threats.lines import board_of
from noughts.rules.variant import VARIANTS, Variant
from tests.support.budgets import endless, no_time
from tests.support.threats import late_position, late_positions, marks_of, slow_value

SMALL = [
    Variant("plane", "", "", (5, 4), 4),
    Variant("small-plane", "", "", (4, 4), 4),
    Variant("cube", "", "", (3, 3, 3), 3),
]


@pytest.mark.search
@pytest.mark.parametrize("variant", SMALL, ids=lambda variant: variant.key)
def test_the_value_of_every_move_is_exact(variant: Variant, whole: bool) -> None:
    check_values(variant, 80 if whole else 30)


def check_values(variant: Variant, count: int) -> None:
    """Compare the values of all moves in random late positions with those of a slow search."""
    board = board_of(variant)
    values_seen = set()
    for position in late_positions(variant, random.Random(1), count):
        own, other = marks_of(position)
        empty = board.full & ~(own | other)
        values = EndingSearch(board, endless()).values(own, other, empty, board.lines)
        assert sorted(bit.bit_length() - 1 for bit in values) == list(position.legal())
        for bit, value in values.items():
            after = position.play(bit.bit_length() - 1)
            end = after.ended(bit.bit_length() - 1)
            expected = -slow_value(after, {}) if end is None else 0 if end.winner is None else 1
            assert value == expected
            values_seen.add(value)
    assert values_seen == ({1, -1} if variant.layers > 1 else {1, 0, -1})


def test_a_full_table_is_cleared_and_values_stay_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.engine.threats.endings.TABLE_LIMIT", 3)
    check_values(SMALL[0], 30)


def test_a_spent_budget_stops_the_search() -> None:
    qubic = VARIANTS["qubic"]
    board = board_of(qubic)
    rng = random.Random(2)
    stopped = 0
    while stopped < 3:
        position = late_position(qubic, rng, 18)
        if position is None:
            continue
        own, other = marks_of(position)
        try:
            EndingSearch(board, no_time()).values(own, other, board.full & ~(own | other), board.lines)
        except OutOfTimeError:
            stopped += 1
