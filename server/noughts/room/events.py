"""What happened in a room: for sound and announcements on the page, and for the application to act on.

A step may make several; the last one is the most telling and goes out with the view.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from noughts.room.commands import What
from noughts.rules.outcome import Mark, Reason


class Sat(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="sat"):
    """Somebody took a seat, or has it back from the engine."""

    mark: Mark
    player: str
    name: str


class Stood(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="stood"):
    """A seat is empty now: its holder stood up, or the owner freed it."""

    mark: Mark


class Started(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="started"):
    """A game begins; ``game`` is its number in the room."""

    game: int


class Moved(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="moved"):
    """A cell is filled; ``by`` is a player's id or ``engine:LEVEL``."""

    mark: Mark
    cell: str
    by: str


class Ended(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="ended"):
    """A game is over; ``mark`` and ``cell`` are those of the move that ended it, if one did."""

    game: int
    winner: Mark | None
    reason: Reason
    mark: Mark | None = None
    cell: str | None = None


class Offered(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="offered"):
    """A side offers a draw, a takeback or a rematch."""

    what: What
    by: Mark


class Withdrawn(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="withdrawn"):
    """A side took its own offer back."""

    what: What
    by: Mark


class Declined(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="declined"):
    """``by`` is the side that said no."""

    what: What
    by: Mark


class TookBack(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="took_back"):
    """``by`` is the side whose last move was taken back."""

    by: Mark
    ply: int


class EngineSeated(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="engine_seated"):
    """The engine sits in a seat: its own, or one that it holds for a player who is away."""

    mark: Mark
    level: str


class Claimable(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="claimable"):
    """``mark`` is the side that has been away for too long."""

    mark: Mark


class Settings(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="settings"):
    """The owner changed the settings of the room, or the room has another owner."""


class Closed(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="closed"):
    """The room is at its end: nobody can come in any more."""


class Said(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="said"):
    """A chat line, sent as ``chat`` and not with a view."""

    player: str
    name: str
    mark: Mark | None
    text: str
    ply: int


class Reacted(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="reacted"):
    """A reaction, sent as ``reaction`` and not with a view; never stored."""

    player: str
    name: str
    mark: Mark | None
    emoji: str


ViewEvent: TypeAlias = (
    Sat
    | Stood
    | Started
    | Moved
    | Ended
    | Offered
    | Withdrawn
    | Declined
    | TookBack
    | EngineSeated
    | Claimable
    | Settings
    | Closed
)
Event: TypeAlias = ViewEvent | Said | Reacted
