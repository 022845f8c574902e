"""``GET /api/asyncapi.json``: the WebSocket as an AsyncAPI document, made from the types of its messages."""

from __future__ import annotations

from functools import cache
from typing import Final, get_args

import msgspec

from noughts import __version__
from noughts.protocol.close_codes import CLOSE_CODES
from noughts.protocol.codec import encode
from noughts.protocol.messages import Hello, Ok, Pong, Rejected, ServerMessage, Welcome
from noughts.protocol.schemas import Schema, prose, ref, schemas
from noughts.protocol.tournament_messages import Boards, TournamentMessage
from noughts.room.commands import Ping, RoomCommand, Visible
from noughts.tournament.commands import TournamentCommand, Watch

TOURNAMENT_COMMANDS: Final = (*get_args(TournamentCommand), Watch)
ROOM_COMMANDS: Final = (*get_args(RoomCommand), Visible, Ping)
COMMANDS: Final = (*TOURNAMENT_COMMANDS, *ROOM_COMMANDS)
MESSAGES: Final = (*get_args(ServerMessage), TournamentMessage, Boards)
_ANSWERS: Final = (Ok, Rejected, Pong)


@cache
def document(max_message: int) -> msgspec.Raw:
    """Return the AsyncAPI document as JSON. A client's message has at most ``max_message`` bytes."""
    return msgspec.Raw(encode(described(max_message)))


def described(max_message: int) -> Schema:
    """Return the AsyncAPI document, in which a client's message has at most ``max_message`` bytes.

    Its operations are the server's: it receives commands and sends views.
    """
    kinds = (Hello, *COMMANDS, *MESSAGES)
    pushed = tuple(kind for kind in MESSAGES if kind not in (Welcome, *_ANSWERS))
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Noughts",
            "version": __version__,
            "description": "The WebSocket of a tic-tac-toe server. Guest accounts and rooms are made over HTTP.",
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "here": {
                "host": "{host}",
                "protocol": "ws",
                "description": "The host and port that this document came from; `wss` where it came over HTTPS.",
                "variables": {"host": {"default": "127.0.0.1:8000"}},
            }
        },
        "channels": {
            "socket": {
                "address": "/ws",
                "title": "A room, a tournament, or the lobby",
                "description": (
                    f"One JSON object in each text frame, of at most {max_message} bytes from a client. The first is the"
                    " hello; it says which room or tournament, or the lobby. Each command has an id and gets one answer with"
                    " that id."
                ),
                "messages": {kind.__name__: {"$ref": f"#/components/messages/{kind.__name__}"} for kind in kinds},
                "bindings": {"ws": {"method": "GET", "bindingVersion": "0.1.0"}},
                "x-close-codes": {str(code): meaning for code, meaning in CLOSE_CODES.items()},
            }
        },
        "operations": {
            "hello": _receive("Enter a room, a tournament or the lobby.", (Hello,), (Welcome,)),
            "command": _receive("Send a command to the room or the tournament.", COMMANDS[:-1], (Ok, Rejected)),
            "ping": _receive("Ask for a pong and the server's time.", (Ping,), (Pong, Rejected)),
            "push": {
                "action": "send",
                "channel": {"$ref": "#/channels/socket"},
                "summary": "Tell everybody in the room, the tournament or the lobby what happened.",
                "messages": _channel_messages(pushed),
            },
        },
        "components": {
            "schemas": schemas(kinds),
            "messages": {kind.__name__: _message(kind) for kind in kinds},
            "correlationIds": {
                "command": {"location": "$message.payload#/id", "description": "The id that the client chose."}
            },
        },
    }


def _receive(summary: str, kinds: tuple[type, ...], answers: tuple[type, ...]) -> Schema:
    channel = {"$ref": "#/channels/socket"}
    return {
        "action": "receive",
        "channel": channel,
        "summary": summary,
        "messages": _channel_messages(kinds),
        "reply": {"channel": channel, "messages": _channel_messages(answers)},
    }


def _channel_messages(kinds: tuple[type, ...]) -> list[dict[str, str]]:
    return [{"$ref": f"#/channels/socket/messages/{kind.__name__}"} for kind in kinds]


def _message(kind: type[msgspec.Struct]) -> Schema:
    message: Schema = {
        "name": str(kind.__struct_config__.tag),
        "summary": prose(kind.__doc__),
        "payload": ref(kind),
    }
    if kind in COMMANDS or kind in _ANSWERS:
        message["correlationId"] = {"$ref": "#/components/correlationIds/command"}
    return message
