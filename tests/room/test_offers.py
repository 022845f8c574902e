"""Offers of a draw, a takeback and a rematch: how each is made, answered and withdrawn, and when each lapses."""

from __future__ import annotations

from typing import Literal

import pytest

from noughts.room.commands import OfferKind, Request
from noughts.room.room import OpenOffer
from noughts.room.seat import EngineSeat
from noughts.rules.by_mark import ByMark
from tests.support.room_play import (
    ADA,
    BOB,
    MOVE_5S,
    against_engine,
    answer,
    finished,
    offer,
    pair,
    playing,
    resign,
    seat_engine,
    seat_of,
)

InPlay = Literal["draw", "takeback"]


def test_an_offer_stays_open() -> None:
    """An offer is open until it is answered."""
    play = playing()
    play.ask(ADA, offer("draw"))
    assert play.room.offers == (OpenOffer("draw", "X"),)
    assert play.event_types == ["offered"]
    play.ask(BOB, answer("draw", True))
    assert play.outcome() == (None, "agreement")
    assert play.room.draws == 1
    assert not play.room.offers


@pytest.mark.parametrize("what", ["draw", "takeback"])
def test_the_same_offer_accepts(what: InPlay) -> None:
    """The same offer from the other side accepts."""
    play = playing()
    play.ask(ADA, offer(what))
    play.ask(BOB, offer(what))
    assert not play.room.offers
    assert (play.outcome(), play.names) == (((None, "agreement"), ("b2", "a1")) if what == "draw" else (None, ()))


def test_the_same_rematch_accepts() -> None:
    """A rematch that both want begins with the marks swapped."""
    play = finished()
    play.ask(BOB, offer("rematch", 1))
    play.ask(ADA, offer("rematch", 1))
    assert play.event_types == ["started"]
    assert play.game.number == 2
    assert play.room.seats == ByMark(seat_of(BOB), seat_of(ADA))


def test_an_offer_is_withdrawn() -> None:
    """What was withdrawn may be offered again at once."""
    play = playing()
    play.ask(ADA, offer("draw"))
    play.ask(ADA, answer("draw", False))
    assert play.event_types == ["withdrawn"]
    assert not play.room.offers
    play.ask(ADA, offer("draw"))


@pytest.mark.parametrize("what", ["draw", "takeback", "rematch"])
def test_a_declined_offer_has_to_wait(what: OfferKind) -> None:
    """What was declined is rate limited for ten seconds, to the millisecond."""
    play = finished() if what == "rematch" else playing()
    play.ask(ADA, offer(what))
    play.ask(BOB, answer(what, False))
    assert play.event_types == ["declined"]
    assert not play.room.offers
    play.now_ms += 1
    rejection = play.rejection(Request(ADA, offer(what)))
    assert (rejection.code, rejection.retry_ms) == ("rate_limited", 9_999)
    play.now_ms += 9_998
    assert play.code(ADA, offer(what)) == "rate_limited"
    play.now_ms += 1
    play.ask(ADA, offer(what))


def test_the_side_that_declined_may_offer_the_same() -> None:
    """Only the side that was declined has to wait."""
    play = playing()
    play.ask(ADA, offer("draw"))
    play.ask(BOB, answer("draw", False))
    play.ask(BOB, offer("draw"))
    assert play.code(ADA, offer("draw")) == "rate_limited"
    play.ask(ADA, answer("draw", True))


def test_one_declined_offer_does_not_hide_another() -> None:
    """Each declined offer waits by itself, and the same one declined again waits as long again."""
    play = playing()
    for what in ("draw", "takeback"):
        play.ask(ADA, offer(what))
        play.ask(BOB, answer(what, False))
    assert play.code(ADA, offer("draw")) == play.code(ADA, offer("takeback")) == "rate_limited"
    play.now_ms += 10_000
    play.ask(ADA, offer("draw"))
    play.ask(BOB, answer("draw", False))
    assert len(play.room.declined) == 1
    play.ask(ADA, offer("takeback"))


def test_a_declined_offer_waits_over_moves_and_takebacks() -> None:
    """Neither a move nor a takeback ends the wait."""
    play = playing()
    play.ask(ADA, offer("draw"))
    play.ask(BOB, answer("draw", False))
    play.moves("c3")
    assert play.code(ADA, offer("draw")) == "rate_limited"
    play.ask(ADA, offer("takeback"))
    play.ask(BOB, answer("takeback", True))
    assert play.code(ADA, offer("draw")) == "rate_limited"


def test_the_engine_agrees_to_a_rematch() -> None:
    """The engine agrees to a rematch at once."""
    play = against_engine()
    play.ask(ADA, resign())
    play.ask(ADA, offer("rematch"))
    assert play.game.number == 2
    assert play.room.seat("X") == EngineSeat("casual")
    assert play.event_types == ["offered", "started"]


def test_the_engine_answers_a_takeback() -> None:
    """The engine takes back at once in an untimed game, and declines on a clock."""
    play = against_engine()
    play.moves("b2", "a1")
    play.ask(ADA, offer("takeback"))
    assert play.names == ()
    assert play.event_types == ["offered", "took_back"]

    play = against_engine(clock=MOVE_5S)
    play.moves("b2", "a1")
    play.ask(ADA, offer("takeback"))
    assert play.event_types == ["offered", "declined"]
    assert not play.room.offers
    assert play.code(ADA, offer("takeback")) == "rate_limited"


@pytest.mark.parametrize("accept", [True, False])
def test_the_engine_answers_a_draw(accept: bool) -> None:
    """The engine is due at once with an open draw offer, and its answer ends the game or the offer."""
    play = against_engine()
    play.moves("b2", "a1")
    play.ask(ADA, offer("draw"))
    assert play.engine_at_ms is not None
    assert play.engine_at_ms <= play.now_ms
    play.step(play.engine_answer(accept))
    assert play.outcome() == ((None, "agreement") if accept else None)
    assert not play.room.offers
    assert play.event_types == ["ended" if accept else "declined"]
    assert play.engine_at_ms is None


def test_the_stand_in_answers_an_open_takeback() -> None:
    """A takeback that is open when the engine sits down is answered by the engine."""
    play = pair()
    play.moves("b2")
    play.ask(ADA, offer("takeback"))
    play.disconnect(BOB)
    play.wait(30_000)
    play.ask(ADA, seat_engine("O"))
    assert not play.room.offers
    assert play.names == ()
    assert play.event_types == ["engine_seated", "took_back"]
