"""Giving the opponent time."""

from __future__ import annotations

from noughts.room.clock import DAY_MS, DaysClock, FischerClock, MoveClock
from noughts.room.commands import GiveTime
from noughts.room.events import TimeGiven
from tests.support.room_play import (
    ADA,
    BOB,
    CAT,
    RoomPlay,
    against_engine,
    alone,
    match_play,
    pair,
    resign,
    seat_engine,
)

GIVE = GiveTime("g")


def timed(clock: FischerClock | MoveClock | DaysClock) -> RoomPlay:
    """A game on a clock after the first move of each side."""
    play = pair(clock=clock)
    play.moves("b2", "a1")
    return play


def test_the_opponent_has_fifteen_seconds_more() -> None:
    """On a clock for the whole game they are added to what is left."""
    play = timed(FischerClock(60_000, 0))
    assert play.ask(BOB, GIVE) == (TimeGiven("O", 15_000),)
    assert play.left_ms == (75_000, 60_000)
    play.now_ms += 70_000
    play.moves("a2")
    assert play.left_ms == (5_000, 60_000)


def test_on_a_clock_for_each_move_the_move_that_is_on_has_more_time() -> None:
    """The one after it has the usual time again."""
    play = timed(MoveClock(5_000))
    play.ask(BOB, GIVE)
    play.now_ms += 19_000
    play.moves("a2")
    assert play.left_ms == (5_000, 5_000)


def test_a_gift_for_an_opponent_who_is_not_to_move_is_for_the_next_move() -> None:
    """It waits until then."""
    play = timed(MoveClock(5_000))
    play.ask(ADA, GIVE)
    assert play.left_ms == (5_000, 20_000)
    play.moves("a2")
    play.now_ms += 19_000
    play.moves("b1")
    assert play.left_ms == (5_000, 5_000)


def test_the_flag_falls_later() -> None:
    """Not before the gift is used up."""
    play = timed(MoveClock(5_000))
    play.ask(BOB, GIVE)
    play.wait(19_999)
    assert play.outcome() is None
    play.wait(1)
    assert play.outcome() == ("O", "timeout")


def test_in_games_of_days_a_gift_is_a_day_up_to_fourteen_in_all() -> None:
    """That grants a holiday."""
    play = timed(DaysClock(12))
    assert play.ask(BOB, GIVE) == (TimeGiven("O", DAY_MS),)
    play.ask(BOB, GIVE)
    assert play.left_ms[0] == 14 * DAY_MS
    assert play.code(BOB, GIVE) == "forbidden"


def test_a_side_gives_time_twenty_times_in_a_game() -> None:
    """The other side has its own twenty, and the next game new ones."""
    play = timed(FischerClock(60_000, 0))
    for _ in range(20):
        play.ask(BOB, GIVE)
    assert play.code(BOB, GIVE) == play.code(BOB, GiveTime("g", game=9)) == "rate_limited"
    play.ask(ADA, GIVE)
    play.ask(ADA, resign())
    assert play.code(BOB, GIVE) == "game_over"


def test_the_first_code_that_rejects_a_gift() -> None:
    """Without a clock, in a match and for an engine there is nothing to give."""
    assert pair().code(CAT, GIVE) == "not_seated"
    assert alone().code(ADA, GIVE) == "not_playing"
    assert timed(MoveClock(5_000)).code(ADA, GiveTime("g", game=2)) == "stale"
    assert pair().code(ADA, GIVE) == "forbidden"
    assert match_play().code(ADA, GIVE) == "forbidden"
    assert against_engine(clock=MoveClock(5_000)).code(ADA, GIVE) == "forbidden"


def test_a_flag_that_has_fallen_is_given_nothing() -> None:
    """The game is over, though the room has not been woken."""
    play = timed(MoveClock(5_000))
    play.now_ms += 5_000
    assert play.code(BOB, GIVE) == "game_over"


def test_the_engine_that_holds_a_seat_is_given_nothing() -> None:
    """Its player is away."""
    play = timed(FischerClock(600_000, 0))
    play.disconnect(BOB)
    play.wait(30_000)
    play.ask(ADA, seat_engine("O"))
    assert play.code(ADA, GIVE) == "forbidden"
