"""The moment of a step and the transition that it returns."""

from __future__ import annotations

from noughts.room.events import Ended, Started
from noughts.room.transition import Transition
from tests.support.room_play import finished, new_room


def test_one_transition_after_another() -> None:
    """The later room counts, the events stand in order, and the game that ended on the way is kept."""
    play = finished()
    game, waiting = play.game, new_room()
    ended, started = Ended(1, "X", "resignation"), Started(2)
    for first, second in (
        (Transition(waiting, (ended,), game), Transition(play.room, (started,))),
        (Transition(waiting, (ended,)), Transition(play.room, (started,), game)),
    ):
        assert second.following(first) == Transition(play.room, (ended, started), game)
    assert Transition(play.room, (ended,), game).after(started).finished is game
