"""What happens in a room with nobody asking: when (``wake_at_ms``), and what then (``settle``)."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from noughts.room.clock import OFF_CLOCK_PLIES
from noughts.room.events import Claimable, Closed, Event, Settings
from noughts.room.games import end_game, start_game
from noughts.room.room import (
    OWNER_AWAY_MS,
    House,
    Room,
    claimable_at_ms,
    engine_due_ms,
    expires_ms,
    flag_at_ms,
    heir,
    may_claim,
    next_engines_game_ms,
)
from noughts.room.seat import HumanSeat, Person
from noughts.rules.outcome import Mark, Outcome, other

EXPIRY_STEP_MS: Final = 600_000
NEVER_MS: Final = 1 << 62


def settle_at_ms(room: Room, house: House) -> int | None:
    """When :func:`settle` next has something to do, the engine's part aside; None once the room is closed."""
    if room.closed:
        return None
    presence = room.presence
    at_ms = NEVER_MS
    if room.clock is not None:
        at_ms = min(at_ms, _or_never(flag_at_ms(room)))
    if room.engines_only:
        at_ms = min(at_ms, _or_never(next_engines_game_ms(room)))
    if not presence.anybody:
        at_ms = min(at_ms, expires_ms(room, house))
    if presence.owner_away_since_ms is not None:
        at_ms = min(at_ms, _or_never(_left_open_ms(room, house)))
        if heir(room) is not None:
            at_ms = min(at_ms, presence.owner_away_since_ms + OWNER_AWAY_MS)
    if not all(may_claim(room, mark, house) for mark in room.claimable):
        return room.used_ms  # the absent one is back
    away = _missed(room)
    if away is not None and away not in room.claimable:
        at_ms = min(at_ms, _or_never(claimable_at_ms(room, away, house)))
    return None if at_ms == NEVER_MS else at_ms


def _or_never(at_ms: int | None) -> int:
    return NEVER_MS if at_ms is None else at_ms


def _missed(room: Room) -> Mark | None:
    """The side that is away while its opponent is here, to whom alone a choice is given: nobody is told of one in an
    empty room."""
    x_here, o_here = room.presence.x.away_since_ms is None, room.presence.o.away_since_ms is None
    if x_here == o_here:
        return None
    return "O" if x_here else "X"


def _left_open_ms(room: Room, house: House) -> int | None:
    """When an open room that its owner has left is gone; None while somebody else sits there and waits."""
    away_since = room.presence.owner_away_since_ms
    if away_since is None or not room.open_to_all or heir(room) is not None:
        return None
    return max(away_since, room.used_ms) + house.open_left_ms


def wake_at_ms(room: Room, house: House) -> int | None:
    """When the room next needs attention without anyone asking: the one number that drives every timer."""
    settle_at = settle_at_ms(room, house)
    engine_at = engine_due_ms(room, house)
    if settle_at is None or engine_at is None:
        return engine_at if settle_at is None else settle_at
    return min(settle_at, engine_at)


def stored_wake_at_ms(room: Room, house: House) -> int:
    """When a room that nobody is connected to needs attention: what a store finds it by after a restart.

    The time of expiry moves with every change, so it is rounded up, and a store need not be told each time. A closed room
    is due at once: whatever is left of it must go.
    """
    if room.closed:
        return 0
    times = [-(-expires_ms(room, house) // EXPIRY_STEP_MS) * EXPIRY_STEP_MS]
    flag_at, engine_at = flag_at_ms(room), engine_due_ms(room, house)
    if flag_at is not None:
        times.append(flag_at)
    if engine_at is not None and not room.engines_only:
        times.append(engine_at)
    if room.open_to_all:
        times.append(-(-(room.used_ms + house.open_left_ms) // EXPIRY_STEP_MS) * EXPIRY_STEP_MS)
    return min(times)


def settle(room: Room, now_ms: int, house: House) -> tuple[Room, tuple[Event, ...]]:
    """Do whatever is due at ``now_ms``; the room itself when nothing is."""
    if room.closed:
        return room, ()
    events: list[Event] = []
    presence = room.presence

    flag_at = flag_at_ms(room)
    game = room.game
    if flag_at is not None and flag_at <= now_ms and game is not None and game.turn is not None:
        if game.play.ply < OFF_CLOCK_PLIES:
            outcome = Outcome(None, "aborted")
        else:
            outcome = Outcome(other(game.turn), "timeout")
        room = end_game(room, outcome, now_ms, events)

    still = tuple(mark for mark in room.claimable if may_claim(room, mark, house))
    if still != room.claimable:
        room = replace(room, claimable=still)
    away = _missed(room)
    if away is not None and away not in room.claimable:
        at_ms = claimable_at_ms(room, away, house)
        if at_ms is not None and at_ms <= now_ms:
            room = replace(room, claimable=(*room.claimable, away))
            events.append(Claimable(away))

    away_since = presence.owner_away_since_ms
    heir_mark = heir(room)
    if away_since is not None and heir_mark is not None and away_since + OWNER_AWAY_MS <= now_ms:
        seat = room.seat(heir_mark)
        if isinstance(seat, HumanSeat):
            room = replace(
                room,
                owner=Person(seat.player, seat.name),
                presence=replace(presence, owner_away_since_ms=None),
            )
            events.append(Settings())

    next_at = next_engines_game_ms(room)
    if next_at is not None and next_at <= now_ms:
        room = start_game(room, now_ms, events, swap=True)

    unused = not presence.anybody and expires_ms(room, house) <= now_ms
    left_open_at = _left_open_ms(room, house)
    if unused or (left_open_at is not None and left_open_at <= now_ms):
        room = replace(room, closed=True, offers=(), claimable=())
        events.append(Closed())
    return room, tuple(events)
