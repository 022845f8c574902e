"""Events: what happened in a room, for sounds and announcements on the page.

A step may make several. Only the last one that is neither chat nor a reaction is sent with the view. Where an event or a
command is final, ``type(event) is Said`` serves as well as ``isinstance``, and takes a fifth of the time.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias, final

from msgspec import UNSET, Meta, UnsetType

from noughts.room.commands import OfferKind
from noughts.rules.outcome import Mark, Reason
from noughts.values import Tagged


class Sat(Tagged):
    """A player took a seat, or took it back from the engine."""

    mark: Annotated[Mark, Meta(description="the mark")]
    player: Annotated[str, Meta(description="the player's id")]
    name: Annotated[str, Meta(description="the name shown to others")]


class Stood(Tagged):
    """A seat became empty: its holder stood up, or the owner freed it."""

    mark: Annotated[Mark, Meta(description="the mark")]


class Started(Tagged):
    """A game began. ``game`` is its number in the room."""

    game: Annotated[int, Meta(description="the number of the game")]


class Moved(Tagged):
    """A cell was filled. ``by`` is a player's id or ``engine:LEVEL``."""

    mark: Annotated[Mark, Meta(description="the mark that filled the cell")]
    cell: Annotated[str, Meta(description="the cell, such as `b2`")]
    by: Annotated[str, Meta(description="the player's id, or `engine:LEVEL`")]


class Swapped(Tagged):
    """The player of O took X's side. The marks on the board stay."""

    by: Annotated[Mark, Meta(description="the side that did it")]


class TimeGiven(Tagged):
    """A side gave the other one time."""

    by: Annotated[Mark, Meta(description="the side that did it")]
    ms: Annotated[int, Meta(description="milliseconds that were given")]


class Ended(Tagged):
    """A game ended. ``mark`` and ``cell`` are those of the move that ended it, null if no move did.

    ``series`` is true if the series ended with it.
    """

    game: Annotated[int, Meta(description="the number of the game")]
    winner: Annotated[Mark | None, Meta(description="the winner; null for none")]
    reason: Annotated[Reason, Meta(description="why the game ended")]
    mark: Annotated[Mark | None, Meta(description="the mark of the move that ended the game; null if no move did")] = (
        None
    )
    cell: Annotated[str | None, Meta(description="the cell of the move that ended the game; null if no move did")] = (
        None
    )
    series: Annotated[
        bool | UnsetType, Meta(description="true if the series ended with this game; absent otherwise")
    ] = UNSET


class Offered(Tagged):
    """A side offered a draw, a takeback or a rematch."""

    what: Annotated[OfferKind, Meta(description="the offer")]
    by: Annotated[Mark, Meta(description="the side that did it")]


class Withdrawn(Tagged):
    """A side withdrew its own offer."""

    what: Annotated[OfferKind, Meta(description="the offer")]
    by: Annotated[Mark, Meta(description="the side that did it")]


class Declined(Tagged):
    """An offer was declined. ``by`` is the side that declined it."""

    what: Annotated[OfferKind, Meta(description="the offer")]
    by: Annotated[Mark, Meta(description="the side that declined")]


class TookBack(Tagged):
    """The game returned to ``ply``. ``by`` is the side whose last move was taken back."""

    by: Annotated[Mark, Meta(description="the side whose move was taken back")]
    ply: Annotated[int, Meta(description="how many moves are left")]


class EngineSeated(Tagged):
    """The engine took a seat: its own, or one that it holds for a player who is away."""

    mark: Annotated[Mark, Meta(description="the mark")]
    level: Annotated[str, Meta(description="the engine's level")]


class Claimable(Tagged):
    """The opponent of ``mark`` may now claim: the player of ``mark`` has been away for longer than the grace."""

    mark: Annotated[Mark, Meta(description="the mark of the absent player")]


class Settings(Tagged):
    """The owner changed the room's settings, or the room has a new owner."""


class Closed(Tagged):
    """The room ended and cannot be entered any more."""


@final
class Said(Tagged):
    """A player sent a chat line. It is sent as ``chat``, not with a view."""

    player: str
    name: str
    mark: Mark | None
    text: str
    ply: int


@final
class Reacted(Tagged):
    """A player sent a reaction. It is sent as ``reaction``, not with a view, and never stored."""

    player: str
    name: str
    mark: Mark | None
    emoji: str


ViewEvent: TypeAlias = (
    Sat
    | Stood
    | Started
    | Moved
    | Swapped
    | TimeGiven
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
