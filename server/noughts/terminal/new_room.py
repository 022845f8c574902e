"""The room that ``noughts play --server`` makes, as the options describe it. It is read before the client is imported."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

CLOCK_FORMS: Final = "30s for each move, 5+3 for 5 minutes and 3 more seconds with each move, 3d for 3 days a move"
"""The texts of clocks, for the help and for mistakes."""

Opponent: TypeAlias = Literal["engine", "friend", "anyone"]


class NewRoom(NamedTuple):
    """What the options of the command line say about a room and its server."""

    server: str
    variant: str
    opponent: Opponent
    level: str | None
    mark: Literal["X", "O", "random"]
    clock: str | None
    first_to: int | None
    swap: bool
