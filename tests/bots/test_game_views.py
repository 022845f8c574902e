"""The view of a game that is played here."""

from __future__ import annotations

from noughts.bots.game_views import view_of
from noughts.rules.game import Game


def test_a_bot_sees_what_it_would_see_in_a_room() -> None:
    view = view_of(Game.of("classic", "b2 a1"), 7)
    assert (view.id, view.variant, view.phase) == ("match-7", "classic", "playing")
    assert view.game is not None
    assert (view.game.turn, view.game.moves, view.game.marks) == ("X", ("b2", "a1"), {"b2": "X", "a1": "O"})
    assert view.game.legal == ("b1", "c1", "a2", "c2", "a3", "b3", "c3")


def test_a_game_that_is_over_is_finished() -> None:
    view = view_of(Game.of("classic", "a1 a2 b1 b2 c1"), 1)
    assert view.phase == "finished"
    assert view.game is not None
    assert (view.game.turn, view.game.legal) == (None, ())
