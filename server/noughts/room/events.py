"""Events: what happened in a room, for sounds and announcements on the page.

A step may make several. Only the last one that is neither chat nor a reaction is sent with the view. Where an event or a
command is final, ``type(event) is Said`` serves as well as ``isinstance``, and takes a fifth of the time.
"""

from __future__ import annotations

from typing import TypeAlias, final

from msgspec import UNSET, UnsetType

from noughts.room.commands import OfferKind
from noughts.rules.outcome import Mark, Reason
from noughts.values import Tagged


class Sat(Tagged):
    """A player took a seat, or took it back from the engine."""

    mark: Mark
    player: str
    name: str


class Stood(Tagged):
    """A seat became empty: its holder stood up, or the owner freed it."""

    mark: Mark


class Started(Tagged):
    """A game began. ``game`` is its number in the room."""

    game: int


class Moved(Tagged):
    """A cell was filled. ``by`` is a player's id or ``engine:LEVEL``."""

    mark: Mark
    cell: str
    by: str


class Swapped(Tagged):
    """The player of O took X's side. The marks on the board stay."""

    by: Mark


class TimeGiven(Tagged):
    """A side gave the other one time."""

    by: Mark
    ms: int


class Ended(Tagged):
    """A game ended. ``mark`` and ``cell`` are those of the move that ended it, null if no move did.

    ``series`` is true if the series ended with it.
    """

    game: int
    winner: Mark | None
    reason: Reason
    mark: Mark | None = None
    cell: str | None = None
    series: bool | UnsetType = UNSET


class Offered(Tagged):
    """A side offered a draw, a takeback or a rematch."""

    what: OfferKind
    by: Mark


class Withdrawn(Tagged):
    """A side withdrew its own offer."""

    what: OfferKind
    by: Mark


class Declined(Tagged):
    """An offer was declined. ``by`` is the side that declined it."""

    what: OfferKind
    by: Mark


class TookBack(Tagged):
    """The game returned to ``ply``. ``by`` is the side whose last move was taken back."""

    by: Mark
    ply: int


class EngineSeated(Tagged):
    """The engine took a seat: its own, or one that it holds for a player who is away."""

    mark: Mark
    level: str


class Claimable(Tagged):
    """The opponent of ``mark`` may now claim: the player of ``mark`` has been away for longer than the grace."""

    mark: Mark


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
