"""What happens in a room without a command. The deadlines are in ``test_step_advance``: here is what has none."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from noughts.room.clock import ClockSetting, FischerClock, MoveClock
from noughts.room.commands import Close
from noughts.room.policy import Policy
from noughts.room.presence import NO_PRESENCE, Presence
from noughts.room.room import Room
from noughts.room.seat import EngineSeat
from noughts.room.timers import (
    CREATION_MS,
    EXPIRY_STEP_MS,
    OWNER_AWAY_MS,
    advance,
    claimable_at_ms,
    engine_at_ms,
    expires_ms,
    flag_at_ms,
    grace_ms,
    heir,
    may_claim,
    stored_wake_at_ms,
    time_runs,
)
from noughts.room.transition import Moment
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
    bob_away,
    claim,
    engines,
    finished,
    new_room,
    offer,
    open_room,
    pair,
    playing,
    stand,
    stood_in,
)

DAY_MS = 86_400_000
HOUR_MS = 3_600_000


@pytest.mark.parametrize("make", [pair, finished, alone, against_engine])
def test_a_room_at_rest(make: Callable[[], RoomPlay]) -> None:
    """A room of people who are all here has nothing to wait for without a clock."""
    assert make().wake_at_ms is None


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
    play.policy = replace(POLICY, engine_pace_ms=60_000)
    assert play.wake_at_ms == T0 + 30_000


def test_time_runs_in_a_game_with_a_clock() -> None:
    """Two engines have no clock that runs."""
    rooms = [playing(), playing(clock=MOVE_5S), finished(clock=MOVE_5S), engines(clock=MOVE_5S)]
    assert [time_runs(play.room, play.presence) for play in rooms] == [False, True, False, False]


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


# --- engines ---


def test_the_engine_is_not_due() -> None:
    """No engine is due without a game, after the end, between people and on a person's turn."""
    play = engines()
    play.moves("a1", "a2", "b1", "b2", "c1")
    for idle in (alone(), pair(), finished(), against_engine(), play, stood_in()):
        assert engine_at_ms(idle.room, idle.presence, POLICY) is None
    assert RoomPlay(replace(new_room(), seats=engines().room.seats)).engine_at_ms is None


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


@pytest.mark.parametrize("clock", [None, MOVE_5S])
def test_two_engines_rest_without_a_connection(clock: ClockSetting | None) -> None:
    """Two engines move each second. Without a connection they neither move nor begin a game, and lose nothing."""
    play = engines(clock=clock)
    assert play.wake_at_ms == T0 + 1_000
    play.disconnect(ADA, BOB, CAT)
    assert play.engine_at_ms is None
    before = play.room
    play.wait(HOUR_MS)
    assert play.room is before
    play.moves("a1", "a2", "b1", "b2", "c1")
    play.wait(HOUR_MS)
    assert play.game.number == 1
    play.connect(CAT)
    assert play.game.number == 2
    assert play.room.seat("X") == EngineSeat("perfect")


# --- the owner ---


def test_a_room_without_an_heir() -> None:
    """Ownership waits for a player who is here."""
    play = finished()
    play.disconnect(ADA, BOB)
    play.wait(2 * OWNER_AWAY_MS)
    assert play.room.owner == ADA.nameless
    play.connect(BOB)
    assert play.room.owner == BOB.nameless


def test_heir() -> None:
    """A present player other than the owner inherits, in either seat; an engine or a spectator never does."""
    assert heir(pair().room, NO_PRESENCE) == BOB.nameless
    assert heir(pair(owner=BOB.nameless).room, NO_PRESENCE) == ADA.nameless
    assert heir(pair().room, Presence(away={BOB.player: T0})) is None
    assert heir(against_engine().room, NO_PRESENCE) is None
    assert heir(stood_in().room, NO_PRESENCE) is None


# --- absence and claims ---


@pytest.mark.parametrize(
    ("clock", "ms"),
    [
        (None, 30_000),
        (FischerClock(60_000, 0), 20_000),
        (MoveClock(3_000), 5_000),
        (FischerClock(10_800_000, 0), 30_000),
    ],
)
def test_the_grace(clock: ClockSetting | None, ms: int) -> None:
    """On a clock the grace is at most a third of it, or five seconds if that is more."""
    assert grace_ms(pair(clock=clock).room, POLICY) == ms


def test_a_second_absence_has_the_whole_grace() -> None:
    """A player who was back for a moment has the whole grace again, and so has everybody after a restart."""
    play = bob_away()
    play.now_ms += 1_000
    play.away_since[BOB.player] = play.now_ms
    assert play.claimable() == ("O",)
    assert not may_claim(play.room, "O", play.presence, POLICY)
    assert play.code(ADA, claim("win")) == "forbidden"
    play.wait(29_999)
    assert play.claimable() == ()
    play.wait(1)
    assert play.claimable() == ("O",)


