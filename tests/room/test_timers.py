"""What happens in a room without a command: when it needs attention, and what then."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from noughts.room.clock import ClockSetting, FischerClock, MoveClock
from noughts.room.commands import Close, Set, Wake
from noughts.room.events import Settings, Started
from noughts.room.presence import NO_PRESENCE, Presence
from noughts.room.seat import EngineSeat
from noughts.room.timers import (
    OWNER_AWAY_MS,
    advance,
    engine_at_ms,
    flag_at_ms,
    heir,
)
from noughts.room.transition import Moment, Transition
from tests.support.room_play import (
    ADA,
    BOB,
    CAT,
    MOVE_5S,
    POLICY,
    T0,
    RoomPlay,
    against_engine,
    alone,
    engines,
    finished,
    new_room,
    offer,
    pair,
    playing,
    stood_in,
)

DAY_MS = 86_400_000
MINUTE_MS = 60_000


def timed_against_engine() -> RoomPlay:
    """Ada against the engine on a clock, after both first moves: Ada is to move."""
    play = against_engine(clock=MOVE_5S)
    play.moves("b2", "a1")
    return play


# --- rest ---


@pytest.mark.parametrize("make", [pair, finished, alone])
def test_a_room_at_rest(make: Callable[[], RoomPlay]) -> None:
    """A room of people who are all here has nothing to wait for without a clock."""
    assert make().wake_at_ms is None


def test_a_wake_up_with_nothing_due() -> None:
    """A wake-up that comes too early is no change."""
    for play in (pair(), finished(), engines(), against_engine(), playing(clock=MOVE_5S)):
        before = play.room
        assert play.step(Wake()) == ()
        assert play.room is before
        assert advance(before, play.moment) == Transition(before)


def test_a_closed_room_needs_nothing() -> None:
    """A closed room never needs attention and never changes by itself."""
    play = pair(clock=MOVE_5S)
    play.ask(ADA, Close("c"))
    assert play.wake_at_ms is None
    play.disconnect(ADA, BOB, CAT)
    assert advance(play.room, replace(play.moment, now_ms=T0 + 365 * DAY_MS)).room is play.room


def test_the_first_deadline_counts() -> None:
    """A room is woken for the flag or for the engine, whichever comes first."""
    assert playing(clock=MOVE_5S).wake_at_ms == T0 + 5_000
    play = against_engine(clock=MOVE_5S)
    play.moves("b2")
    assert play.wake_at_ms == T0 + 500
    assert play.advance_at_ms == T0 + 30_000
    slow = replace(POLICY, engine_pace_ms=60_000)
    play.policy = slow
    assert play.wake_at_ms == T0 + 30_000


def test_several_things_due_at_once() -> None:
    """Everything that is due is done in one step."""
    play = playing(clock=MOVE_5S)
    moment = Moment(T0 + 8 * DAY_MS, POLICY)
    transition = advance(play.room, moment)
    room = transition.room
    assert transition.finished is room.game
    assert [type(event).__name__ for event in transition.events] == ["Ended", "Closed"]
    assert room.closed
    assert room.used_ms == moment.now_ms
    assert advance(room, moment).room is room


# --- the flag ---


def test_an_untimed_game_has_no_flag() -> None:
    """Without a clock a game continues for as long as its players are here."""
    play = pair()
    assert flag_at_ms(play.room, play.presence) is None
    play.wait(5 * DAY_MS)
    assert play.outcome() is None


@pytest.mark.parametrize(("lag_ms", "more_ms"), [(0, 0), (300, 300), (500, 500), (60_000, 500)])
def test_the_flag_waits_for_the_lag(lag_ms: int, more_ms: int) -> None:
    """The flag waits for the lag of the side to move, at most half a second, on a first move too."""
    for play, left_ms in ((playing(clock=MOVE_5S), 5_000), (pair(clock=MOVE_5S), 30_000)):
        play.lag_ms = {ADA.player: lag_ms, BOB.player: 10_000}
        assert flag_at_ms(play.room, play.presence) == T0 + left_ms + more_ms
        play.wait(left_ms + more_ms - 1)
        assert play.outcome() is None
        play.wait(1)
        assert play.outcome() is not None


def test_two_engines_have_no_flag() -> None:
    """Two engines lose nothing by waiting for somebody who watches."""
    play = engines(clock=MOVE_5S)
    play.moves("b2", "a1", "c3")
    play.disconnect(ADA, BOB, CAT)
    play.wait(60 * MINUTE_MS)
    assert play.outcome() is None


# --- engines ---


def test_the_engine_moves_after_a_pause() -> None:
    """The engine is due half a second after the person's move; the room itself waits for nothing."""
    assert against_engine().wake_at_ms is None
    play = against_engine()
    play.now_ms += 5_000
    play.moves("b2")
    assert play.wake_at_ms == play.now_ms + 500
    assert play.advance_at_ms is None


