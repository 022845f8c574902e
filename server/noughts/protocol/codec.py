"""Decodes JSON text to typed commands, or raises a rejection that says what is wrong. Encodes messages to JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final, get_args

import msgspec
from msgspec.structs import replace

from noughts.engine.levels import LEVELS
from noughts.errors import Rejection
from noughts.printable import FORBIDDEN, one_line
from noughts.protocol.messages import REACTIONS, Hello
from noughts.room.commands import Chat, Ping, React, RoomCommand, SeatEngine, Set, Visible
from noughts.rules.variant import VARIANTS
from noughts.tournament.commands import TournamentCommand, Watch


def _tags(commands: object) -> frozenset[str]:
    return frozenset(str(command.__struct_config__.tag) for command in (*get_args(commands), Ping))


_TYPES: Final = _tags(RoomCommand | Visible)
_TOURNAMENT_TYPES: Final = _tags(TournamentCommand | Watch)
_decoder: Final[msgspec.json.Decoder[RoomCommand | Visible | Ping]] = msgspec.json.Decoder(RoomCommand | Visible | Ping)
_tournament_decoder: Final[msgspec.json.Decoder[TournamentCommand | Watch | Ping]] = msgspec.json.Decoder(
    TournamentCommand | Watch | Ping
)


class _Untyped(msgspec.Struct, frozen=True, tag_field="type", tag=""):
    """The second type of a union with the hello. With one type alone, msgspec would accept a message without ``type``."""


_encoder: Final = msgspec.json.Encoder()

encode: Final = _encoder.encode
"""A message as UTF-8 JSON."""


GAP: Final[Any] = msgspec.Raw(b"\0")
"""Stands in a message for a part that is encoded apart: each recipient's own, or one that changes more often."""


def around_gaps(message: msgspec.Struct) -> list[bytes]:
    """Return the JSON around the gaps of a message. In JSON no other byte is zero."""
    return encode(message).split(b"\0")


_HALF_A_PAIR: Final = re.compile("[\ud800-\udfff]")
_NOT_JSON: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class MalformedCommandError(Exception):
    """A message that is not a command. It has the rejection to send, and the message's id if it has a valid one."""

    def __init__(self, command_id: str | None, rejection: Rejection) -> None:
        super().__init__(rejection.message)
        self.id = command_id
        self.rejection = rejection


def decode_command(text: str | bytes) -> RoomCommand | Visible | Ping:
    """Return the command in a text frame. Raise :class:`MalformedCommandError`."""
    try:
        command = _decoder.decode(text)
    except _NOT_JSON as error:
        raise _explained(text, error, _TYPES) from None
    if type(command) in _NAMING:
        message = _unknown_name(command)
        if message is not None:
            raise MalformedCommandError(command.id, Rejection("bad_message", message))
    return _plain(command) if type(command) is Chat else command


def _plain(command: Chat) -> Chat:
    """Return a chat line with its line breaks as spaces. Raise :class:`MalformedCommandError` for a forbidden character."""
    text = one_line(command.text)
    if FORBIDDEN.search(text):
        message = "A chat line may not hold control, private or direction characters."
        raise MalformedCommandError(command.id, Rejection("bad_message", message))
    return replace(command, text=text)


def decode_tournament_command(text: str | bytes) -> TournamentCommand | Watch | Ping:
    """Return the command in a text frame to a tournament. Raise :class:`MalformedCommandError`."""
    try:
        return _tournament_decoder.decode(text)
    except _NOT_JSON as error:
        raise _explained(text, error, _TOURNAMENT_TYPES) from None


_NAMING: Final = frozenset((React, SeatEngine, Set))
"""The commands with a field that must be a known name: of an emoji, a level or a variant."""


def _unknown_name(command: RoomCommand | Visible | Ping) -> str | None:
    """Return the message for a command with an unknown name; None if all its names are known."""
    if isinstance(command, React) and command.emoji not in REACTIONS:
        return f"The reactions are: {' '.join(REACTIONS)}"
    if isinstance(command, SeatEngine) and command.level not in LEVELS:
        return f"The levels are: {', '.join(LEVELS)}."
    if isinstance(command, Set) and command.variant is not None and command.variant not in VARIANTS:
        return f"The variants are: {', '.join(VARIANTS)}."
    return None


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _explained(text: str | bytes, error: Exception, types: frozenset[str]) -> MalformedCommandError:
    """Return what is wrong with a frame that a decoder of commands with these types rejected."""
    invalid = isinstance(error, msgspec.ValidationError)
    reason = str(error) if invalid else "a text or a number in it cannot be used"
    # The standard library's parser accepts JSON that msgspec does not, such as half a surrogate pair or a very long number.
    # So the answer to such a message can have its id.
    try:
        plain = text if isinstance(text, str) else text.decode()
        message = json.loads(plain, parse_int=float, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        return MalformedCommandError(None, Rejection("bad_message", "Send one JSON object in a text frame."))
    kind, command_id = message.get("type"), message.get("id")
    if kind == "hello":
        return MalformedCommandError(
            None,
            Rejection("bad_message", "You have already said hello: open another connection to enter another room."),
        )
    if not isinstance(command_id, str) or not 1 <= len(command_id) <= 64 or _HALF_A_PAIR.search(command_id):
        return MalformedCommandError(None, Rejection("bad_message", "A command needs an id of 1 to 64 characters."))
    if isinstance(kind, str) and kind not in types:
        return MalformedCommandError(
            command_id, Rejection("unknown_command", f"Known commands: {', '.join(sorted(types))}.")
        )
    what = kind if isinstance(kind, str) else "message"
    return MalformedCommandError(command_id, Rejection("bad_message", f"This {what} is malformed: {reason}."))


@cache
def _hello_decoder(kinds: tuple[str, ...]) -> Callable[[str | bytes], object]:
    """Return what decodes a hello in which each of these kinds is a field for an id."""
    hello: Any = Hello
    fields = [(kind, str | None, None) for kind in kinds if kind not in Hello.__struct_fields__]
    if fields:
        hello = msgspec.defstruct("Hello", fields, bases=(Hello,), tag="hello", frozen=True)
    return msgspec.json.Decoder(hello | _Untyped).decode


def decode_hello(text: str | bytes, kinds: tuple[str, ...] = ()) -> Hello | None:
    """Return the hello in a text frame, which may name one of these kinds too; None for anything else."""
    try:
        hello = _hello_decoder(kinds)(text)
    except _NOT_JSON:
        return None
    return hello if isinstance(hello, Hello) else None
