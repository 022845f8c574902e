"""A player who is gone: the countdown, the choice, the engine as stand-in, the way back, the room's next owner."""

from __future__ import annotations

import pytest

from noughts.room.commands import EngineMoved, SeatEngine, Set
from noughts.room.due import settle, wake_at_ms
from noughts.room.events import Claimable, Closed, EngineSeated, Moved, Sat, Settings
from noughts.room.record import room_bytes, room_from
from noughts.room.room import OWNER_AWAY_MS, claimable_at_ms, engine_due_ms, heir
from noughts.room.seat import EngineSeat, HumanSeat
from noughts.rules.outcome import MARKS
from tests.room.play import (
    ADA,
    BOB,
    CAT,
    HOUSE,
    INVITE,
    Play,
    against_engine,
    claim,
    engines,
    finished,
    move,
    new_room,
    offer,
    pair,
    resign,
    seat_engine,
    sit,
    stand,
    stood_in,
)


def gone(ms: int = 30_000) -> Play:
    """Bob went away after b2, so long ago."""
    play = pair()
    play.moves("b2")
    play.leaves(BOB)
    play.wait(ms)
    return play


def test_a_vanished_opponent_is_counted_down_and_then_gives_a_choice() -> None:
    play = pair()
    play.moves("b2")
    play.leaves(BOB)
    left_ms = play.now_ms
    assert claimable_at_ms(play.room, "O", HOUSE) == wake_at_ms(play.room, HOUSE) == left_ms + 30_000
    play.wait(29_999)
    assert play.room.claimable == ()
    version = play.room.version
    play.wait(1)
    assert play.room.claimable == ("O",)
    assert play.events == (Claimable("O"),)
    assert play.room.version == version + 1


def test_claiming_is_a_choice_and_never_automatic() -> None:
    play = gone(86_400_000)
    assert play.outcome is None
    assert play.room.claimable == ("O",)


@pytest.mark.parametrize(("what", "winner"), [("win", "X"), ("draw", None)])
def test_the_opponent_of_one_who_is_gone_claims_the_win_or_a_draw(what: str, winner: str | None) -> None:
    play = gone()
    play.does(ADA, claim(what))
    assert play.outcome == (winner, "abandoned")
    assert play.room.claimable == ()
    assert play.wins == {"p_ada": 1 if winner else 0, "p_bob": 0}
    assert play.room.draws == (0 if winner else 1)


def test_a_short_absence_gives_no_choice_and_costs_no_version() -> None:
    play = gone(29_999)
    version = play.room.version
    play.returns(BOB)
    play.wait(60_000)
    assert play.room.version == version
    assert play.code(ADA, claim("win")) == "forbidden"


def test_the_choice_ends_when_the_player_is_back_and_a_new_version_says_so() -> None:
    play = gone()
    version = play.room.version
    play.returns(BOB)
    assert play.room.claimable == ()
    assert play.room.version == version + 1
    assert play.code(ADA, claim("win")) == "forbidden"


def test_a_claim_that_crosses_the_players_return_is_refused() -> None:
    play = gone()
    play.away_since[BOB.player] = None
    play._connect()  # back, and nothing is settled yet
    assert play.room.claimable == ("O",)
    assert play.code(ADA, claim("win")) == "forbidden"
    assert play.code(ADA, seat_engine("O")) == "seat_taken"


def test_a_second_absence_has_the_whole_grace_again() -> None:
    play = gone()
    play.away_since[BOB.player] = play.now_ms + 1_000  # back and gone again between two wake-ups
    play.now_ms += 1_000
    play._connect()
    assert play.code(ADA, claim("win")) == "forbidden"
    play.wait(0)
    assert play.room.claimable == ()
    play.wait(29_999)
    assert play.room.claimable == ()
    play.wait(1)
    assert play.room.claimable == ("O",)


def test_a_restart_gives_an_absent_player_the_whole_grace_again() -> None:
    play = gone()
    assert play.room.claimable == ("O",)
    play.room = room_from(room_bytes(play.room))
    play.now_ms += 5_000
    play.away_since = {ADA.player: None, BOB.player: play.now_ms}
    play._connect()
    assert play.code(ADA, claim("win")) == "forbidden"
    play.wait(29_999)
    assert play.room.claimable == ()
    play.wait(1)
    assert play.room.claimable == ("O",)


