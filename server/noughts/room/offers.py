"""Offers of a draw, a takeback or a rematch: made, answered, withdrawn. Each side has at most one open offer."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from noughts.errors import Rejection
from noughts.room.commands import OfferKind
from noughts.room.events import Declined, Offered, Withdrawn
from noughts.room.game_flow import end_game, start_game, take_back, takeback_ply
from noughts.room.room import DeclinedOffer, OpenOffer, Room
from noughts.room.seat import EngineSeat
from noughts.room.transition import Moment, Transition
from noughts.rules.outcome import Mark, Outcome, other

DECLINED_MS: Final = 10_000
"""How long a side must wait before it repeats an offer that was declined."""


def check_not_declined(room: Room, mark: Mark, what: OfferKind, now_ms: int) -> None:
    """Raise ``rate_limited`` for an offer that the other side has just declined."""
    for declined in room.declined:
        if (declined.what, declined.by) == (what, mark) and now_ms < declined.until_ms:
            wait_ms = declined.until_ms - now_ms
            raise Rejection(
                "rate_limited", "Your opponent just declined that: wait before you ask again.", retry_ms=wait_ms
            )


def make_offer(room: Room, mark: Mark, what: OfferKind, at: Moment) -> Transition:
    """Make an offer. If the other side has made the same, it is accepted."""
    if what == "rematch" and (room.phase != "finished" or room.game is None):
        raise Rejection("forbidden", "You can offer a rematch once the game is over and both seats are held.")
    if any(offer.by == mark for offer in room.offers):
        raise Rejection("forbidden", "You have an open offer: wait for the answer, or withdraw it.")
    theirs = OpenOffer(what, other(mark))
    if theirs in room.offers:
        return _accept(room, theirs, at)
    if what == "takeback" and (room.game is None or takeback_ply(room.game, mark) < room.game.first_ply):
        raise Rejection("forbidden", "You have no move to take back.")
    own = OpenOffer(what, mark)
    room = replace(room, offers=(*room.offers, own))
    if what == "rematch" and isinstance(room.seat(other(mark)), EngineSeat):
        return _accept(room, own, at).after(Offered(what, mark))
    # An engine answers a takeback at once, but a draw only after a search: see answer_draw_as_engine.
    return answer_takeback_as_engine(room, other(mark), at).after(Offered(what, mark))


def answer_offer(room: Room, mark: Mark, what: OfferKind, accept: bool, at: Moment) -> Transition:
    """Accept or decline the other side's offer, or withdraw your own."""
    theirs, own = OpenOffer(what, other(mark)), OpenOffer(what, mark)
    if theirs in room.offers:
        return _accept(room, theirs, at) if accept else _decline(room, theirs, at)
    if own in room.offers and not accept:
        return Transition(_without(room, own), (Withdrawn(what, mark),))
    raise Rejection("forbidden", "There is no such offer to answer.")


def answer_draw_as_engine(room: Room, accept: bool, at: Moment) -> Transition:
    """Answer the draw that the engine was offered. Raise ``stale`` when the offer is no longer open."""
    for offer in room.offers:
        if offer.what == "draw" and isinstance(room.seat(other(offer.by)), EngineSeat):
            return _accept(room, offer, at) if accept else _decline(room, offer, at)
    raise Rejection("stale", "The offer is no longer open.")


def answer_takeback_as_engine(room: Room, mark: Mark, at: Moment) -> Transition:
    """Answer an open takeback for an engine at ``mark``: accept if the game is untimed, else decline.

    Return a transition with the same room object if there is no such offer, or no engine.
    """
    offer = OpenOffer("takeback", other(mark))
    if offer not in room.offers or not isinstance(room.seat(mark), EngineSeat):
        return Transition(room)
    return _accept(room, offer, at) if room.clock is None else _decline(room, offer, at)


def _accept(room: Room, offer: OpenOffer, at: Moment) -> Transition:
    if offer.what == "rematch":
        return start_game(room, at.now_ms, swap=True)
    if offer.what == "takeback":
        return take_back(room, offer.by, at)
    return end_game(room, Outcome(None, "agreement"), at.now_ms)


def _decline(room: Room, offer: OpenOffer, at: Moment) -> Transition:
    standing = [
        declined
        for declined in room.declined
        if declined.until_ms > at.now_ms and (declined.what, declined.by) != (offer.what, offer.by)
    ]
    declined = (*standing, DeclinedOffer(offer.what, offer.by, at.now_ms + DECLINED_MS))
    return Transition(replace(_without(room, offer), declined=declined), (Declined(offer.what, other(offer.by)),))


def _without(room: Room, offer: OpenOffer) -> Room:
    return replace(room, offers=tuple([open_offer for open_offer in room.offers if open_offer != offer]))
