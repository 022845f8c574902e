"""Offers of a draw, a takeback and a rematch: how each is made, answered and withdrawn, and how each dies."""

from __future__ import annotations

import pytest

from noughts.room.commands import Close, EngineAnswered, EngineMoved, Free, Request, Set
from noughts.room.due import wake_at_ms
from noughts.room.room import OpenOffer, engine_due_ms
from noughts.room.seat import EngineSeat, HumanSeat
from noughts.room.step import step
from tests.room.play import (
    ADA,
    BOB,
    HOUSE,
    MOVE_5S,
    Play,
    against_engine,
    answer,
    finished,
    move,
    offer,
    pair,
    resign,
    seat_engine,
    sit,
    stand,
    stood_in,
)


def begun() -> Play:
    """b2, a1 are played."""
    play = pair()
    play.moves("b2", "a1")
    return play


def test_an_offer_stands_until_it_is_answered() -> None:
    play = begun()
    play.does(ADA, offer("draw"))
    assert play.room.offers == (OpenOffer("draw", "X"),)
    assert play.told == ["offered"]
    play.does(BOB, answer("draw", True))
    assert play.outcome == (None, "agreement")
    assert play.room.draws == 1
    assert play.room.offers == ()


@pytest.mark.parametrize("what", ["draw", "takeback"])
def test_the_same_offer_from_the_other_side_accepts(what: str) -> None:
    play = begun()
    play.does(ADA, offer(what))
    play.does(BOB, offer(what))
    assert play.room.offers == ()
    assert (play.outcome, play.names) == (((None, "agreement"), ("b2", "a1")) if what == "draw" else (None, ()))


def test_the_same_rematch_from_the_other_side_accepts_and_swaps_marks() -> None:
    play = finished()
    play.does(BOB, offer("rematch", 1))
    play.does(ADA, offer("rematch", 1))
    assert play.told == ["started"]
    assert play.game.number == 2
    assert (play.room.x, play.room.o) == (HumanSeat("p_bob", "Bob"), HumanSeat("p_ada", "Ada"))
    assert play.room.presence.x.away_since_ms is None


def test_presence_goes_with_the_player_when_marks_swap() -> None:
    play = finished()
    play.does(BOB, offer("rematch"))
    play.leaves(BOB)
    before = play.room.presence
    after, _ = step(play.room, Request(ADA, answer("rematch", True)), play.now_ms, HOUSE)
    assert (after.presence.x, after.presence.o) == (before.o, before.x)
    assert after.presence.x.away_since_ms == play.now_ms


@pytest.mark.parametrize("what", ["draw", "takeback"])
def test_each_side_has_one_open_offer_at_a_time(what: str) -> None:
    play = begun()
    play.does(ADA, offer(what))
    assert play.code(ADA, offer("draw")) == "forbidden"
    assert play.code(ADA, offer("takeback")) == "forbidden"
    other = "takeback" if what == "draw" else "draw"
    play.does(BOB, offer(other))
    assert len(play.room.offers) == 2


def test_nobody_accepts_their_own_offer() -> None:
    play = begun()
    play.does(ADA, offer("draw"))
    assert play.code(ADA, answer("draw", True)) == "forbidden"
    assert play.code(BOB, answer("takeback", True)) == "forbidden"


def test_an_offer_is_withdrawn_and_may_be_made_again_at_once() -> None:
    play = begun()
    play.does(ADA, offer("draw"))
    play.does(ADA, answer("draw", False))
    assert play.told == ["withdrawn"]
    assert play.room.offers == ()
    play.does(ADA, offer("draw"))


@pytest.mark.parametrize("what", ["draw", "takeback", "rematch"])
def test_what_was_declined_is_rate_limited_for_ten_seconds(what: str) -> None:
    play = finished() if what == "rematch" else begun()
    play.does(ADA, offer(what))
    play.does(BOB, answer(what, False))
    assert play.told == ["declined"]
    assert play.room.offers == ()
    play.now_ms += 1
    rejection = play.refused_by(ADA, offer(what))
    assert (rejection.code, rejection.retry_ms) == ("rate_limited", 9_999)
    play.now_ms += 9_998
    assert play.code(ADA, offer(what)) == "rate_limited"
    play.now_ms += 1
    play.does(ADA, offer(what))


