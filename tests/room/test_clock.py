"""Clocks: what is charged to whom, and when a flag falls. No test sleeps: time is an argument."""

from __future__ import annotations

import pytest

from noughts.room.clock import FischerClock, MoveClock, full_ms, left_after_move, spent_ms
from noughts.room.commands import EngineMoved, Resumed, Set, Wake
from noughts.room.due import settle, wake_at_ms
from noughts.room.events import Ended
from noughts.room.record import room_bytes, room_from
from noughts.room.room import clock_running, flag_at_ms, grace_ms
from tests.room.play import (
    ADA,
    BOB,
    CAT,
    FISCHER_60_2,
    HOUSE,
    MOVE_5S,
    T0,
    Play,
    against_engine,
    answer,
    claim,
    engines,
    finished,
    move,
    offer,
    pair,
    resign,
    seat_engine,
)


def left(play: Play) -> tuple[int, int]:
    return play.game.x_ms, play.game.o_ms


def opened(clock: MoveClock | FischerClock) -> Play:
    """A timed game after both first moves, made at once: Ada's clock runs."""
    play = pair(clock=clock)
    play.moves("b2", "a1")
    return play


def test_what_each_side_has_when_a_game_begins() -> None:
    assert full_ms(MoveClock(3_000)) == 3_000
    assert full_ms(FischerClock(10_000, 5_000)) == 10_000
    assert left(pair(clock=FISCHER_60_2)) == (60_000, 60_000)
    assert left(pair(clock=MOVE_5S)) == (5_000, 5_000)


@pytest.mark.parametrize(
    ("elapsed_ms", "give_back_ms", "charged_ms"),
    [
        (0, 0, 0),
        (100, 0, 100),
        (100, 300, 0),
        (1_000, 300, 700),
        (1_000, 500, 500),
        (1_000, 60_000, 500),
        (200, 500, 0),
    ],
)
def test_at_most_half_a_second_is_given_back_and_no_more_than_was_used(
    elapsed_ms: int, give_back_ms: int, charged_ms: int
) -> None:
    assert spent_ms(elapsed_ms, give_back_ms) == charged_ms
    assert left_after_move(FISCHER_60_2, 60_000, elapsed_ms, give_back_ms) == 60_000 - charged_ms + 2_000


def test_an_untimed_game_has_no_flag() -> None:
    play = pair()
    assert flag_at_ms(play.room) is None
    play.wait(5 * 86_400_000)
    assert play.outcome is None


@pytest.mark.parametrize("clock", [MOVE_5S, FISCHER_60_2])
def test_first_moves_are_off_the_clock_and_bring_no_increment(clock: MoveClock | FischerClock) -> None:
    play = pair(clock=clock)
    assert clock_running(play.room) is None
    for cell in ("b2", "a1"):
        play.wait(29_999)
        play.moves(cell)
        assert left(play) == (full_ms(clock), full_ms(clock))
    assert clock_running(play.room) == "X"


@pytest.mark.parametrize("moves", [(), ("b2",)])
def test_a_first_move_that_does_not_come_in_thirty_seconds_aborts_the_game_which_counts_nowhere(
    moves: tuple[str, ...],
) -> None:
    play = pair(clock=MOVE_5S)
    play.moves(*moves)
    play.wait(29_999)
    assert play.outcome is None
    play.wait(1)
    assert play.outcome == (None, "aborted")
    assert play.room.score == ()
    assert play.room.draws == 0
    assert left(play) == (5_000, 5_000)


def test_after_an_aborted_game_the_series_goes_on() -> None:
    play = pair(clock=MOVE_5S)
    play.wait(30_000)
    play.does(ADA, offer("rematch"))
    play.does(BOB, offer("rematch"))
    assert play.game.number == 2


def test_fischer_charges_what_was_used_and_adds_the_increment() -> None:
    play = opened(FISCHER_60_2)
    play.wait(10_000)
    play.moves("c3")
    assert left(play) == (52_000, 60_000)
    assert clock_running(play.room) == "O"
    play.wait(500)
    play.moves("a3")
    assert left(play) == (52_000, 61_500)


def test_in_move_mode_both_have_the_whole_again_after_each_move() -> None:
    play = opened(MOVE_5S)
    for cell in ("c3", "a3", "a2"):
        play.wait(4_999)
        play.moves(cell)
        assert left(play) == (5_000, 5_000)


@pytest.mark.parametrize("clock", [MOVE_5S, FISCHER_60_2])
@pytest.mark.parametrize(("give_back_ms", "given_ms"), [(0, 0), (120, 120), (500, 500), (9_000, 500)])
def test_a_flag_falls_with_nobody_asking_neither_early_nor_late(
    clock: MoveClock | FischerClock, give_back_ms: int, given_ms: int
) -> None:
    play = opened(clock)
    play.give_back = {ADA.player: give_back_ms}
    play.returns(ADA)
    end = play.now_ms + full_ms(clock) + given_ms
    assert flag_at_ms(play.room) == wake_at_ms(play.room, HOUSE) == end
    assert settle(play.room, end - 1, HOUSE)[0] is play.room
    play.wait(full_ms(clock) + given_ms)
    assert play.now_ms == end
    assert play.events == (Ended(1, "O", "timeout"),)
    assert left(play) == (0, full_ms(clock))
    assert play.wins == {"p_ada": 0, "p_bob": 1}


def test_a_move_within_the_give_back_is_in_time() -> None:
    play = opened(FischerClock(10_000, 0))
    play.give_back = {ADA.player: 300}
    play.returns(ADA)
    play.wait(10_299)
    play.moves("c3")
    assert left(play)[0] == 1


