"""Text to typed messages, or a refusal that says what is wrong; typed messages to text."""

from __future__ import annotations

import json
import re
from typing import Final

import msgspec

from noughts.engine.levels import LEVELS
from noughts.errors import Rejection
from noughts.protocol.messages import REACTIONS, Hello
from noughts.room.commands import (
    Answer,
    Chat,
    Claim,
    Close,
    Free,
    Move,
    Mute,
    Offer,
    Ping,
    React,
    Resign,
    RoomCommand,
    SeatEngine,
    Set,
    Sit,
    Stand,
)
from noughts.rules.variant import VARIANTS

MAX_FRAME: Final = 8_192
"""The largest frame of a client, in bytes."""

_COMMANDS: Final = (
    Sit,
    Stand,
    Move,
    Resign,
    Offer,
    Answer,
    Claim,
    SeatEngine,
    Chat,
    React,
    Set,
    Free,
    Mute,
    Close,
    Ping,
)
_TYPES: Final = frozenset(str(command.__struct_config__.tag) for command in _COMMANDS)
_decoder: Final[msgspec.json.Decoder[RoomCommand | Ping]] = msgspec.json.Decoder(RoomCommand | Ping)


class _Untyped(msgspec.Struct, tag_field="type", tag=""):
    """A second type beside the hello: a type alone would not have to be named."""


_hello: Final[msgspec.json.Decoder[Hello | _Untyped]] = msgspec.json.Decoder(Hello | _Untyped)
_encoder: Final = msgspec.json.Encoder()

encode: Final = _encoder.encode
"""A message as UTF-8 JSON."""

_HALF_A_PAIR: Final = re.compile("[\ud800-\udfff]")
_NOT_JSON: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class BadCommandError(Exception):
    """A message that is no command: the rejection to send, and the id it had, if any."""

    def __init__(self, command_id: str | None, rejection: Rejection) -> None:
        super().__init__(rejection.message)
        self.id = command_id
        self.rejection = rejection


def decode_command(text: str | bytes) -> RoomCommand | Ping:
    """The command in a text frame. Raises :class:`BadCommandError`."""
    try:
        command = _decoder.decode(text)
    except msgspec.ValidationError as wrong:
        raise _explain(text, str(wrong)) from None
    except _NOT_JSON:
        raise _explain(text, "a text or a number in it cannot be used") from None
    wrong_word = _unknown_word(command)
    if wrong_word is not None:
        raise BadCommandError(command.id, Rejection("bad_message", wrong_word))
    return command


def _unknown_word(command: RoomCommand | Ping) -> str | None:
    """What is wrong with a command that names what does not exist anywhere, whatever the room."""
    if isinstance(command, React) and command.emoji not in REACTIONS:
        return f"The reactions are: {' '.join(REACTIONS)}"
    if isinstance(command, SeatEngine) and command.level not in LEVELS:
        return f"The levels are: {', '.join(LEVELS)}."
    if isinstance(command, Set) and command.variant is not None and command.variant not in VARIANTS:
        return f"The variants are: {', '.join(VARIANTS)}."
    return None


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _explain(text: str | bytes, reason: str) -> BadCommandError:
    # The standard library's parser reads what JSON allows and msgspec refuses (half a surrogate pair, a number without
    # end), so that such a message is answered under its id too.
    try:
        plain = text if isinstance(text, str) else text.decode()
        message = json.loads(plain, parse_int=float, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return BadCommandError(None, Rejection("bad_message", "Send one JSON object in a text frame."))
    if not isinstance(message, dict):
        return BadCommandError(None, Rejection("bad_message", "Send one JSON object in a text frame."))
    kind, command_id = message.get("type"), message.get("id")
    if kind == "hello":
        return BadCommandError(None, Rejection("bad_message", "You have said hello already: open another connection."))
    if not isinstance(command_id, str) or not 1 <= len(command_id) <= 64 or _HALF_A_PAIR.search(command_id):
        return BadCommandError(None, Rejection("bad_message", "A command needs an id of 1 to 64 characters."))
    if isinstance(kind, str) and kind not in _TYPES:
        return BadCommandError(
            command_id, Rejection("unknown_command", f"Known commands: {', '.join(sorted(_TYPES))}.")
        )
    what = kind if isinstance(kind, str) else "message"
    return BadCommandError(command_id, Rejection("bad_message", f"This {what} is malformed: {reason}."))


def decode_hello(text: str | bytes) -> Hello | None:
    """The hello in a text frame; None for anything else."""
    try:
        hello = _hello.decode(text)
    except _NOT_JSON:
        return None
    return hello if isinstance(hello, Hello) else None
