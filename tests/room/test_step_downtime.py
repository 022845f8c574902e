"""The one state machine: a step gives back downtime exactly once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.room.commands import Chat, Mute, Wake
from noughts.room.downtime import Downtime
from tests.support.room_play import (
    ADA,
    CAT,
    FISCHER_60_2,
    MOVE_5S,
    RoomPlay,
    alone,
    finished,
    pair,
    playing,
)

HOUR_MS: Final = 3_600_000


def outage(play: RoomPlay, ms: int) -> None:
    """Let the server be down for a time. Every later step knows of it."""
    play.downtimes = (*play.downtimes, Downtime(play.now_ms, play.now_ms + ms))
    play.now_ms += ms


def test_downtime_before_the_turn_is_not_given() -> None:
    """An outage that was over before the turn began, or that began before it, gives no more than the turn's own part."""
    play = playing(clock=FISCHER_60_2)
    play.downtimes = (Downtime(play.now_ms - HOUR_MS, play.now_ms - 1_000),)
    play.now_ms += 5_000
    play.moves("c3")
    assert play.left_ms == (57_000, 60_000)
    play = playing(clock=FISCHER_60_2)
    play.downtimes = (Downtime(play.now_ms - HOUR_MS, play.now_ms + 4_000),)
    play.now_ms += 5_000
    play.moves("c3")
    assert play.left_ms == (61_000, 60_000)


@pytest.mark.parametrize(("make", "own_ms"), [(playing, 5_000), (pair, 30_000)])
def test_no_flag_falls_by_downtime(make: Callable[..., RoomPlay], own_ms: int) -> None:
    """A flag that would have fallen in an outage falls once the player's own time is over. So does a first move's."""
    play = make(clock=MOVE_5S)
    play.now_ms += own_ms - 1
    outage(play, HOUR_MS)
    play.step(Wake())
    assert play.outcome() is None
    play.now_ms += 1
    play.step(Wake())
    assert play.outcome() is not None


def test_a_chat_line_after_an_outage() -> None:
    """A chat line that would change nothing stores the compensation, so that the view shows the right clock."""
    play = playing(clock=FISCHER_60_2)
    outage(play, HOUR_MS)
    version = play.room.version
    play.ask(CAT, Chat("c", "back"))
    assert play.room.version == version + 1
    assert play.game.turn_since_ms == play.now_ms


def test_downtime_that_gives_nothing_is_no_change() -> None:
    """Untimed rooms, rooms between games and rooms changed since the outage stay as they are."""
    for play in (pair(), finished(clock=MOVE_5S), alone()):
        outage(play, 1_000)
        before = play.room
        play.step(Wake())
        assert play.room is before
    play = playing(clock=MOVE_5S)
    outage(play, 1_000)
    play.step(Wake())
    before = play.room
    play.step(Wake())
    assert play.room is before


SPANS = st.lists(st.tuples(st.sampled_from(["think", "outage"]), st.integers(0, 5_000), st.booleans()), max_size=8)


@given(SPANS)
@settings(max_examples=80, deadline=None, derandomize=True)
def test_a_turn_is_charged_without_downtime(spans: list[tuple[str, int, bool]]) -> None:
    """However outages, changes and rejections mix, each turn is charged its length without the outages."""
    play = playing(clock=FISCHER_60_2)
    for cell in ("c3", "a3"):
        charged_ms, mark = 0, play.game.history.turn
        for kind, ms, changed in spans:
            if kind == "outage":
                outage(play, ms)
            else:
                play.now_ms += ms
                charged_ms += ms
            if changed:
                play.ask(ADA, Mute("c", CAT.player, True))
            else:
                assert play.code(CAT, Mute("c", CAT.player, True)) == "forbidden"
        play.moves(cell)
        assert play.game.left_ms.of(mark) == 60_000 - charged_ms + 2_000
