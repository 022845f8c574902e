"""Offers of a draw, a takeback and a rematch: how each is made, answered and withdrawn, and when each lapses."""

from __future__ import annotations

from typing import Literal

import pytest

from noughts.room.commands import Close, OfferKind, Request
from noughts.room.events import Moved
from noughts.rules.by_mark import ByMark
from tests.support.room_play import (
    ADA,
    BOB,
    MOVE_5S,
    MakePlay,
    after,
    against_engine,
    alone,
    answer,
    finished,
    move,
    offer,
    playing,
    resign,
    seat_of,
    sit,
    stood_in,
)

InPlay = Literal["draw", "takeback"]


def test_the_same_rematch_accepts() -> None:
    """A rematch that both want begins with the marks swapped."""
    play = finished()
    play.ask(BOB, offer("rematch", 1))
    play.ask(ADA, offer("rematch", 1))
    assert play.event_types == ["started"]
    assert play.game.number == 2
    assert play.room.seats == ByMark(seat_of(BOB), seat_of(ADA))


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


engine_asked = after(against_engine, (ADA, move(0, "a1")), (ADA, offer("draw")))


@pytest.mark.parametrize(
    "make",
    [
        alone,
        after(engine_asked, (ADA, resign())),
        after(engine_asked, (ADA, Close("c"))),
        # Ada has taken a1 back and filled c3.
        after(against_engine, (ADA, move(0, "c3")), (ADA, offer("draw"))),
        # Bob has taken his seat back.
        after(stood_in, (ADA, move(0, "a1")), (ADA, offer("draw")), (BOB, sit("O"))),
    ],
)
def test_the_engine_is_stale(make: MakePlay) -> None:
    """A move or an answer of the engine is stale once the position, the game or the seat is another."""
    play = engine_asked()
    thought, verdict = play.engine_move("b2"), play.engine_answer(True)
    assert play.step(thought) == (Moved("O", "b2", "engine:casual"),)
    assert play.rejection(thought).code == play.rejection(verdict).code == "stale"
    assert make().rejection(thought).code == "stale"
    assert make().rejection(verdict).code == "stale"


def test_the_engine_answers_an_offer_only() -> None:
    """An engine's answer is stale without an open draw, and when a person was offered the draw."""
    play = against_engine()
    assert play.rejection(play.engine_answer(True)).code == "stale"
    play = playing()
    play.ask(ADA, offer("draw"))
    assert play.rejection(play.engine_answer(True)).code == "stale"
