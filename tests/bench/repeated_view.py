"""A room message of a common size, of which only the version changes."""

from __future__ import annotations

from typing import Final

import msgspec

from noughts.protocol.codec import encode
from noughts.protocol.messages import RoomMessage, View, You
from noughts.protocol.views import view
from noughts.room.creation import new_room
from noughts.room.events import Moved
from noughts.room.policy import Policy
from noughts.room.seat import Person
from noughts.rules.variant import VARIANTS

_ROOM: Final = new_room(
    room_id="r" * 16,
    invite="i" * 22,
    owner=Person("p_" + "a" * 16, "Ann"),
    variant=VARIANTS["4x4"],
    opponent="engine",
    mark="X",
    engines=("novice",),
    clock=None,
    visibility=None,
    now_ms=1_767_225_600_000,
)
VIEW: Final[View] = view(_ROOM, Policy())
"""The view, at version 1."""
_YOU: Final = You("X", True, ("move", "resign", "offer:draw", "chat", "react", "mute", "close"), "i" * 22)
_TEXT: Final = encode(RoomMessage(0, Moved("O", "b2", "engine:novice"), _YOU, msgspec.Raw(encode(VIEW))))


def room_message(version: int) -> bytes:
    """Return the message at a version."""
    return _TEXT.replace(b'"version":0', b'"version":%d' % version, 1)
