"""The states of an actor."""

from __future__ import annotations

from noughts.app.rooms.actor_state import ActorState


def test_a_closed_room_is_a_state_of_its_own() -> None:
    assert len({state.value for state in ActorState}) == len(ActorState) == 5
