"""Every HTTP call that clients may rely on, in one table: what it takes, what it answers, what it is refused with."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from noughts.errors import Code
from noughts.protocol.calls import (
    AnalysisAnswer,
    DrawQr,
    LiveRooms,
    NewPlayer,
    NewRoom,
    OpenRooms,
    PlayerAnswer,
    QuickPlay,
    Rename,
    Resume,
    ResumeCode,
    RoomAnswer,
    VariantsAnswer,
)
from noughts.protocol.messages import GameRecord, View
from noughts.protocol.schemas import Schema
from noughts.rules.variant import VARIANTS

Token: TypeAlias = Literal["needed", "welcome", "unused"]

JSON: Final = "application/json"
HTML: Final = "text/html"
TEXT: Final = "text/plain"

REFUSALS: Final[dict[int, tuple[str, tuple[Code, ...]]]] = {
    400: ("The call is malformed, or holds a secret in its address.", ("bad_message", "illegal_move")),
    401: ("No token, or one that is not known; for a resume code: it is wrong, used or too old.", ("unauthorized",)),
    403: ("Not for you, or switched off on this server.", ("forbidden",)),
    404: ("There is no such thing.", ("unknown_room", "not_found")),
    413: ("The body is too large.", ("too_large",)),
    415: ("The body is no JSON, or does not say that it is.", ("unsupported_media",)),
    429: ("Too many: wait as long as Retry-After says.", ("rate_limited", "too_many_rooms")),
    500: ("The fault is the server's.", ("internal",)),
    503: ("The server cannot do it now: wait as long as Retry-After says.", ("unavailable",)),
}
"""What a call may be refused with: a status, what it means, and the codes that it comes with."""

_ALWAYS: Final = (400, 403, 500)
_API: Final = (429, 503)
_BODY: Final = (413, 415)


class Answer(NamedTuple):
    """A good answer: JSON of a type (or of one of several), or of a schema; or another kind of text."""

    status: int
    meaning: str
    body: type | tuple[type, ...] | Schema | None
    media: str = JSON


class Parameter(NamedTuple):
    """What stands in the query, or in braces in the path."""

    name: str
    meaning: str
    schema: Schema
    required: bool = False


class Call(NamedTuple):
    """One call. ``refused``: the statuses that only some calls have; the rest follow from what the call is."""

    method: Literal["GET", "POST", "PATCH", "DELETE"]
    path: str
    name: str
    does: str
    answers: tuple[Answer, ...]
    body: type | None = None
    query: tuple[Parameter, ...] = ()
    token: Token = "unused"
    refused: tuple[int, ...] = ()

    @property
    def refusals(self) -> tuple[int, ...]:
        """Every status that this call may be refused with."""
        found = {*_ALWAYS, *self.refused}
        if self.path.startswith("/api/"):
            found.update(_API)
        if self.body is not None:
            found.update(_BODY)
        if self.token == "needed":
            found.add(401)
        return tuple(sorted(found - {answer.status for answer in self.answers}))


_STATUS: Final[Schema] = {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}
_DOCUMENT: Final[Schema] = {"type": "object"}
_VARIANT: Final[Schema] = {"enum": list(VARIANTS)}
IN_PATH: Final = {
    "id": Parameter("id", "A room's id.", {"type": "string", "minLength": 1}, True),
    "number": Parameter("number", "A game's number in its room, from 1.", {"type": "integer", "minimum": 1}, True),
}
"""What may stand in braces in a path."""

CALLS: Final = (
    Call(
        "POST",
        "/api/players",
        "newPlayer",
        "Become a player: a guest with a secret token.",
        (Answer(201, "The player and its token.", PlayerAnswer),),
        body=NewPlayer,
    ),
    Call(
        "GET",
        "/api/players/me",
        "me",
        "Who this token belongs to.",
        (Answer(200, "The player.", PlayerAnswer),),
        token="needed",
    ),
    Call(
        "PATCH",
        "/api/players/me",
        "rename",
        "Take another name.",
        (Answer(200, "The player with the new name.", PlayerAnswer),),
        body=Rename,
        token="needed",
    ),
    Call(
        "DELETE",
        "/api/players/me",
        "forgetMe",
        "Be forgotten: the name goes, the tokens are void, seats say `someone`.",
        (Answer(200, "What is left of the player.", PlayerAnswer),),
        token="needed",
    ),
    Call(
        "POST",
        "/api/players/me/resume-code",
        "newResumeCode",
        "A code to type on another device. An earlier one is void.",
        (Answer(201, "The code.", ResumeCode),),
        token="needed",
    ),
    Call(
        "POST",
        "/api/players/resume",
        "resume",
        "Use a resume code up for a second token of the same player; the first stays valid.",
        (Answer(200, "The player and the new token.", PlayerAnswer),),
        body=Resume,
        refused=(401,),
    ),
    Call("GET", "/api/variants", "variants", "Every game.", (Answer(200, "The games.", VariantsAnswer),)),
    Call(
        "POST",
        "/api/rooms",
        "newRoom",
        "Make a room and sit in it; with the opponent `engines`, watch it.",
        (Answer(201, "The room and its links.", RoomAnswer),),
        body=NewRoom,
        token="needed",
    ),
    Call(
        "GET",
        "/api/rooms",
        "rooms",
        "Public rooms, newest first.",
        (Answer(200, "The rooms.", (OpenRooms, LiveRooms)),),
        query=(
            Parameter(
                "state",
                "Those that wait for an opponent, or those in which a game is on.",
                {"enum": ["open", "live"], "default": "open"},
            ),
            Parameter("variant", "Those of one game only.", _VARIANT),
        ),
    ),
    Call(
        "GET",
        "/api/rooms/{id}",
        "room",
        "A room as everybody may see it.",
        (Answer(200, "The view.", View),),
        refused=(404,),
    ),
    Call(
        "GET",
        "/api/rooms/{id}/games/{number}",
        "game",
        "A game of a room, move by move.",
        (Answer(200, "The record.", GameRecord),),
        refused=(404,),
    ),
    Call(
        "POST",
        "/api/quickplay",
        "quickPlay",
        "Sit down opposite somebody who wants the same, or wait for one. Who waits already gets the same room.",
        (
            Answer(200, "A room that was there: the game can begin, or you wait in it already.", RoomAnswer),
            Answer(201, "A new room, in which you wait.", RoomAnswer),
        ),
        body=QuickPlay,
        token="needed",
    ),
    Call(
        "GET",
        "/api/analysis",
        "analysis",
        "What is proved of every position of a game, within ten seconds.",
        (Answer(200, "The positions.", AnalysisAnswer),),
        query=(
            Parameter("variant", "The game.", _VARIANT, True),
            Parameter("moves", "The cells of the moves so far, with commas between.", {"type": "string"}),
        ),
        token="welcome",
    ),
    Call(
        "POST",
        "/api/qr",
        "drawQr",
        "A link as a QR code.",
        (Answer(200, "The picture.", {"type": "string"}, "image/svg+xml"),),
        body=DrawQr,
        token="needed",
    ),
    Call("GET", "/api/openapi.json", "openapi", "This document.", (Answer(200, "OpenAPI 3.1.", _DOCUMENT),)),
    Call(
        "GET",
        "/api/asyncapi.json",
        "asyncapi",
        "The WebSocket, described in the same way.",
        (Answer(200, "AsyncAPI 3.0.", _DOCUMENT),),
    ),
    Call(
        "GET",
        "/ws",
        "connect",
        "The WebSocket: see `/api/asyncapi.json`.",
        (
            Answer(101, "The connection is a WebSocket now: say hello.", None),
            Answer(426, "The request asked for no upgrade, or a proxy dropped it.", {"type": "string"}, TEXT),
        ),
        refused=(429,),
    ),
    Call(
        "GET",
        "/healthz",
        "healthz",
        "Whether the process lives; the machine itself and trusted addresses see more.",
        (Answer(200, "It does.", _STATUS),),
    ),
    Call(
        "GET",
        "/readyz",
        "readyz",
        "Whether a move could be stored now.",
        (Answer(200, "It could.", _STATUS), Answer(503, "It could not.", _STATUS)),
    ),
    Call(
        "GET",
        "/metrics",
        "metrics",
        "Numbers for Prometheus, for the machine itself and trusted addresses.",
        (Answer(200, "Prometheus's text format.", {"type": "string"}, TEXT),),
    ),
    Call(
        "GET",
        "/r/{id}",
        "roomPage",
        "The page of a room. It takes no seat.",
        (
            Answer(200, "The page.", {"type": "string"}, HTML),
            Answer(404, "The page, which says that there is no such room.", {"type": "string"}, HTML),
        ),
    ),
)
"""All calls that clients may rely on."""
