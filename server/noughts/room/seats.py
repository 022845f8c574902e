"""Taking a seat, leaving it, and letting the engine hold it."""

from __future__ import annotations

from hmac import compare_digest

from msgspec.structs import replace

from noughts.errors import Rejection
from noughts.room.commands import SeatEngine, Sit
from noughts.room.events import EngineSeated, Sat, Stood
from noughts.room.game_flow import start_game
from noughts.room.offers import answer_takeback_as_engine
from noughts.room.policy import Policy
from noughts.room.room import Room, check_not_of_match, mark_of
from noughts.room.seat import EngineSeat, HumanSeat, Person, Seat, holder, seat_of
from noughts.room.timers import may_claim
from noughts.room.transition import Moment, Transition
from noughts.rules.outcome import Mark, other
from noughts.rules.variant import VARIANTS


def check_level(policy: Policy, variant: str, level: str) -> None:
    """Raise ``bad_message`` for a level at which the engine does not play the variant."""
    levels = policy.levels.get(variant, ())
    if level not in levels:
        raise Rejection("bad_message", f"The engine plays {VARIANTS[variant].name} at: {', '.join(levels)}.")


def with_seat(room: Room, mark: Mark, seat: Seat | None) -> Room:
    """Return the room with another seat. An offer of a rematch lapses once either seat changes hands."""
    return replace(
        room,
        seats=room.seats.replaced(mark, seat),
        offers=tuple([offer for offer in room.offers if offer.what != "rematch"]),
        claimable=tuple([absent for absent in room.claimable if absent != mark]),
    )


def sit(room: Room, by: Person, command: Sit, at: Moment) -> Transition:
    """Seat a player: in an empty seat, in an engine's seat between games, or in the player's own that the engine holds."""
    check_not_of_match(room)
    mark = command.mark
    seat, own = room.seat(mark), mark_of(room, by.player)
    seated = with_seat(room, mark, seat_of(by))
    event = Sat(mark, by.player, by.name)
    if own == mark and isinstance(seat, EngineSeat):
        return Transition(seated, (event,))
    engines_own = isinstance(seat, EngineSeat) and seat.holding_for is None and not room.playing
    if seat is not None and not engines_own:
        if own == mark:
            raise Rejection("seat_taken", "You already have this seat.")
        raise Rejection("seat_taken", "This seat is taken.")
    if own is not None:
        raise Rejection("forbidden", "You have the other seat: give it up first.")
    if room.join == "invite" and by.player != room.owner.player:
        invite = (command.invite or "").encode("utf-8", "replace")
        if not room.invite or not compare_digest(invite, room.invite.encode()):
            raise Rejection("forbidden", "This seat needs the invite link: ask the owner of the room for it.")
    return _begin_if_full(seated, at).after(event)


def _begin_if_full(room: Room, at: Moment) -> Transition:
    """Start a game if both seats are held and none is on."""
    if not room.playing and room.full:
        return start_game(room, at.now_ms)
    return Transition(room)


def stand(room: Room, mark: Mark) -> Transition:
    """Empty a player's seat. If that was the owner's, the other seated player becomes the owner."""
    if room.playing:
        raise Rejection("forbidden", "The game is on: finish it or resign first.")
    leaver, opponent = holder(room.seat(mark)), room.seat(other(mark))
    transition = _emptied(room, mark)
    if leaver == room.owner.player and isinstance(opponent, HumanSeat):
        return Transition(replace(transition.room, owner=opponent.holder), transition.events)
    return transition


def free(room: Room, mark: Mark, at: Moment) -> Transition:
    """Empty the seat of an engine, or of a player who is away, for the owner."""
    seat = room.seat(mark)
    if room.playing:
        raise Rejection("forbidden", "Wait until the game is over.")
    if seat is None:
        raise Rejection("forbidden", "This seat is empty.")
    if isinstance(seat, HumanSeat) and at.presence.is_here(seat.player):
        raise Rejection("forbidden", "The player in this seat is here: ask them to give it up.")
    return _emptied(room, mark)


def _emptied(room: Room, mark: Mark) -> Transition:
    return Transition(replace(with_seat(room, mark, None), declined=()), (Stood(mark),))


def seat_engine(room: Room, by: Person, command: SeatEngine, at: Moment) -> Transition:
    """Seat the engine in an empty seat, or let it hold the seat of an opponent who has been away for too long."""
    check_level(at.policy, room.variant, command.level)
    own = mark_of(room, by.player)
    if own is None and by.player != room.owner.player:
        raise Rejection("not_seated", "You are watching: take a seat to do that.")
    check_not_of_match(room)
    mark = command.mark
    seat = room.seat(mark)
    event = EngineSeated(mark, command.level)
    if seat is None:
        return _begin_if_full(with_seat(room, mark, EngineSeat(command.level)), at).after(event)
    game, claimable = room.game, may_claim(room, mark, at.presence, at.policy)
    if game is None or own != other(mark) or not isinstance(seat, HumanSeat) or not claimable:
        raise Rejection(
            "seat_taken", "A player has this seat. The engine can hold it once the player is away for too long."
        )
    after = with_seat(room, mark, EngineSeat(command.level, seat.holder))
    after = replace(after, game=replace(game, stand_in=True))
    return answer_takeback_as_engine(after, mark, at).after(event)
