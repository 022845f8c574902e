"""Rejections: the one table of their codes, and the exception that carries one.

A command or request can be malformed (``bad_message``), not allowed (most other codes), or fail through no fault of its
sender (``internal``, ``unavailable``). The first two are raised as :class:`Rejection`. A fault is any other exception: the
server logs it with its traceback, and sends the client only :func:`fault`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

Code: TypeAlias = Literal[
    "bad_message",
    "unknown_command",
    "rate_limited",
    "unauthorized",
    "not_seated",
    "not_playing",
    "game_over",
    "stale",
    "not_your_turn",
    "illegal_move",
    "seat_taken",
    "forbidden",
    "too_many_rooms",
    "unavailable",
    "internal",
    "unknown_room",
    "unknown_puzzle",
    "unknown_tournament",
    "not_found",
    "not_allowed",
    "conflict",
    "name_taken",
    "tournament_full",
    "tournament_started",
    "tournament_over",
    "too_many_tournaments",
    "too_large",
    "unsupported_media",
]
"""The codes of :data:`CODES`, as a type."""


class CodeInfo(NamedTuple):
    """One row of :data:`CODES`.

    ``status`` is the HTTP status of a response with this code. ``over`` says where a client meets the code: on the
    socket, over HTTP, or on both. ``meaning`` says when the server uses it.
    """

    status: int
    over: Literal["both", "socket", "HTTP"]
    meaning: str


CODES: Final[Mapping[Code, CodeInfo]] = MappingProxyType(
    {
        "bad_message": CodeInfo(
            400,
            "both",
            "The message is malformed: not JSON, a field of the wrong type or out of range, or an invalid name.",
        ),
        "unknown_command": CodeInfo(400, "socket", "There is no command of this type."),
        "rate_limited": CodeInfo(
            429, "both", "The caller sent too much in a short time, or repeats an offer that was just declined."
        ),
        "unauthorized": CodeInfo(401, "both", "The request needs a token and has none, or the token is not valid."),
        "not_seated": CodeInfo(400, "socket", "Only the holder of a seat may do this."),
        "not_playing": CodeInfo(400, "socket", "No game has begun in this room."),
        "game_over": CodeInfo(400, "socket", "The game has ended."),
        "stale": CodeInfo(409, "socket", "The command names another game or ply than the current one."),
        "not_your_turn": CodeInfo(400, "socket", "The other side is to move, or the engine stands in for the player."),
        "illegal_move": CodeInfo(
            400, "both", "The rules do not allow this move; `ply` is the number of moves before it."
        ),
        "seat_taken": CodeInfo(409, "socket", "Another player holds the seat, or the player already has a seat."),
        "forbidden": CodeInfo(
            403, "both", "The caller may not do this, it is not possible now, or this server has it switched off."
        ),
        "too_many_rooms": CodeInfo(
            429, "both", "The player, the player's network or the server has as many rooms as it may have."
        ),
        "unavailable": CodeInfo(
            503, "both", "The store did not answer, so the outcome is not known: send the same request again."
        ),
        "internal": CodeInfo(500, "both", "The server has a fault."),
        "unknown_room": CodeInfo(404, "HTTP", "There is no such room, or it has expired."),
        "unknown_puzzle": CodeInfo(404, "HTTP", "There is no such puzzle on this server."),
        "unknown_tournament": CodeInfo(404, "HTTP", "There is no such tournament, or no tournament has this PIN."),
        "not_found": CodeInfo(404, "HTTP", "There is nothing at this address."),
        "not_allowed": CodeInfo(405, "HTTP", "This address takes other methods, which the `Allow` header lists."),
        "conflict": CodeInfo(409, "HTTP", "It exists already."),
        "name_taken": CodeInfo(409, "HTTP", "Another entrant of the tournament has this name."),
        "tournament_full": CodeInfo(409, "HTTP", "The tournament has as many entrants as it may have."),
        "tournament_started": CodeInfo(409, "HTTP", "The tournament has begun and takes no further entrants."),
        "tournament_over": CodeInfo(409, "HTTP", "The tournament is over."),
        "too_many_tournaments": CodeInfo(429, "HTTP", "The host or the server has as many tournaments as it may have."),
        "too_large": CodeInfo(413, "HTTP", "The body is larger than the server accepts."),
        "unsupported_media": CodeInfo(415, "HTTP", "The body is not declared as JSON."),
    }
)
"""Every code of a rejection. On the socket, the first code that applies is sent, in this order; the codes of HTTP alone
come last."""


class Rejection(Exception):
    """The server does not do what it was asked, and nothing has changed.

    ``message`` is a sentence for the player that says what to do. ``retry_ms`` is how long to wait before asking again.
    ``ply`` is the number of moves before the illegal one in a list of moves.
    """

    def __init__(self, code: Code, message: str, *, retry_ms: int | None = None, ply: int | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code: Code = code
        self.message = message
        self.retry_ms = retry_ms
        self.ply = ply


def fault() -> Rejection:
    """Return the rejection for a fault of the server. The caller logs the exception."""
    return Rejection("internal", "Something went wrong on the server: try again.")
