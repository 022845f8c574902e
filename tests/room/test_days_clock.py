"""A clock of days, in the room alone: it times every move, allows no claim, and ends the game before the room expires."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from noughts.protocol.views import clock_view
from noughts.room.clock import DaysClock
from noughts.room.downtime import Downtime
from noughts.room.presence import NO_PRESENCE
from noughts.room.timers import expires_ms, flag_at_ms, stored_wake_at_ms
from tests.support.room_play import ADA, BOB, CAT, POLICY, T0, RoomPlay, answer, claim, offer, pair, seat_engine

DAY_MS = 86_400_000
CLOCK = DaysClock(3)


def apart(clock: DaysClock = CLOCK) -> RoomPlay:
    """Return a game whose players are not connected."""
    play = pair(clock=clock)
    play.disconnect(ADA, BOB, CAT)
    return play


def test_the_first_move_has_its_days_too() -> None:
    play = pair(clock=CLOCK)
    view = clock_view(play.room, CLOCK)
    assert (view.mode, view.running, view.X_ms, view.O_ms) == ("days", "X", 3 * DAY_MS, 3 * DAY_MS)
    assert (view.first_move_by_ms, view.setting, view.at_ms) == (None, CLOCK, T0)
    assert flag_at_ms(play.room, NO_PRESENCE) == T0 + 3 * DAY_MS


def test_every_move_begins_with_all_its_days() -> None:
    play = apart()
    play.wait(3 * DAY_MS - 1)
    play.moves("b2")
    assert play.left_ms == (3 * DAY_MS, 3 * DAY_MS)
    assert flag_at_ms(play.room, play.presence) == play.now_ms + 3 * DAY_MS


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_the_flag_ends_the_game(plies: int) -> None:
    play = apart()
    play.moves(*("b2", "a1")[:plies])
    play.wait(3 * DAY_MS - 1)
    assert play.outcome() is None
    play.wait(1)
    assert play.outcome() == ("X" if plies == 1 else "O", "timeout")
    assert play.left_ms[plies % 2] == 0


def test_no_absence_gives_a_claim_or_a_stand_in() -> None:
    play = pair(clock=CLOCK)
    play.disconnect(BOB)
    play.wait(2 * DAY_MS)
    assert play.claimable() == ()
    assert play.code(ADA, claim("win")) == "forbidden"
    assert play.code(ADA, seat_engine("O")) == "seat_taken"


def test_draws_and_takebacks_work_as_ever() -> None:
    play = pair(clock=CLOCK)
    play.moves("b2")
    play.wait(DAY_MS)
    play.ask(ADA, offer("takeback"))
    play.ask(BOB, answer("takeback", True))
    assert flag_at_ms(play.room, play.presence) == play.now_ms + 3 * DAY_MS
    play.ask(ADA, offer("draw"))
    play.ask(BOB, answer("draw", True))
    assert play.outcome() == (None, "agreement")


def test_the_room_stays_while_its_clock_runs() -> None:
    play = apart(DaysClock(14))
    flag_at = T0 + 14 * DAY_MS
    assert expires_ms(play.room, play.presence, POLICY) == flag_at + POLICY.playing_ms
    assert stored_wake_at_ms(replace(play.room, version=2), POLICY) == flag_at
    play.wait(14 * DAY_MS)
    assert play.outcome() == ("O", "timeout")
    assert not play.room.closed
    play.wait(POLICY.finished_ms)
    assert play.room.closed


def test_downtime_is_given_back() -> None:
    play = apart()
    play.now_ms += DAY_MS
    play.downtimes = (Downtime(T0 + 1, play.now_ms),)
    play.wait(2 * DAY_MS)
    assert play.outcome() is None
    play.wait(DAY_MS)
    assert play.outcome() == ("O", "timeout")