def test_nobody_is_told_of_a_choice_in_an_empty_room() -> None:
    play = pair()
    play.leaves(BOB)
    play.leaves(ADA)
    version = play.room.version
    play.wait(3_600_000)
    assert play.room.version == version
    play.returns(ADA)
    assert play.room.claimable == ("O",)


def test_the_engine_has_no_claim_on_an_absent_player() -> None:
    play = against_engine()
    play.leaves(ADA)
    play.wait(3_600_000)
    assert play.room.claimable == ()
    assert play.outcome is None


def test_a_grace_counts_from_the_start_of_the_game() -> None:
    play = finished()
    play.leaves(BOB)
    play.wait(3_600_000)
    play.does(ADA, offer("rematch"))
    play.returns(BOB)
    play.does(BOB, offer("rematch"))
    play.away_since[BOB.player] = play.now_ms - 3_600_000
    play._connect()
    assert claimable_at_ms(play.room, "X", HOUSE) == play.now_ms + 30_000


def test_the_engine_holds_the_seat_of_one_who_is_gone() -> None:
    play = gone()
    assert play.does(ADA, SeatEngine("c", "O", "perfect")) == (EngineSeated("O", "perfect"),)
    assert play.room.o == EngineSeat("perfect", BOB)
    assert play.room.claimable == ()
    assert play.game.turn == "O"
    assert engine_due_ms(play.room, HOUSE) == play.game.turn_since_ms + 500
    play.engine_moves("a1")
    assert play.events == (Moved("O", "a1", "engine:perfect"),)


def test_only_the_opponent_and_only_after_the_grace_may_seat_the_stand_in() -> None:
    assert gone(29_999).code(ADA, seat_engine("O")) == "seat_taken"
    assert gone().code(CAT, seat_engine("O")) == "not_seated"


def test_every_move_is_recorded_as_whose_it_was_and_such_a_game_does_not_count() -> None:
    play = stood_in("casual")
    play.moves("a1", "b2")
    play.returns(BOB)
    play.does(BOB, sit("O"))
    play.moves("a2", "b3", "a3")
    assert play.game.by == ("p_ada", "engine:casual", "p_ada", "p_bob", "p_ada")
    assert play.outcome == ("X", "line")
    assert play.room.score == ()
    assert play.room.draws == 0


def test_the_game_after_one_with_a_stand_in_counts_again() -> None:
    play = stood_in()
    play.returns(BOB)
    play.does(BOB, sit("O"))
    play.does(ADA, resign())
    play.does(ADA, offer("rematch"))
    play.does(BOB, offer("rematch"))
    assert not play.game.stand_in
    play.does(ADA, resign())
    assert play.wins == {"p_bob": 1, "p_ada": 0}


def test_a_rematch_with_a_stand_in_still_seated_does_not_count_either() -> None:
    play = stood_in()
    play.does(ADA, resign())
    play.does(ADA, offer("rematch"))
    assert play.game.number == 2
    assert play.game.stand_in
    assert play.room.x == EngineSeat("casual", BOB)


@pytest.mark.parametrize("plies", range(5))
def test_the_absent_player_takes_the_seat_back_at_any_moment_without_the_invite(plies: int) -> None:
    play = stood_in()
    play.moves(*("a1", "b2", "a2", "c3", "c1")[:plies])
    play.returns(BOB)
    assert play.does(BOB, sit("O")) == (Sat("O", "p_bob", "Bob"),)
    assert play.room.o == HumanSeat("p_bob", "Bob")
    assert play.game.play.ply == plies
    assert play.outcome is None


def test_the_seat_is_taken_back_after_the_game_too_and_starts_none() -> None:
    play = stood_in()
    play.does(ADA, resign())
    play.returns(BOB)
    play.does(BOB, sit("O"))
    assert play.room.phase == "finished"
    assert play.game.number == 1


def test_the_engines_answer_is_stale_once_the_player_is_back() -> None:
    play = stood_in()
    play.moves("a1")
    thought = EngineMoved(1, 1, 4, play.game.play.moves)
    play.returns(BOB)
    play.does(BOB, sit("O"))
    assert play.refused(thought).code == "stale"
    play.moves("b2")
    assert play.refused(thought).code == "stale"


def test_the_holder_sits_down_before_moving_and_may_resign_without() -> None:
    play = stood_in()
    play.moves("a1")
    play.returns(BOB)
    assert play.code(BOB, move(1, "b2")) == "not_your_turn"
    play.does(BOB, resign())
    assert play.outcome == ("X", "resignation")


