"""The messages of one room as JSON. A part of them is encoded again only when one of its inputs is another object."""

from __future__ import annotations

from noughts.protocol.audience import Audience, you
from noughts.protocol.codec import SharedMessage, encode
from noughts.protocol.messages import RoomNews
from noughts.protocol.views import view
from noughts.room.events import ViewEvent
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room


class RoomMessages:
    """Encodes the messages of one room. What all audiences share is encoded once for a version and its event."""

    __slots__ = ("_event", "_policy", "_presence", "_room", "_shared", "_yous")

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._room: Room | None = None
        self._event: ViewEvent | None = None
        self._presence: Presence | None = None
        self._yous: dict[Audience, bytes] = {}
        """``you`` of each audience, for the last room and presence."""

    def message(self, room: Room, event: ViewEvent | None, presence: Presence, audience: Audience) -> bytes:
        """Return one room message for an audience."""
        if room is not self._room or event is not self._event:
            self._shared = SharedMessage(RoomNews(room.version, event, view(room, self._policy)), b"you")
        if room is not self._room or presence is not self._presence:
            self._yous = {}
        self._room, self._event, self._presence = room, event, presence
        own = self._yous.get(audience)
        if own is None:
            own = self._yous[audience] = encode(you(room, presence, self._policy, audience))
        return self._shared.with_own(own)
