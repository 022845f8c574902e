"""Taking, leaving and lending seats."""

from __future__ import annotations

from hmac import compare_digest

from msgspec.structs import replace

from noughts.engine.engine import levels
from noughts.errors import Rejection
from noughts.room.commands import SeatEngine, Sit
from noughts.room.events import EngineSeated, Event, Sat, Stood
from noughts.room.games import start_game
from noughts.room.offers import engine_answers_takeback
from noughts.room.room import House, Room, flag_fallen, mark_of, may_claim
from noughts.room.seat import EngineSeat, HumanSeat, Person, Seat, holder
from noughts.rules.outcome import Mark, other
from noughts.rules.variant import variant_named


def with_seat(room: Room, mark: Mark, seat: Seat | None) -> Room:
    """The room with another seat; an offer of a rematch is dead once either seat changes hands."""
    offers = tuple(offer for offer in room.offers if offer.what != "rematch")
    claimable = tuple(away for away in room.claimable if away != mark)
    if mark == "X":
        return replace(room, x=seat, offers=offers, claimable=claimable)
    return replace(room, o=seat, offers=offers, claimable=claimable)


def sit(room: Room, by: Person, command: Sit, now_ms: int, events: list[Event]) -> Room:
    """A player takes an empty seat, an engine's between games, or takes its own back from the engine."""
    mark = command.mark
    seat = room.seat(mark)
    own = mark_of(room, by.player)
    if own == mark and isinstance(seat, EngineSeat):
        events.append(Sat(mark, by.player, by.name))
        return with_seat(room, mark, HumanSeat(by.player, by.name))
    lent = isinstance(seat, EngineSeat) and seat.holding_for is None and not room.playing
    if seat is not None and not lent:
        if own == mark:
            raise Rejection("seat_taken", "You sit there already.")
        raise Rejection("seat_taken", "That seat is taken.")
    if own is not None:
        raise Rejection("forbidden", "You have the other seat: stand up first.")
    if room.join == "invite" and by.player != room.owner.player:
        given = (command.invite or "").encode("utf-8", "replace")
        if not room.invite or not compare_digest(given, room.invite.encode()):
            raise Rejection("forbidden", "This seat needs the invite link: ask the owner of the room for it.")
    events.append(Sat(mark, by.player, by.name))
    return _newcomer(with_seat(room, mark, HumanSeat(by.player, by.name)), now_ms, events)


def _newcomer(room: Room, now_ms: int, events: list[Event]) -> Room:
    """A game starts by itself when somebody new has completed the pair."""
    if not room.playing and room.x is not None and room.o is not None:
        return start_game(room, now_ms, events)
    return room


def stand(room: Room, mark: Mark, events: list[Event]) -> Room:
    """A seat's holder gives it up; if that was the owner, the other seated person is the owner from now on."""
    if room.playing:
        raise Rejection("forbidden", "The game is on: resign or finish it first.")
    leaver = holder(room.seat(mark))
    room = _emptied(room, mark, events)
    rest = room.seat(other(mark))
    if leaver == room.owner.player and isinstance(rest, HumanSeat):
        presence = room.presence
        room = replace(
            room,
            owner=Person(rest.player, rest.name),
            presence=replace(presence, owner_away_since_ms=presence.of(other(mark)).away_since_ms),
        )
    return room


def free(room: Room, mark: Mark, events: list[Event]) -> Room:
    """The owner empties the seat of an engine, or of one who is away."""
    seat = room.seat(mark)
    if room.playing:
        raise Rejection("forbidden", "Wait until the game is over.")
    if seat is None:
        raise Rejection("forbidden", "That seat is empty.")
    if isinstance(seat, HumanSeat) and room.presence.of(mark).away_since_ms is None:
        raise Rejection("forbidden", "Whoever sits there is here: ask them to stand up.")
    return _emptied(room, mark, events)


def _emptied(room: Room, mark: Mark, events: list[Event]) -> Room:
    events.append(Stood(mark))
    return replace(with_seat(room, mark, None), refused=())


def seat_engine(room: Room, by: Person, command: SeatEngine, now_ms: int, house: House, events: list[Event]) -> Room:
    """Seat the engine in an empty seat, or let it hold the seat of an opponent who has been away for too long."""
    known = levels(variant_named(room.variant))
    if command.level not in known:
        raise Rejection("bad_message", f"The engine plays this variant at: {', '.join(known)}.")
    own = mark_of(room, by.player)
    if own is None and by.player != room.owner.player:
        raise Rejection("not_seated", "You are watching: take a seat to do that.")
    mark = command.mark
    seat = room.seat(mark)
    if seat is None:
        events.append(EngineSeated(mark, command.level))
        return _newcomer(with_seat(room, mark, EngineSeat(command.level)), now_ms, events)
    late = flag_fallen(room, now_ms)
    if own != other(mark) or not isinstance(seat, HumanSeat) or not may_claim(room, mark, house) or late:
        raise Rejection("seat_taken", "That seat is held; the engine can take over once its player is away for long.")
    room = with_seat(room, mark, EngineSeat(command.level, Person(seat.player, seat.name)))
    if room.game is not None:
        room = replace(room, game=replace(room.game, stand_in=True))
    events.append(EngineSeated(mark, command.level))
    return engine_answers_takeback(room, mark, now_ms, events)
