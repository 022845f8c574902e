"""Offers of a draw, a takeback or a rematch: made, answered, withdrawn. Each side has at most one open offer."""

from __future__ import annotations

from msgspec.structs import replace

from noughts.errors import Rejection
from noughts.room.commands import What
from noughts.room.events import Declined, Event, Offered, Withdrawn
from noughts.room.games import end_game, start_game, take_back, takeback_ply
from noughts.room.room import DECLINED_MS, OpenOffer, Refused, Room
from noughts.room.seat import EngineSeat
from noughts.rules.outcome import Mark, Outcome, other


def not_too_soon(room: Room, mark: Mark, what: What, now_ms: int) -> None:
    """Raise ``rate_limited`` for what the other side has just declined."""
    for refused in room.refused:
        if (refused.what, refused.by) == (what, mark) and now_ms < refused.until_ms:
            wait_ms = refused.until_ms - now_ms
            raise Rejection("rate_limited", "That was just declined: wait before you ask again.", retry_ms=wait_ms)


def offer(room: Room, mark: Mark, what: What, now_ms: int, events: list[Event]) -> Room:
    """Make an offer; if the other side has made the same, it is accepted."""
    if what == "rematch" and (room.phase != "finished" or room.game is None):
        raise Rejection("forbidden", "A rematch is possible once a game is over and both seats are held.")
    for open_offer in room.offers:
        if open_offer.by == mark:
            raise Rejection("forbidden", "You have an open offer: wait for the answer, or withdraw it.")
    if OpenOffer(what, other(mark)) in room.offers:
        return _accept(room, OpenOffer(what, other(mark)), now_ms, events)
    game = room.game
    if what == "takeback" and (game is None or takeback_ply(game, mark) < 0):
        raise Rejection("forbidden", "You have no move to take back.")
    made = OpenOffer(what, mark)
    events.append(Offered(what, mark))
    room = replace(room, offers=(*room.offers, made))
    if what == "rematch" and isinstance(room.seat(other(mark)), EngineSeat):
        return _accept(room, made, now_ms, events)
    # A draw waits for the engine's verdict: see engine_answers.
    return engine_answers_takeback(room, other(mark), now_ms, events)


def answer(room: Room, mark: Mark, what: What, accept: bool, now_ms: int, events: list[Event]) -> Room:
    """Accept or decline the other side's offer, or withdraw one's own."""
    theirs, own = OpenOffer(what, other(mark)), OpenOffer(what, mark)
    if theirs in room.offers:
        return _accept(room, theirs, now_ms, events) if accept else _decline(room, theirs, now_ms, events)
    if own in room.offers and not accept:
        events.append(Withdrawn(what, mark))
        return replace(room, offers=tuple(open_offer for open_offer in room.offers if open_offer != own))
    raise Rejection("forbidden", "There is no such offer to answer.")


def engine_answers(room: Room, accept: bool, now_ms: int, events: list[Event]) -> Room:
    """The engine's answer to the draw that it was offered."""
    for open_offer in room.offers:
        if open_offer.what == "draw" and isinstance(room.seat(other(open_offer.by)), EngineSeat):
            if accept:
                return _accept(room, open_offer, now_ms, events)
            return _decline(room, open_offer, now_ms, events)
    raise Rejection("stale", "The offer is no longer open.")


def engine_answers_takeback(room: Room, mark: Mark, now_ms: int, events: list[Event]) -> Room:
    """An engine at ``mark`` answers an open takeback at once: yes if the game is untimed. Else the room itself."""
    asked = OpenOffer("takeback", other(mark))
    if asked not in room.offers or not isinstance(room.seat(mark), EngineSeat):
        return room
    return _accept(room, asked, now_ms, events) if room.clock is None else _decline(room, asked, now_ms, events)


def _accept(room: Room, accepted: OpenOffer, now_ms: int, events: list[Event]) -> Room:
    if accepted.what == "rematch":
        return start_game(room, now_ms, events, swap=True)
    if accepted.what == "takeback":
        return take_back(room, accepted.by, now_ms, events)
    return end_game(room, Outcome(None, "agreement"), now_ms, events)


def _decline(room: Room, declined: OpenOffer, now_ms: int, events: list[Event]) -> Room:
    events.append(Declined(declined.what, other(declined.by)))
    rest = tuple(open_offer for open_offer in room.offers if open_offer != declined)
    still = tuple(
        refused
        for refused in room.refused
        if refused.until_ms > now_ms and (refused.what, refused.by) != (declined.what, declined.by)
    )
    return replace(room, offers=rest, refused=(*still, Refused(declined.what, declined.by, now_ms + DECLINED_MS)))
