"""What the server says no with: the codes of the contract, and the one exception that carries them.

Three kinds of wrong: nonsense (``bad_message``), not allowed (any other code), and our own fault
(``internal``, ``unavailable``). The first two are raised as :class:`Rejection`; the third is any other exception,
logged whole and told as one word.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

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
    # over HTTP only
    "unknown_room",
    "not_found",
    "not_allowed",
    "conflict",
    "too_large",
    "unsupported_media",
]


class Rejection(Exception):
    """An expected refusal: nothing has changed, and ``message`` is a sentence that says what to do.

    ``ply`` is the number of moves before the illegal one, for a move list; ``retry_ms`` says when to ask again.
    """

    def __init__(self, code: Code, message: str, *, retry_ms: int | None = None, ply: int | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code: Code = code
        self.message = message
        self.retry_ms = retry_ms
        self.ply = ply
