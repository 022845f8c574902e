"""Marks, and how a game ends."""

from __future__ import annotations

import msgspec
import pytest

from noughts.rules.outcome import MARKS, Outcome, other


def test_each_mark_has_the_other_as_opponent() -> None:
    assert [other(mark) for mark in MARKS] == ["O", "X"]


def test_x_makes_the_moves_after_even_plies() -> None:
    assert [MARKS[ply & 1] for ply in range(4)] == ["X", "O", "X", "O"]


def test_an_outcome_has_no_cells_unless_it_says_so() -> None:
    assert Outcome("X", "resignation") == Outcome("X", "resignation", ())
    assert Outcome("X", "line", (0, 1, 2)) != Outcome("X", "line", (0, 3, 6))


def test_a_draw_is_an_outcome_too() -> None:
    """Callers write ``if game.outcome`` for a game that is over, so no outcome may count as false."""
    assert Outcome(None, "full_board")


def test_an_outcome_is_stored_as_an_array() -> None:
    """Rooms of earlier versions hold it so."""
    outcome = Outcome("O", "line", (2, 4, 6))
    assert msgspec.json.encode(outcome) == b'["O","line",[2,4,6]]'
    assert msgspec.json.decode(b'["O","line",[2,4,6]]', type=Outcome) == outcome


def test_an_outcome_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Outcome("X", "line").winner = "O"  # type: ignore[misc]
