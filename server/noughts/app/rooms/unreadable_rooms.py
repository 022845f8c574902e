"""Stored rooms whose bytes cannot be decoded, or are damaged on the disk. They are skipped, each logged once."""

from __future__ import annotations

from typing import Final

import structlog

from noughts.errors import Rejection
from noughts.room.room import Room
from noughts.room.storage import RoomReader, room_from

RETRY_MS: Final = 60_000
"""How long a client waits before it asks again for a room that cannot be read."""
MAX_LOGGED: Final = 10_000
"""The most rooms remembered as logged. After that, some are logged again."""

log = structlog.get_logger()


class UnreadableRoomError(Exception):
    """The bytes of a stored room cannot be decoded."""


class UnreadableRejection(Rejection):
    """A room cannot be read, and waiting does not help."""

    def __init__(self) -> None:
        super().__init__("unavailable", "This room cannot be read: make a new one.", retry_ms=RETRY_MS)


def read_room(data: bytes) -> Room:
    """Return the room in stored bytes. Raise :class:`UnreadableRoomError`."""
    try:
        return room_from(data)
    except Exception as error:  # the bytes may be anything, and a decoder may raise anything about them
        raise _unreadable(error) from None


def read_newer_room(reader: RoomReader, data: bytes, current: Room) -> Room:
    """Return the room in newer bytes than those of ``current``. Raise :class:`UnreadableRoomError`."""
    try:
        return reader.room_from(data, current)
    except Exception as error:
        raise _unreadable(error) from None


def _unreadable(error: Exception) -> UnreadableRoomError:
    """Return the error for an error of a decoder, without its text, which may quote what is stored."""
    return UnreadableRoomError(type(error).__name__)


class UnreadableRooms:
    """The rooms that are known to be unreadable."""

    def __init__(self) -> None:
        self._logged: set[str] = set()

    def note(self, room_id: str, reason: str) -> None:
        """Log a room that cannot be read or changed, unless it has been logged."""
        if room_id in self._logged:
            return
        if len(self._logged) >= MAX_LOGGED:
            self._logged.clear()
        self._logged.add(room_id)
        log.error(
            "a stored room cannot be read or changed: `noughts close` removes it, `noughts check` looks for more damage",
            room=room_id,
            reason=reason,
        )
