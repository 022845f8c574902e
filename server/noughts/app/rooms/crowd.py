"""Sends the crowd of each room when it is due."""

from __future__ import annotations

import structlog

from noughts.app.machines.deadlines import Deadlines
from noughts.app.rooms.actor import RoomRegistry

log = structlog.get_logger()


class CrowdFeed:
    """A task for the crowds of this node. ``due`` holds when the crowd of each room is sent."""

    def __init__(self, due: Deadlines, rooms: RoomRegistry) -> None:
        self._due = due
        self._rooms = rooms

    async def send_crowds(self) -> None:
        """Send each crowd when it is due, until cancelled."""
        while True:
            for room_id in await self._due.reached():
                actor = self._rooms.held(room_id)
                if actor is not None:
                    try:
                        actor.visitors.send_crowd(actor.room)
                    except Exception:
                        log.exception("a crowd was not sent", room=room_id)
