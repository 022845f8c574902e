"""Marks, and how a game ends."""

from __future__ import annotations

import msgspec

from noughts.rules.outcome import Outcome


def test_a_draw_is_an_outcome_too() -> None:
    """Callers write ``if game.outcome`` for a game that is over, so no outcome may count as false."""
    assert Outcome(None, "full_board")


def test_an_outcome_is_stored_as_an_array() -> None:
    """Rooms of earlier versions hold it so."""
    outcome = Outcome("O", "line", (2, 4, 6))
    assert msgspec.json.encode(outcome) == b'["O","line",[2,4,6]]'
    assert msgspec.json.decode(b'["O","line",[2,4,6]]', type=Outcome) == outcome
