"""The crowd of a room: who is here, as clients are told, and the task that tells them."""

from __future__ import annotations

from typing import Any

import structlog

from noughts.app.delivery.sender import text_frame
from noughts.app.machines.deadlines import Deadlines
from noughts.app.machines.registry import Registry
from noughts.protocol.codec import encode
from noughts.protocol.messages import Crowd
from noughts.protocol.views import MAX_LISTED_NAMES, seats_presence
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room
from noughts.room.seat import holder
from noughts.store.presence import Attendance

log = structlog.get_logger()


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


class CrowdFeed:
    """A task for the crowds of this node. ``due`` holds when the crowd of each room is sent."""

    def __init__(self, due: Deadlines, rooms: Registry[Any, Any]) -> None:
        self._due = due
        self._rooms = rooms

    async def send_crowds(self) -> None:
        """Send each crowd when it is due, until cancelled."""
        while True:
            for room_id in await self._due.reached():
                actor = self._rooms.held(room_id)
                if actor is not None:
                    try:
                        actor.send_crowd()
                    except Exception:
                        log.exception("a crowd was not sent", room=room_id)