def test_the_side_that_declined_may_offer_the_same_at_once() -> None:
    play = begun()
    play.does(ADA, offer("draw"))
    play.does(BOB, answer("draw", False))
    play.does(BOB, offer("draw"))
    assert play.code(ADA, offer("draw")) == "rate_limited"
    play.does(ADA, answer("draw", True))


def test_a_declined_offer_stays_declined_over_moves_and_takebacks() -> None:
    play = begun()
    play.does(ADA, offer("draw"))
    play.does(BOB, answer("draw", False))
    play.moves("c3")
    assert play.code(ADA, offer("draw")) == "rate_limited"
    play.does(ADA, offer("takeback"))
    play.does(BOB, answer("takeback", True))
    assert play.code(ADA, offer("draw")) == "rate_limited"


@pytest.mark.parametrize("what", ["draw", "takeback"])
@pytest.mark.parametrize("who", [ADA, BOB])
def test_draw_and_takeback_lapse_with_the_next_move(what: str, who: object) -> None:
    play = begun()
    play.does(who, offer(what))  # type: ignore[arg-type]
    play.moves("c3")
    assert play.room.offers == ()
    assert play.code(BOB if who == ADA else ADA, answer(what, True)) == "forbidden"


def test_every_offer_dies_with_the_game_and_with_the_room() -> None:
    for end in (resign(), Close("c")):
        play = begun()
        play.does(BOB, offer("draw"))
        play.does(ADA, end)
        assert play.room.offers == ()


def test_an_offer_is_about_the_game_that_was_meant() -> None:
    play = finished()
    play.does(ADA, offer("rematch"))
    play.does(BOB, offer("rematch"))
    assert play.code(ADA, answer("rematch", True, 1)) == "stale"
    assert play.code(ADA, offer("draw", 1)) == "stale"
    assert play.code(ADA, resign(1)) == "stale"


@pytest.mark.parametrize(
    ("played", "by", "left"),
    [
        (("b2",), ADA, ()),
        (("b2", "a1"), ADA, ()),
        (("b2", "a1"), BOB, ("b2",)),
        (("b2", "a1", "c3"), ADA, ("b2", "a1")),
        (("b2", "a1", "c3"), BOB, ("b2",)),
    ],
)
def test_a_takeback_returns_to_before_the_offerers_last_move(
    played: tuple[str, ...], by: object, left: tuple[str, ...]
) -> None:
    play = pair()
    play.moves(*played)
    play.does(by, offer("takeback"))  # type: ignore[arg-type]
    play.does(BOB if by == ADA else ADA, answer("takeback", True))
    assert play.names == left
    assert play.told == ["took_back"]
    assert len(play.game.by) == len(play.game.at_ms) == len(left)
    assert play.game.turn == ("X" if by == ADA else "O")


def test_who_has_not_moved_has_nothing_to_take_back_but_may_accept() -> None:
    play = pair()
    assert play.code(ADA, offer("takeback")) == "forbidden"
    play.moves("b2")
    assert play.code(BOB, offer("takeback")) == "forbidden"
    play.does(ADA, offer("takeback"))
    play.does(BOB, offer("takeback"))
    assert play.names == ()


def test_the_engine_agrees_to_a_rematch_at_once() -> None:
    play = against_engine()
    play.does(ADA, resign())
    play.does(ADA, offer("rematch"))
    assert play.game.number == 2
    assert play.room.x == EngineSeat("casual")
    assert play.told == ["offered", "started"]


def test_the_engine_takes_back_at_once_if_untimed_and_declines_on_a_clock() -> None:
    play = against_engine()
    play.moves("b2", "a1")
    play.does(ADA, offer("takeback"))
    assert play.names == ()

    play = against_engine(clock=MOVE_5S)
    play.moves("b2", "a1")
    play.does(ADA, offer("takeback"))
    assert play.told == ["offered", "declined"]
    assert play.room.offers == ()
    assert play.code(ADA, offer("takeback")) == "rate_limited"


