"""The ends of games in English."""

from __future__ import annotations

from typing import get_args

from noughts.rules.endings import HOW, ending
from noughts.rules.outcome import Outcome, Reason


def test_every_reason_has_words() -> None:
    assert set(HOW) == set(get_args(Reason))


def test_a_game_is_won_drawn_or_called_off() -> None:
    assert ending(Outcome("X", "line", (0, 1, 2))) == "X won."
    assert ending(Outcome("O", "timeout")) == "O won on time."
    assert ending(Outcome(None, "full_board")) == "The game ended in a draw."
    assert ending(Outcome(None, "agreement")) == "The game ended in a draw by agreement."
    assert ending(Outcome(None, "aborted")) == "The game was called off."
