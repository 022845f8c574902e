"""Decodes the server's messages to the types of the protocol.

What a later server may add is ignored: a field, a type of message, a type of event, a code.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from noughts.protocol.messages import ChatMessage, Crowd, Ok, Pong, Reaction, View, Welcome, You
from noughts.protocol.tournament_messages import TournamentMessage
from noughts.room.events import ViewEvent
from noughts.values import Tagged


class RoomUpdate(Tagged, tag="room"):
    """A :class:`~noughts.protocol.messages.RoomMessage` whose event may be new."""

    version: int
    event: msgspec.Raw
    you: You
    room: View

    def view_event(self) -> ViewEvent | None:
        """Return the event; None for one that this program does not know."""
        try:
            return _event.decode(self.event)
        except msgspec.ValidationError:
            return None


class RejectedText(Tagged, tag="rejected"):
    """A :class:`~noughts.protocol.messages.Rejected` whose code may be new."""

    id: str | None
    code: str
    message: str
    retry_ms: int | None = None


Message: TypeAlias = (
    Welcome | RoomUpdate | Ok | RejectedText | Pong | Crowd | ChatMessage | Reaction | TournamentMessage
)

_event: Final[msgspec.json.Decoder[ViewEvent | None]] = msgspec.json.Decoder(ViewEvent | None)
_message: Final[msgspec.json.Decoder[Message]] = msgspec.json.Decoder(Message)


def decode(text: bytes) -> Message | None:
    """Return the message in a text frame; None for a type that this program does not know.

    Raise ``msgspec.DecodeError`` for text that is no message of any kind.
    """
    try:
        return _message.decode(text)
    except msgspec.ValidationError:
        kind = msgspec.json.decode(text, type=_Kind).type
        if kind in _KINDS:
            raise
        return None


class _Kind(msgspec.Struct):
    type: str


_KINDS: Final = frozenset(("welcome", "room", "ok", "rejected", "pong", "crowd", "chat", "reaction", "tournament"))