@pytest.mark.parametrize("accept", [True, False])
def test_the_engine_answers_a_draw_as_its_verdict_says_and_at_once(accept: bool) -> None:
    play = against_engine()
    play.moves("b2", "a1")
    play.does(ADA, offer("draw"))
    due = engine_due_ms(play.room, HOUSE)
    assert due is not None
    assert due <= play.now_ms
    assert wake_at_ms(play.room, HOUSE) == due
    play.engine_answers(accept)
    assert play.outcome == ((None, "agreement") if accept else None)
    assert play.room.offers == ()
    assert play.told == ["ended" if accept else "declined"]
    assert engine_due_ms(play.room, HOUSE) is None


def test_the_engines_answer_to_a_draw_that_is_gone_is_stale() -> None:
    play = against_engine()
    play.moves("b2", "a1")
    answered = EngineAnswered(1, 2, True)
    assert play.refused(answered).code == "stale"
    play.does(ADA, offer("draw"))
    play.does(ADA, answer("draw", False))
    assert play.refused(answered).code == "stale"
    play.does(ADA, offer("draw"))
    play.moves("c3")
    assert play.refused(answered).code == "stale"


def test_what_the_engine_thought_about_another_position_of_the_same_ply_is_stale() -> None:
    play = against_engine()
    play.moves("b2")
    thought = EngineMoved(1, 1, 0, play.game.play.moves)
    verdict = EngineAnswered(1, 1, True, play.game.play.moves)
    play.does(ADA, offer("takeback"))
    play.moves("c3")
    play.does(ADA, offer("draw"))
    assert play.refused(thought).code == "stale"
    assert play.refused(verdict).code == "stale"


def test_the_stand_in_answers_a_takeback_that_was_open_when_it_sat_down() -> None:
    play = pair()
    play.moves("b2")
    play.does(ADA, offer("takeback"))
    play.leaves(BOB)
    play.wait(30_000)
    play.does(ADA, seat_engine("O"))
    assert play.room.offers == ()
    assert play.names == ()


def test_a_player_who_is_back_answers_the_draw_that_the_engine_was_offered() -> None:
    play = stood_in()
    play.moves("b2")
    play.does(ADA, offer("draw"))
    play.returns(BOB)
    play.does(BOB, sit("O"))
    assert play.refused(EngineAnswered(1, 1, True)).code == "stale"
    play.does(BOB, answer("draw", True))
    assert play.outcome == (None, "agreement")


def test_a_rematch_offer_does_not_outlive_the_player() -> None:
    for leave in ("stands up", "is freed"):
        for offerer in (ADA, BOB):
            play = finished()
            play.does(offerer, offer("rematch"))
            if leave == "stands up":
                play.does(BOB, stand())
            else:
                play.leaves(BOB)
                play.does(ADA, Free("c", "O"))
            assert play.room.offers == ()
            assert play.code(ADA, answer("rematch", True)) == "forbidden"


def test_a_rematch_offer_waits_for_a_player_who_reloads() -> None:
    play = finished()
    play.does(ADA, offer("rematch"))
    play.leaves(ADA)
    play.returns(ADA)
    play.does(BOB, answer("rematch", True))
    assert play.game.number == 2


def test_a_rematch_of_another_game_is_offered_anew() -> None:
    play = finished()
    play.does(BOB, offer("rematch"))
    play.does(ADA, Set("c", visibility="public"))
    assert play.room.offers == (OpenOffer("rematch", "O"),)
    play.does(ADA, Set("c", variant="4x4"))
    assert play.room.offers == ()


def test_one_link_for_the_whole_evening() -> None:
    play = pair()
    for number in range(1, 6):
        assert play.game.number == number
        assert play.game.turn == "X"
        play.does(ADA, resign(number))
        play.does(ADA, offer("rematch", number))
        play.does(BOB, offer("rematch", number))
    assert play.wins == {"p_ada": 0, "p_bob": 5}
    assert play.code(ADA, move(0, "b2", game=5)) == "stale"
