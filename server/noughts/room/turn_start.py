"""When a turn counts as begun: once the move before it is stored and sent, and without downtime."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from noughts.room.downtime import downtime_ms
from noughts.room.room import Room
from noughts.room.transition import Moment

PROMPT_MS: Final = 20
"""A turn that is sent within this time of its step begins with the step. So all nodes show the same clock."""


def without_downtime(room: Room, at: Moment) -> Room:
    """Return the room with the start of the turn moved by the downtime since then, so that it costs no time.

    Downtime before the room's last change was compensated with that change.
    """
    game = room.game
    if not at.downtimes or room.clock is None or game is None or not room.playing:
        return room
    lost_ms = downtime_ms(at.downtimes, max(room.used_ms, game.turn_since_ms), at.now_ms)
    lost_ms = min(lost_ms, at.now_ms - game.turn_since_ms)
    return room if lost_ms <= 0 else replace(room, game=replace(game, turn_since_ms=game.turn_since_ms + lost_ms))


def begun_when_sent(room: Room, now_ms: int) -> Room:
    """Return a room that is stored and sent only now: a turn that began with its last change begins now.

    A store may be slow to answer. The player who is to move cannot see the position before.
    """
    game = room.game
    if room.clock is None or game is None or not room.playing or game.turn_since_ms != room.used_ms:
        return room
    if now_ms - game.turn_since_ms <= PROMPT_MS:
        return room
    return replace(room, game=replace(game, turn_since_ms=now_ms))


def held_or_stored(held: Room, stored: Room) -> Room:
    """Return the stored room, or the one that is held if both are the same: only that one says when its turn was sent."""
    return held if (held.version, held.used_ms) == (stored.version, stored.used_ms) else stored


def judged_as_of(at: Moment, room: Room, arrived_ms: int) -> Moment:
    """Return the moment for a command that has waited since it arrived: the wait costs its player no time.

    No step is taken before the room's last change, or before its turn began.
    """
    began_ms = 0 if room.game is None else room.game.turn_since_ms
    now_ms = max(arrived_ms, room.used_ms, began_ms)
    return at if now_ms >= at.now_ms else replace(at, now_ms=now_ms)
