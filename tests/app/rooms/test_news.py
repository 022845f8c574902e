"""Events on their way to another node."""

from __future__ import annotations

import pytest

from noughts.app.rooms.news import news_bytes, news_from
from noughts.room.events import Event, Moved, Reacted, Said, Settings

EVENTS: tuple[Event, ...] = (
    Settings(),
    Moved("X", "b2", "p_ann"),
    Said("p_ann", "Ann", "X", "hello", 3),
    Reacted("p_eve", "Eve", None, "👍"),
)


def test_events_arrive_as_they_were() -> None:
    assert news_from(news_bytes(EVENTS)) == EVENTS
    assert news_from(news_bytes(())) == ()


@pytest.mark.parametrize("data", [None, b"", b"no events", news_bytes(EVENTS)[:-3]])
def test_what_cannot_be_read_is_no_event(data: bytes | None) -> None:
    """A newer program may send an event that this one does not know. The room itself is sent beside it."""
    assert news_from(data) == ()
