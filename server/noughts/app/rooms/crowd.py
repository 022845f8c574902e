"""The crowd of a room: who is here, as clients are told."""

from __future__ import annotations

from noughts.app.delivery.sender import text_frame
from noughts.protocol.codec import encode
from noughts.protocol.messages import Crowd
from noughts.protocol.views import MAX_LISTED_NAMES, seats_presence
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room
from noughts.room.seat import holder
from noughts.store.presence import Attendance


def spectators(room: Room, attendance: Attendance) -> tuple[int, list[str]]:
    """Return the number of a room's spectators, and the names of those who are not nameless."""
    seated = (holder(room.seats.X), holder(room.seats.O))
    names = [name for player, name in attendance.players.items() if player not in seated]
    return attendance.nameless + len(names), names


def crowd_message(room: Room, presence: Presence, attendance: Attendance, now_ms: int, policy: Policy) -> bytes:
    """Return the crowd message as a frame. It lists names only up to :data:`MAX_LISTED_NAMES` spectators."""
    count, names = spectators(room, attendance)
    seats = seats_presence(room, presence, now_ms, policy)
    return text_frame(encode(Crowd(seats, count, tuple(names) if count <= MAX_LISTED_NAMES else ())))
