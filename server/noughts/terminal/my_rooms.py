"""The list of your rooms in words: whose turn it is, the opponent, the time left and the link."""

from __future__ import annotations

import math
from typing import Final

from noughts.protocol.bodies import MyRoom
from noughts.protocol.messages import EngineSeatView, SeatView
from noughts.room.clock import DAY_MS
from noughts.rules.variant import VARIANTS

NO_ROOMS: Final = "You hold no seat. Make a room on the page, or take a seat with:\n  noughts play LINK"

_UNITS: Final = (("hour", 3_600_000), ("minute", 60_000))


def time_left(ms: float) -> str:
    """Return a time left in words, as the page says it: days are rounded, shorter units are rounded down."""
    if ms >= 2 * DAY_MS:
        return f"{round(ms / DAY_MS)} days left"
    for unit, unit_ms in _UNITS:
        count = math.floor(ms / unit_ms)
        if count > 0:
            return f"{count} {unit}{'s' if count > 1 else ''} left"
    return "under a minute left"


def room_lines(room: MyRoom, url: str, now_ms: float) -> str:
    """Return two lines about a room: what to know about it, and its link."""
    variant = VARIANTS.get(room.variant)
    opponent = seated(room.opponent, "no player yet")
    parts = [_turn(room), f"{room.variant if variant is None else variant.name} against {opponent}"]
    if room.deadline_ms is not None:
        parts.append(time_left(room.deadline_ms - now_ms))
    return f"{', '.join(parts)}\n  {url}/r/{room.id}"


def _turn(room: MyRoom) -> str:
    """Return whose turn it is, or how the game stands, from your seat."""
    if room.yours:
        return f"Your turn ({room.mark})"
    if room.turn is not None:
        return f"Their turn ({room.turn})"
    if room.outcome is None:
        return "No game yet"
    if room.outcome.winner is None:
        return "Drawn" if room.outcome.reason != "aborted" else "Aborted"
    return "You won" if room.outcome.winner == room.mark else "You lost"


def seated(seat: SeatView | None, empty: str = "nobody") -> str:
    """Return the name of a seat's holder, or the engine and its level, or that the seat is empty."""
    if seat is None:
        return empty
    if isinstance(seat, EngineSeatView):
        return f"Otto ({seat.level})" if seat.holding_for is None else f"Otto for {seat.holding_for.name}"
    name = seat.name or "someone"
    return f"{name} (a bot)" if seat.bot else name