def test_no_claim_in_an_empty_room() -> None:
    """While both are away nobody may claim; the first who is back may at once."""
    play = pair()
    play.disconnect(BOB, ADA)
    version = play.room.version
    play.wait(HOUR_MS)
    assert play.room.version == version
    play.connect(ADA)
    assert play.claimable() == ("O",)


def test_a_standing_claim_of_both_sides() -> None:
    """A claim ends no game by itself. It stands while the claimant is away too, until the absent player is back."""
    play = bob_away()
    play.disconnect(ADA)
    play.wait(HOUR_MS)
    assert play.outcome() is None
    assert play.claimable() == ("O",)
    play.connect(BOB)
    assert play.claimable() == ("X",)


def test_a_grace_begins_with_the_game() -> None:
    """An absence before the game does not count. It follows the player to the other mark."""
    play = finished()
    play.ask(BOB, offer("rematch"))
    play.disconnect(BOB)
    play.wait(HOUR_MS)
    play.ask(ADA, offer("rematch"))
    assert claimable_at_ms(play.room, "X", play.presence, POLICY) == play.now_ms + 30_000


def test_seats_without_a_claim() -> None:
    """No claim is about an empty seat, an engine, a player who is here, or a game that is not on. No engine claims."""
    left = against_engine()
    left.disconnect(ADA)
    left.wait(HOUR_MS)
    for play in (alone(), finished(), pair(), left, stood_in(), engines()):
        for mark in ("X", "O"):
            assert claimable_at_ms(play.room, mark, play.presence, POLICY) is None
            assert not may_claim(play.room, mark, play.presence, POLICY)


# --- expiry ---


def test_how_long_each_phase_is_kept() -> None:
    """Waiting means before the first game; a room with an empty seat after a game counts as finished."""
    policy = Policy(waiting_ms=1, finished_ms=2, playing_ms=3)
    play = finished()
    play.ask(BOB, stand())
    rooms = (alone().room, finished().room, play.room, pair().room)
    assert [expires_ms(room, NO_PRESENCE, policy) - T0 for room in rooms] == [1, 2, 2, 3]


@pytest.mark.parametrize(
    ("presence", "version", "waited_ms", "closed"),
    [
        (Presence(since_ms=T0), 1, POLICY.unjoined_ms, True),
        (Presence(since_ms=T0), 1, POLICY.unjoined_ms - 1, False),
        (Presence(since_ms=T0), 2, POLICY.unjoined_ms, False),
        (Presence(), 1, POLICY.unjoined_ms, False),
        (Presence(since_ms=T0 + CREATION_MS + 1), 1, POLICY.unjoined_ms, False),
        (Presence(since_ms=T0, last_left_ms=T0 + 1), 1, POLICY.unjoined_ms, False),
        (Presence(since_ms=T0, connections=1), 1, POLICY.unjoined_ms, False),
    ],
    ids=["unjoined", "too early", "changed", "not known", "restarted", "left", "here"],
)
def test_a_room_that_no_client_ever_joined(presence: Presence, version: int, waited_ms: int, closed: bool) -> None:
    """It is deleted after half an hour, if its connections were observed from its creation on."""
    room = replace(new_room(), version=version)
    assert advance(room, Moment(T0 + waited_ms, POLICY, presence)).room.closed is closed


def rounded_up(at_ms: int) -> int:
    """Return the next multiple of the step of expiry."""
    return at_ms + -at_ms % EXPIRY_STEP_MS


def engine_to_move() -> Room:
    play = against_engine()
    play.moves("b2")
    return play.room


@pytest.mark.parametrize(
    ("room", "at_ms"),
    [
        (new_room(), rounded_up(T0 + POLICY.unjoined_ms)),
        (new_room(version=2), rounded_up(T0 + DAY_MS)),
        (pair(version=2).room, rounded_up(T0 + 7 * DAY_MS)),
        (playing(clock=MOVE_5S).room, T0 + 5_000),
        (playing(clock=FischerClock(60_000, 0)).room, T0 + 60_000),
        (pair(version=2, clock=MoveClock(3_000)).room, T0 + 30_000),
        (open_room(version=2), rounded_up(T0 + 45_000)),
        (engines(version=2).room, rounded_up(T0 + 7 * DAY_MS)),
        (against_engine(version=2).room, rounded_up(T0 + 7 * DAY_MS)),
        (engine_to_move(), T0 + 500),
    ],
)
def test_the_stored_deadline(room: Room, at_ms: int) -> None:
    """A stored room is due for its flag, for its engine, or when it expires: that time rarely changes with a move."""
    assert stored_wake_at_ms(room, POLICY) == at_ms
