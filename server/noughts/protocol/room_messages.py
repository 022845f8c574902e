"""The messages of one room as JSON. A part of them is encoded again only when one of its inputs is another object."""

from __future__ import annotations

from typing import Final

from noughts.protocol.audience import Audience, AudienceState, audience_state, you
from noughts.protocol.codec import SharedMessage, encode
from noughts.protocol.messages import RoomNews
from noughts.protocol.views import view
from noughts.room.events import ViewEvent
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room

MAX_STATES: Final = 16
"""The most states of a room for which ``you`` is kept. More are rarely seen between two settings of a room."""


class RoomMessages:
    """Encodes the messages of one room. What all audiences share is encoded once for a version and its event."""

    __slots__ = ("_event", "_policy", "_presence", "_room", "_shared", "_state", "_yous", "_yous_of")

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._room: Room | None = None
        self._event: ViewEvent | None = None
        self._presence: Presence | None = None
        self._yous_of: dict[AudienceState, dict[Audience, bytes]] = {}
        """``you`` as it was encoded for each of the last states."""

    def message(self, room: Room, event: ViewEvent | None, presence: Presence, audience: Audience) -> bytes:
        """Return one room message for an audience."""
        if room is not self._room or event is not self._event:
            self._shared = SharedMessage(RoomNews(room.version, event, view(room, self._policy)), b"you")
        if room is not self._room or presence is not self._presence:
            self._note_state(audience_state(room, presence, self._policy))
        self._room, self._event, self._presence = room, event, presence
        own = self._yous.get(audience)
        if own is None:
            own = self._yous[audience] = encode(you(self._state, audience))
        return self._shared.with_own(own)

    @property
    def states_kept(self) -> int:
        """The number of states for which ``you`` is kept."""
        return len(self._yous_of)

    def _note_state(self, state: AudienceState) -> None:
        yous = self._yous_of.get(state)
        if yous is None:
            if len(self._yous_of) >= MAX_STATES:
                self._yous_of.clear()
            yous = self._yous_of[state] = {}
        self._state, self._yous = state, yous
