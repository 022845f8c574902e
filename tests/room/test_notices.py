"""When a notice of a turn is due, in the room alone, and what settles it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from noughts.errors import Rejection
from noughts.room.clock import DaysClock, MoveClock
from noughts.room.commands import Noticed
from noughts.room.presence import NO_PRESENCE, Presence
from noughts.room.room import Notice, Room
from noughts.room.seat import EngineSeat
from noughts.room.step import step
from noughts.room.timers import RETURN_MS, expires_ms, notice_at_ms, stored_wake_at_ms, untold_turn_ms
from noughts.room.transition import Moment
from tests.support.room_play import ADA, BOB, POLICY, T0, RoomPlay, answer, offer, pair, resign

DAY_MS = 86_400_000
TELLING = replace(POLICY, notices=True)
CLOCK = DaysClock(3)
AWAY = Presence(away={ADA.player: 0, BOB.player: 0})


def days() -> RoomPlay:
    return pair(clock=CLOCK, policy=TELLING)


def settled(room: Room, *, ply: int, takebacks: int = 0, remind_at_ms: int | None = None) -> Room:
    """Return the room after the notice of a turn was settled."""
    command = Noticed(1, ply, takebacks, remind_at_ms)
    return step(room, command, Moment(room.used_ms, TELLING, AWAY)).room


def test_a_turn_is_due_until_its_notice_is_settled() -> None:
    room = days().room
    assert notice_at_ms(room, AWAY, TELLING) == T0
    assert stored_wake_at_ms(room, TELLING) == T0
    after = settled(room, ply=0)
    assert after.version == room.version + 1
    assert notice_at_ms(after, AWAY, TELLING) is None
    assert stored_wake_at_ms(after, TELLING) == T0 + 3 * DAY_MS < expires_ms(after, NO_PRESENCE, TELLING)


def test_the_reminder_is_due_at_its_time() -> None:
    room = settled(days().room, ply=0, remind_at_ms=T0 + 7)
    assert notice_at_ms(room, AWAY, TELLING) == stored_wake_at_ms(room, TELLING) == T0 + 7
    assert notice_at_ms(settled(room, ply=0), AWAY, TELLING) is None


def test_a_move_makes_another_turn_due() -> None:
    play = days()
    play.room = settled(play.room, ply=0, remind_at_ms=T0 + 7)
    play.wait(5)
    play.moves("b2")
    assert notice_at_ms(play.room, AWAY, TELLING) == T0 + 5


def test_a_player_who_sees_the_page_is_told_nothing() -> None:
    room = days().room
    assert notice_at_ms(room, Presence(away={BOB.player: 0}), TELLING) is None
    assert untold_turn_ms(room, TELLING) == T0
    hidden = Presence(away={BOB.player: 0}, hidden=frozenset([ADA.player]))
    assert notice_at_ms(room, hidden, TELLING) == T0


def test_a_player_who_has_just_left_may_return() -> None:
    presence = Presence(away={ADA.player: T0 + 100})
    assert notice_at_ms(days().room, presence, TELLING) == T0 + 100 + RETURN_MS


def test_a_takeback_and_the_next_game_begin_other_turns() -> None:
    play = days()
    play.moves("b2")
    play.room = settled(play.room, ply=1, remind_at_ms=T0 + 9)
    play.ask(ADA, offer("takeback"))
    play.ask(BOB, answer("takeback", accept=True))
    assert play.room.notice == Notice(1, -1, 1)
    assert notice_at_ms(play.room, AWAY, TELLING) == play.now_ms
    play.moves("b2")
    assert untold_turn_ms(play.room, TELLING) == play.now_ms
    with pytest.raises(Rejection, match="passed"):
        settled(play.room, ply=1)
    play.room = settled(play.room, ply=1, takebacks=1)
    assert untold_turn_ms(play.room, TELLING) is None
    play.ask(ADA, offer("takeback"))
    play.ask(BOB, answer("takeback", accept=True))
    assert play.room.notice == Notice(1, -1, 2)
    play.ask(ADA, resign())
    assert untold_turn_ms(play.room, TELLING) is None
    play.ask(ADA, offer("rematch"))
    play.ask(BOB, offer("rematch"))
    room: Room = play.room
    assert room.notice is None
    assert untold_turn_ms(room, TELLING) == play.now_ms


def test_a_notice_of_a_turn_that_has_passed_is_stale() -> None:
    play = days()
    play.moves("b2")
    for room in (play.room, replace(play.room, game=None)):
        with pytest.raises(Rejection) as rejection:
            settled(room, ply=0)
        assert rejection.value.code == "stale"


def test_other_rooms_are_never_due() -> None:
    room = days().room
    assert notice_at_ms(room, AWAY, POLICY) is None
    for other in (
        replace(room, clock=None),
        replace(room, clock=MoveClock(60_000)),
        replace(room, game=None),
        replace(room, closed=True),
        replace(room, seats=replace(room.seats, X=EngineSeat("perfect"))),
    ):
        assert untold_turn_ms(other, TELLING) is None
    assert pair(clock=CLOCK).room.notice is None


def test_a_takeback_without_a_clock_of_days_keeps_no_count() -> None:
    play = pair()
    play.moves("b2")
    play.ask(ADA, offer("takeback"))
    play.ask(BOB, answer("takeback", accept=True))
    assert play.room.notice is None