def test_a_move_after_the_flag_is_refused_though_nobody_was_woken_yet() -> None:
    play = opened(MOVE_5S)
    play.now_ms += 5_000
    assert play.code(ADA, move(2, "c3")) == "game_over"
    assert play.code(BOB, resign()) == "game_over"
    assert play.code(ADA, claim("win")) == "game_over"
    play.tell(Wake())
    assert play.outcome == ("O", "timeout")


def test_no_stand_in_makes_a_game_that_was_lost_on_time_not_count() -> None:
    play = pair(clock=FischerClock(30_000, 0))
    play.moves("b2", "a1")
    play.leaves(BOB)
    play.wait(29_999)
    assert play.room.claimable == ("O",)
    play.now_ms += 1
    assert play.code(ADA, seat_engine("O")) == "seat_taken"
    play.wait(0)
    assert play.wins == {"p_ada": 0, "p_bob": 1}


def test_the_engines_move_after_the_flag_is_stale() -> None:
    play = against_engine(clock=MOVE_5S)
    play.moves("b2", "a1", "c3")
    play.now_ms += 5_000
    assert play.refused(EngineMoved(1, 3, 1, play.game.play.moves)).code == "stale"


def test_a_restart_loses_no_game_and_flags_nobody() -> None:
    play = opened(FISCHER_60_2)
    play.wait(10_000)
    play.moves("c3")
    stored, down_from = room_bytes(play.room), play.now_ms
    again = Play(room_from(stored))
    again.now_ms = down_from + 86_400_000
    again.tell(Resumed(down_from))
    again.wait(0)
    assert again.names == ("b2", "a1", "c3")
    assert again.outcome is None
    again.moves("a3")
    assert left(again) == (52_000, 62_000)


def test_the_increment_does_not_save_a_flag_that_fell() -> None:
    play = opened(FischerClock(10_000, 60_000))
    play.now_ms += 10_000
    assert play.code(ADA, move(2, "c3")) == "game_over"


def test_time_while_the_server_was_down_is_charged_to_nobody() -> None:
    play = opened(FISCHER_60_2)
    play.now_ms += 4_000
    down_from = play.now_ms
    play.now_ms += 3_600_000
    play.tell(Resumed(down_from))
    assert flag_at_ms(play.room) == play.now_ms + 56_000
    play.now_ms += 1_000
    play.moves("c3")
    assert left(play) == (60_000 - 5_000 + 2_000, 60_000)


def test_a_move_made_during_the_outage_is_charged_nothing_before_it() -> None:
    play = opened(FISCHER_60_2)
    play.now_ms += 10_000
    play.tell(Resumed(T0 - 60_000))
    assert flag_at_ms(play.room) == play.now_ms + 60_000


def test_a_restart_does_not_abort_a_game_whose_first_move_is_due() -> None:
    play = pair(clock=MOVE_5S)
    play.now_ms += 20_000
    down_from = play.now_ms
    play.now_ms += 600_000
    play.tell(Resumed(down_from))
    assert flag_at_ms(play.room) == play.now_ms + 10_000


def test_a_resumption_that_changes_nothing_is_no_new_version() -> None:
    for play in (pair(), finished(clock=MOVE_5S), opened(MOVE_5S)):
        before = play.room
        play.tell(Resumed(play.now_ms))
        assert play.room.version == before.version


def test_a_resignation_shows_what_was_left() -> None:
    play = opened(FISCHER_60_2)
    play.wait(20_000)
    play.does(BOB, resign())
    assert left(play) == (40_000, 60_000)
    assert clock_running(play.room) is None


def test_a_takeback_charges_the_time_since_the_move_and_leaves_a_full_move_in_move_mode() -> None:
    play = opened(FISCHER_60_2)
    play.wait(10_000)
    play.moves("c3")
    play.give_back = {BOB.player: 400}
    play.returns(BOB)
    play.wait(3_000)
    play.does(ADA, offer("takeback"))
    play.does(BOB, answer("takeback", True))
    assert left(play) == (52_000, 57_400)
    assert clock_running(play.room) == "X"

    play = opened(MOVE_5S)
    play.wait(3_000)
    play.moves("c3")
    play.wait(3_000)
    play.does(ADA, offer("takeback"))
    play.does(BOB, answer("takeback", True))
    assert left(play) == (5_000, 5_000)
    assert flag_at_ms(play.room) == play.now_ms + 5_000


def test_between_games_the_clock_shows_the_next_game_as_it_was_set() -> None:
    play = finished()
    play.does(ADA, Set("c", clock=FISCHER_60_2))
    assert left(play) == (60_000, 60_000)


def test_the_engine_plays_by_the_clock_too() -> None:
    play = against_engine(clock=MOVE_5S)
    play.moves("b2", "a1", "c3")
    play.wait(5_000)
    assert play.outcome == ("X", "timeout")


def test_two_engines_lose_nothing_while_nobody_watches() -> None:
    play = engines(clock=MOVE_5S)
    play.moves("b2", "a1", "c3")
    for person in (ADA, BOB, CAT):
        play.leaves(person)
    play.wait(3_600_000)
    assert play.outcome is None


def test_the_grace_is_shorter_on_a_clock() -> None:
    assert grace_ms(pair().room, HOUSE) == 30_000
    assert grace_ms(pair(clock=FischerClock(60_000, 0)).room, HOUSE) == 20_000
    assert grace_ms(pair(clock=MoveClock(3_000)).room, HOUSE) == 5_000
    assert grace_ms(pair(clock=FischerClock(10_800_000, 0)).room, HOUSE) == 30_000
