"""Events: their types and fields on the wire."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from noughts.room.events import (
    Claimable,
    Closed,
    Declined,
    Ended,
    EngineSeated,
    Event,
    Moved,
    Offered,
    Reacted,
    Said,
    Sat,
    Settings,
    Started,
    Stood,
    TookBack,
    ViewEvent,
    Withdrawn,
)

EVENTS: list[tuple[Event, dict[str, object]]] = [
    (Sat("X", "p_a", "Ada"), {"type": "sat", "mark": "X", "player": "p_a", "name": "Ada"}),
    (Stood("O"), {"type": "stood", "mark": "O"}),
    (Started(3), {"type": "started", "game": 3}),
    (Moved("X", "b2", "p_a"), {"type": "moved", "mark": "X", "cell": "b2", "by": "p_a"}),
    (
        Ended(1, "X", "line", "X", "c1"),
        {"type": "ended", "game": 1, "winner": "X", "reason": "line", "mark": "X", "cell": "c1"},
    ),
    (
        Ended(1, None, "agreement"),
        {"type": "ended", "game": 1, "winner": None, "reason": "agreement", "mark": None, "cell": None},
    ),
    (Offered("draw", "X"), {"type": "offered", "what": "draw", "by": "X"}),
    (Withdrawn("draw", "X"), {"type": "withdrawn", "what": "draw", "by": "X"}),
    (Declined("rematch", "O"), {"type": "declined", "what": "rematch", "by": "O"}),
    (TookBack("X", 2), {"type": "took_back", "by": "X", "ply": 2}),
    (EngineSeated("O", "casual"), {"type": "engine_seated", "mark": "O", "level": "casual"}),
    (Claimable("O"), {"type": "claimable", "mark": "O"}),
    (Settings(), {"type": "settings"}),
    (Closed(), {"type": "closed"}),
]


@pytest.mark.parametrize(("event", "fields"), EVENTS)
def test_an_event_on_the_wire(event: Event, fields: dict[str, object]) -> None:
    """An event is sent with its type and all its fields."""
    assert msgspec.to_builtins(event) == fields


def test_the_events_above_are_all_that_views_carry() -> None:
    """Every event that goes with a view is in the table above."""
    assert {type(event) for event, _ in EVENTS} == set(get_args(ViewEvent))


def test_speech_goes_without_a_view() -> None:
    """A chat line and a reaction are events that no view carries."""
    assert set(get_args(Event)) - set(get_args(ViewEvent)) == {Said, Reacted}
