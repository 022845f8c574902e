"""When a turn begins: once its position is stored and sent, and never by the wait of a command."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from noughts.room.downtime import Downtime
from noughts.room.room import Room, RoomGame
from noughts.room.turn_start import PROMPT_MS, begun_when_sent, held_or_stored, judged_as_of, without_downtime
from tests.support.room_play import ADA, FISCHER_60_2, MOVE_5S, RoomPlay, finished, offer, pair, playing


def turn_since_ms(room: Room) -> int:
    game = room.game
    assert isinstance(game, RoomGame)
    return game.turn_since_ms


# --- sent late --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("late_ms", "moved_ms"), [(0, 0), (PROMPT_MS, 0), (PROMPT_MS + 1, PROMPT_MS + 1), (9_000, 9_000)]
)
def test_a_turn_begins_when_it_is_sent(late_ms: int, moved_ms: int) -> None:
    """A few milliseconds are left alone, so that several nodes show the same clock."""
    play = playing(clock=FISCHER_60_2)
    sent = begun_when_sent(play.room, play.now_ms + late_ms)
    assert turn_since_ms(sent) == play.now_ms + moved_ms
    assert replace(sent, game=play.room.game) == play.room


def test_a_change_within_a_turn_does_not_begin_it_anew() -> None:
    """However late it is stored."""
    play = playing(clock=FISCHER_60_2)
    play.now_ms += 3_000
    play.ask(ADA, offer("draw"))
    assert begun_when_sent(play.room, play.now_ms + 5_000) is play.room


@pytest.mark.parametrize("play", [pair(), finished(clock=MOVE_5S), playing()])
def test_no_turn_begins_without_a_clock_or_a_game(play: RoomPlay) -> None:
    assert begun_when_sent(play.room, play.now_ms + 5_000) is play.room


def test_a_flush_that_hangs_is_given_back_once() -> None:
    """The turn began after it, so the downtime before does not count as time of this turn."""
    play = playing(clock=FISCHER_60_2)
    play.downtimes = (Downtime(play.now_ms, play.now_ms + 12_000),)
    play.now_ms += 12_000
    play.room = begun_when_sent(play.room, play.now_ms)
    play.now_ms += 7_000
    play.moves("c3")
    assert play.left_ms == (60_000 - 7_000 + 2_000, 60_000)


# --- commands that waited ---------------------------------------------------------------------------------------------


def test_a_command_is_judged_as_of_its_arrival() -> None:
    """A move that arrived in time is in time, though its room was busy until after the flag."""
    play = playing(clock=MOVE_5S)
    arrived_ms = play.now_ms + 4_900
    play.now_ms += 6_000
    assert judged_as_of(play.moment, play.room, arrived_ms) == replace(play.moment, now_ms=arrived_ms)
    assert judged_as_of(play.moment, play.room, play.now_ms + 5) == play.moment  # the clocks of nodes may differ


@pytest.mark.parametrize("arrived_ms", [1, 1_000])
def test_no_command_is_judged_before_its_turn_began(arrived_ms: int) -> None:
    play = playing(clock=MOVE_5S)
    play.now_ms += 400
    play.room = begun_when_sent(play.room, play.now_ms)
    began_ms = play.now_ms
    play.now_ms += 100
    assert judged_as_of(play.moment, play.room, arrived_ms).now_ms == began_ms


def test_downtime_after_the_arrival_is_not_given_back() -> None:
    """Of the downtime until now, only the part before the command counts; the rest counts for the rest of the turn."""
    play = playing(clock=FISCHER_60_2)
    began_ms = play.now_ms
    play.downtimes = (Downtime(began_ms + 3_000, began_ms + 15_000),)
    play.now_ms += 15_000
    early = judged_as_of(play.moment, play.room, began_ms + 8_000)
    assert turn_since_ms(without_downtime(play.room, early)) == began_ms + 5_000
    assert turn_since_ms(without_downtime(play.room, play.moment)) == began_ms + 12_000


# --- rooms that are read again ----------------------------------------------------------------------------------------


def test_the_held_room_says_when_its_turn_was_sent() -> None:
    """The stored one says when its step was taken. A room of another version is another room."""
    play = playing(clock=MOVE_5S)
    stored, held = play.room, begun_when_sent(play.room, play.now_ms + 400)
    assert held_or_stored(held, stored) is held
    for other in (replace(stored, version=stored.version + 1), replace(stored, used_ms=stored.used_ms + 1)):
        assert held_or_stored(held, other) is other