def test_the_engine_is_not_due() -> None:
    """No engine is due without a game, after the end, between people and on a person's turn."""
    play = engines()
    play.moves("a1", "a2", "b1", "b2", "c1")
    for idle in (alone(), pair(), finished(), against_engine(), play, stood_in()):
        assert engine_at_ms(idle.room, idle.presence, POLICY) is None
    assert RoomPlay(replace(new_room(), seats=engines().room.seats)).engine_at_ms is None


def test_the_engine_answers_a_draw_without_a_pause() -> None:
    """An open draw offer makes the engine due at once, also on the person's turn."""
    play = timed_against_engine()
    play.now_ms += 1_000
    play.ask(ADA, offer("draw"))
    assert play.engine_at_ms == play.game.turn_since_ms


@pytest.mark.parametrize(
    ("clock", "pace_ms"),
    [
        (None, 60_000),
        (MoveClock(5_000), 1_250),
        (FischerClock(10_000, 0), 250),
        (FischerClock(10_800_000, 0), 60_000),
    ],
)
def test_the_engine_pauses_for_little_of_its_clock(clock: ClockSetting | None, pace_ms: int) -> None:
    """An operator may set a pause that is longer than a move on a clock may take."""
    play = against_engine(clock=clock)
    play.policy = replace(POLICY, engine_pace_ms=60_000)
    play.moves("b2", "a1", "c3")
    assert play.engine_at_ms == play.game.turn_since_ms + pace_ms


def test_two_engines_play_by_themselves() -> None:
    """Two engines make a move a second, and play again after ten seconds with the marks swapped."""
    play = engines()
    assert play.wake_at_ms == T0 + 1_000
    play.moves("a1", "a2", "b1", "b2", "c1")
    assert play.wake_at_ms == T0 + 10_000
    play.wait(9_999)
    assert play.game.number == 1
    play.wait(1)
    assert play.events == (Started(2),)
    assert play.room.seat("X") == EngineSeat("perfect")
    assert play.wins == {"engine:novice": 1, "engine:perfect": 0}


def test_two_engines_rest_without_a_connection() -> None:
    """Without a connection two engines neither move nor begin a game."""
    play = engines()
    play.disconnect(ADA, BOB, CAT)
    assert play.engine_at_ms is None
    before = play.room
    play.wait(60 * MINUTE_MS)
    assert play.room is before
    play.moves("a1", "a2", "b1", "b2", "c1")
    play.wait(MINUTE_MS)
    assert play.game.number == 1
    play.connect(CAT)
    assert play.game.number == 2


# --- the owner ---


def test_a_new_owner() -> None:
    """An owner who has been away for ten minutes is followed by the other player who is here."""
    play = finished()
    play.disconnect(ADA)
    play.wait(OWNER_AWAY_MS - 1)
    assert play.room.owner == ADA
    play.wait(1)
    assert play.room.owner == BOB
    assert play.events == (Settings(),)
    assert play.code(ADA, Set("c", variant="4x4")) == "forbidden"
    play.ask(BOB, Set("c", variant="4x4"))


def test_an_owner_who_is_back_in_time() -> None:
    """An owner who was away for less stays the owner."""
    play = finished()
    play.disconnect(ADA)
    play.wait(OWNER_AWAY_MS - 1)
    play.connect(ADA)
    play.wait(OWNER_AWAY_MS)
    assert play.room.owner == ADA


def test_a_room_without_an_heir() -> None:
    """Ownership waits for a player who is here."""
    play = finished()
    play.disconnect(ADA, BOB)
    play.wait(2 * OWNER_AWAY_MS)
    assert play.room.owner == ADA
    play.connect(BOB)
    assert play.room.owner == BOB


def test_heir() -> None:
    """A present player other than the owner inherits, in either seat; an engine or a spectator never does."""
    assert heir(pair().room, NO_PRESENCE) == "O"
    assert heir(pair(owner=BOB).room, NO_PRESENCE) == "X"
    assert heir(pair().room, Presence(away={BOB.player: T0})) is None
    assert heir(against_engine().room, NO_PRESENCE) is None
    assert heir(stood_in().room, NO_PRESENCE) is None
    play = against_engine()
    play.disconnect(ADA)
    play.wait(2 * OWNER_AWAY_MS)
    assert play.room.owner == ADA