def test_a_reconnect_keeps_the_seat_and_the_game() -> None:
    play = pair()
    play.moves("b2")
    for _ in range(3):
        play.leaves(BOB)
        play.wait(20_000)
        play.returns(BOB)
    play.moves("a1")
    assert play.room.o == HumanSeat("p_bob", "Bob")
    assert play.names == ("b2", "a1")


def test_presence_is_right_after_ones_own_reconnect() -> None:
    play = pair()
    play.leaves(BOB)
    assert play.room.presence.o.away_since_ms == play.now_ms
    play.returns(BOB)
    assert [play.room.presence.of(mark).away_since_ms for mark in MARKS] == [None, None]
    play.wait(3_600_000)
    assert play.room.claimable == ()


def test_the_owner_hands_over_after_ten_minutes_away() -> None:
    play = finished()
    play.leaves(ADA)
    play.wait(OWNER_AWAY_MS - 1)
    assert play.room.owner == ADA
    play.wait(1)
    assert play.room.owner == BOB
    assert play.events == (Settings(),)
    assert play.code(ADA, Set("c", variant="4x4")) == "forbidden"
    play.does(BOB, Set("c", variant="4x4"))


def test_the_owner_who_is_back_in_time_stays_the_owner() -> None:
    play = finished()
    play.leaves(ADA)
    play.wait(OWNER_AWAY_MS - 1)
    play.returns(ADA)
    play.wait(OWNER_AWAY_MS)
    assert play.room.owner == ADA


def test_a_room_without_a_present_heir_waits_for_one() -> None:
    play = finished()
    play.leaves(ADA)
    play.leaves(BOB)
    play.wait(2 * OWNER_AWAY_MS)
    assert play.room.owner == ADA
    play.returns(BOB)
    assert play.room.owner == BOB


def test_an_owner_who_stands_up_hands_over_at_once() -> None:
    play = finished()
    play.does(ADA, stand())
    assert play.room.owner == BOB
    play.does(ADA, sit("X", INVITE))
    assert play.room.owner == BOB


def test_an_owner_who_stands_up_alone_stays_the_owner() -> None:
    play = Play(new_room())
    play.does(ADA, stand())
    assert play.room.owner == ADA
    play.does(ADA, sit("O"))


def test_neither_engine_nor_spectator_inherits() -> None:
    play = against_engine()
    play.leaves(ADA)
    play.wait(2 * OWNER_AWAY_MS)
    assert heir(play.room) is None
    assert play.room.owner == ADA


def test_a_public_open_room_whose_owner_left_is_gone_within_a_minute() -> None:
    play = Play(new_room(visibility="public", join="open", invite=None))
    play.wait(3_600_000)
    assert play.room.phase == "waiting"
    play.leaves(ADA)
    play.wait(60_000)
    assert play.room.closed
    assert play.events == (Closed(),)


def test_a_public_open_room_survives_its_owners_reload() -> None:
    play = Play(new_room(visibility="public", join="open", invite=None))
    play.wait(3_600_000)
    play.leaves(ADA)
    play.wait(20_000)
    play.returns(ADA)
    play.wait(3_600_000)
    assert not play.room.closed


def test_a_room_that_waits_for_a_friend_lives_on() -> None:
    for visibility in ("unlisted", "public"):
        play = Play(new_room(visibility=visibility), here=(ADA,))
        play.leaves(ADA)
        play.wait(86_400_000 - 1)
        assert not play.room.closed
        play.wait(1)
        assert play.room.closed


def test_an_open_room_is_not_closed_under_a_player_who_waits_in_it() -> None:
    play = Play(new_room(visibility="public", join="open", invite=None))
    play.does(ADA, stand())
    play.does(BOB, sit("X"))
    play.leaves(ADA)
    play.wait(120_000)
    assert not play.room.closed
    play.wait(OWNER_AWAY_MS)
    assert play.room.owner == BOB


def test_two_engines_rest_while_nobody_watches() -> None:
    play = engines()
    assert engine_due_ms(play.room, HOUSE) == play.game.turn_since_ms + 1_000
    play.away_since = {ADA.player: play.now_ms}
    play._connect()
    assert engine_due_ms(play.room, HOUSE) is None
    assert settle(play.room, play.now_ms + 3_600_000, HOUSE)[0] is play.room
