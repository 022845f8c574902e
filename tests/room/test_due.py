"""What happens in a room with nobody asking: when it next needs attention, and what then."""

from __future__ import annotations

from msgspec.structs import replace

from noughts.room.commands import Close, Wake
from noughts.room.due import settle, settle_at_ms, wake_at_ms
from noughts.room.events import Closed, Started
from noughts.room.room import NOBODY, expires_ms
from noughts.room.seat import EngineSeat
from tests.room.play import ADA, BOB, CAT, HOUSE, MOVE_5S, T0, Play, against_engine, engines, finished, new_room, pair

DAY_MS = 86_400_000


def empty(play: Play) -> Play:
    for person in (ADA, BOB, CAT):
        play.leaves(person)
    return play


def test_nothing_is_due_in_a_game_between_two_who_are_here() -> None:
    assert wake_at_ms(pair().room, HOUSE) is None
    assert wake_at_ms(finished().room, HOUSE) is None
    assert wake_at_ms(Play(new_room()).room, HOUSE) is None


def test_a_wake_up_with_nothing_due_is_no_change() -> None:
    for play in (pair(), finished(), engines(), against_engine()):
        before = play.room
        play.tell(Wake())
        assert play.room.version == before.version
        assert settle(before, T0, HOUSE) == (before, ())


def test_the_engine_is_due_a_moment_after_the_persons_move() -> None:
    play = against_engine()
    assert wake_at_ms(play.room, HOUSE) is None
    play.now_ms += 5_000
    play.moves("b2")
    assert wake_at_ms(play.room, HOUSE) == play.now_ms + 500
    assert settle_at_ms(play.room, HOUSE) is None


def test_the_first_thing_due_is_what_the_room_is_woken_for() -> None:
    play = pair(clock=MOVE_5S)
    play.moves("b2", "a1")
    assert wake_at_ms(play.room, HOUSE) == T0 + 5_000
    play = against_engine(clock=MOVE_5S)
    play.moves("b2")
    assert wake_at_ms(play.room, HOUSE) == T0 + 500


def test_two_engines_play_one_move_a_second_and_begin_anew_after_ten_with_marks_swapped() -> None:
    play = engines()
    assert wake_at_ms(play.room, HOUSE) == T0 + 1_000
    play.moves("a1", "a2", "b1", "b2", "c1")
    assert wake_at_ms(play.room, HOUSE) == T0 + 10_000
    play.wait(9_999)
    assert play.game.number == 1
    play.wait(1)
    assert play.events == (Started(2),)
    assert play.room.x == EngineSeat("perfect")
    assert play.wins == {"engine:novice": 1, "engine:perfect": 0}


def test_two_engines_begin_no_game_while_nobody_watches() -> None:
    play = engines()
    play.moves("a1", "a2", "b1", "b2", "c1")
    empty(play)
    play.wait(60_000)
    assert play.game.number == 1
    play.returns(CAT)
    assert play.game.number == 2


def test_a_room_that_nobody_uses_is_gone() -> None:
    for play, kept in ((Play(new_room()), DAY_MS), (finished(), DAY_MS), (pair(), 7 * DAY_MS)):
        empty(play)
        assert expires_ms(play.room, HOUSE) == play.now_ms + kept
        play.wait(kept - 1)
        assert not play.room.closed
        play.wait(1)
        assert play.room.closed
        assert play.events == (Closed(),)


def test_a_room_in_which_somebody_is_does_not_expire() -> None:
    play = Play(new_room())
    play.wait(30 * DAY_MS)
    assert not play.room.closed


def test_a_room_lives_on_from_the_last_who_left_it() -> None:
    play = Play(new_room(), here=(ADA,))
    play.wait(3 * DAY_MS)
    play.leaves(ADA)
    play.wait(DAY_MS - 1)
    assert not play.room.closed
    play.wait(1)
    assert play.room.closed


def test_a_closed_room_needs_nothing_and_never_changes_again() -> None:
    play = pair(clock=MOVE_5S)
    play.does(ADA, Close("c"))
    assert wake_at_ms(play.room, HOUSE) is None
    empty(play)
    later = T0 + 365 * DAY_MS
    assert settle(play.room, later, HOUSE)[0] is play.room


def test_several_things_due_at_once_are_settled_in_one_step() -> None:
    play = pair(clock=MOVE_5S)
    play.moves("b2", "a1")
    forgotten = replace(play.room, presence=NOBODY)
    after, events = settle(forgotten, T0 + 8 * DAY_MS, HOUSE)
    assert [type(event).__name__ for event in events] == ["Ended", "Closed"]
    assert after.closed
    assert settle_at_ms(after, HOUSE) is None
