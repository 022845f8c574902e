"""What the games between two players say about their strength."""

from __future__ import annotations

import math

import pytest

from noughts.bots.elo import Tally, elo_difference


def test_a_tally_counts_games() -> None:
    tally = Tally().plus(1.0).plus(0.5).plus(0.0).plus(0.0)
    assert (tally, tally.games) == (Tally(1, 1, 2), 4)


def test_equal_players_have_an_interval_around_zero() -> None:
    elo = elo_difference(Tally(10, 20, 10))
    assert elo.value == pytest.approx(0.0)
    assert elo.low == pytest.approx(-elo.high)
    assert 50 < elo.high < 120


def test_three_quarters_of_the_points_are_191_elo() -> None:
    """The formula of the Elo system: 400 times the decimal logarithm of 3."""
    elo = elo_difference(Tally(75, 0, 25))
    assert elo.value == pytest.approx(400 * math.log10(3))
    assert elo.low < elo.value < elo.high
    more = elo_difference(Tally(750, 0, 250))
    assert more.low > elo.low
    assert more.high < elo.high


def test_one_outcome_alone_leaves_one_end_open() -> None:
    wins = elo_difference(Tally(wins=20))
    assert (wins.value, wins.high) == (math.inf, math.inf)
    assert 100 < wins.low < 400
    losses = elo_difference(Tally(losses=20))
    assert (losses.value, losses.low) == (-math.inf, -math.inf)
    assert losses.high == pytest.approx(-wins.low)
