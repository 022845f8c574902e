"""Write ``client_web/js/net/messages.d.ts``: the types of the protocol for the page's type checker, from the server's own.

    python -m tools.message_types

The names are those of the machine-readable contract, with three changes. ``View`` at the end is left out, except in the name
of a room's view itself. A message of the server ends in ``Message``, a command in ``Command`` and an event in ``Event``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, get_args

from noughts.protocol.asyncapi import COMMANDS, MESSAGES
from noughts.protocol.bodies import (
    AnalysisAnswer,
    ErrorAnswer,
    MinimaxAnswer,
    MyRooms,
    PlayerAnswer,
    ResumeCode,
    StrengthAnswer,
    VariantsAnswer,
)
from noughts.protocol.messages import GameRecord, Hello
from noughts.protocol.puzzle_bodies import DailyPuzzle, PuzzleAnswer, PuzzleJudgement
from noughts.protocol.schemas import Schema, schemas
from noughts.protocol.tournament_bodies import MatchesAnswer
from noughts.room.clock import ClockSetting
from noughts.room.commands import OfferKind, SpectatorChat, Visibility
from noughts.room.events import ViewEvent
from noughts.room.seat import Seat
from noughts.rules.outcome import Mark, Reason

FILE: Final = Path(__file__).resolve().parent.parent / "client_web" / "js" / "net" / "messages.d.ts"
WIDTH: Final = 120
_BODIES: Final = (
    VariantsAnswer,
    StrengthAnswer,
    PlayerAnswer,
    ResumeCode,
    MyRooms,
    AnalysisAnswer,
    GameRecord,
    MinimaxAnswer,
    PuzzleAnswer,
    DailyPuzzle,
    PuzzleJudgement,
    MatchesAnswer,
    ErrorAnswer,
)
_EVENTS: Final = get_args(ViewEvent)
_WORDS: Final[Mapping[str, Any]] = {
    "Mark": Mark,
    "OfferKind": OfferKind,
    "Reason": Reason,
    "SpectatorChat": SpectatorChat,
    "Visibility": Visibility,
}
"""Types of fixed texts that have a name in the page."""
_names_of: Final = {frozenset(get_args(words)): name for name, words in _WORDS.items()}
_UNIONS: Final[Mapping[str, tuple[type, ...]]] = {
    "Seat": get_args(Seat),
    "ClockSetting": get_args(ClockSetting),
    "RoomEvent": _EVENTS,
    "ServerMessage": MESSAGES,
    "AnyCommand": COMMANDS,
}
_HEAD: Final = """// The types of the messages between the page and the server. Only the type checker reads this file.
// `make message-types` writes it from the server's types, which `/api/asyncapi.json` and `/api/openapi.json` explain.

"""
_OF_THE_PAGE: Final = """
type WithoutId<C> = C extends { id: string } ? Omit<C, "id"> & { id?: string } : never;
/** A command before it gets its id. */
export type Command = WithoutId<AnyCommand>;
/** A message that answers no command and no ping. */
export type PushedMessage = Exclude<ServerMessage, OkMessage | RejectedMessage | PongMessage>;
/** The answer to a command. */
export type Answer =
  | { ok: true; version: number }
  | { ok: false; code: string; message: string; retry_ms?: number | null };
"""


def page_name(name: str) -> str:
    """Return the name of a type of the wire in the page."""
    if name in {kind.__name__ for kind in MESSAGES} and not name.endswith("Message"):
        return f"{name}Message"
    if name in {kind.__name__ for kind in COMMANDS}:
        return f"{name}Command"
    if name in {kind.__name__ for kind in _EVENTS}:
        return f"{name}Event"
    return name if name == "View" else name.removesuffix("View")


def type_of(schema: Schema) -> str:
    """Return a JSON Schema as a type in TypeScript."""
    if "$ref" in schema:
        return page_name(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " | ".join([type_of(part) for part in schema["anyOf"]])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return _names_of.get(frozenset(schema["enum"])) or " | ".join([json.dumps(value) for value in schema["enum"]])
    kind = schema.get("type")
    if kind == "array":
        if "prefixItems" in schema:
            return f"[{', '.join([type_of(part) for part in schema['prefixItems']])}]"
        part = type_of(schema.get("items", {}))
        return f"({part})[]" if " " in part else f"{part}[]"
    if kind == "object":
        if "additionalProperties" in schema and "properties" not in schema:
            return f"Record<string, {type_of(schema['additionalProperties'])}>"
        required = schema.get("required", ())
        fields = [
            f"{name}{'' if name in required else '?'}: {type_of(field)}" for name, field in schema["properties"].items()
        ]
        return f"{{{', '.join(fields)}}}"
    return {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}.get(
        kind or "", "unknown"
    )


def declaration(name: str, definition: str) -> str:
    """Return the declaration of a type, broken between words."""
    lines = [""]
    for word in f"export type {name} = {definition};".split(" "):
        if len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append(f"  {word}")
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join([*lines, ""])


def text() -> str:
    """Return the whole file."""
    parts = [_HEAD]
    for name, words in _WORDS.items():
        parts.append(declaration(name, " | ".join([json.dumps(word) for word in get_args(words)])))
    for name, schema in schemas((Hello, *COMMANDS, *MESSAGES, *_BODIES)).items():
        parts.append(declaration(page_name(name), type_of(schema)))
    for name, kinds in _UNIONS.items():
        parts.append(declaration(name, " | ".join([page_name(kind.__name__) for kind in kinds])))
    return "".join([*parts, _OF_THE_PAGE])


def main() -> None:
    """Write the file."""
    FILE.write_text(text())


if __name__ == "__main__":
    main()
