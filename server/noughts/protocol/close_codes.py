"""The codes with which the server closes a WebSocket, each with its meaning."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

GOING_AWAY: Final = 1001
PROTOCOL_ERROR: Final = 1002
INVALID_TEXT: Final = 1007
POLICY: Final = 1008
TOO_LARGE: Final = 1009
FAULT: Final = 1011
RESTART: Final = 1012
UNAUTHORIZED: Final = 4401
UNKNOWN_ROOM: Final = 4404
NO_HELLO: Final = 4408
ROOM_CLOSED: Final = 4410
TOO_MANY: Final = 4429
TOO_SLOW: Final = 4503

CLOSE_CODES: Final[Mapping[int, str]] = MappingProxyType(
    {
        GOING_AWAY: "The server is going away: come back.",
        PROTOCOL_ERROR: "A frame was malformed.",
        INVALID_TEXT: "A text frame was not UTF-8.",
        POLICY: "A hello was missing or unusable, a frame was binary, or the address is banned.",
        TOO_LARGE: "A message was too large.",
        FAULT: "The server has a fault, or the room cannot be read: come back after a while.",
        RESTART: "The server is restarting: come back.",
        UNAUTHORIZED: "The token is unknown: get another.",
        UNKNOWN_ROOM: "The room or tournament does not exist or has expired, or this server has no lobby.",
        NO_HELLO: "No hello came in time.",
        ROOM_CLOSED: "The room was closed.",
        TOO_MANY: "Too many messages, too many malformed messages, or too many connections of one player.",
        TOO_SLOW: "The client was too slow to read.",
    }
)
