"""A seat: held by a player, or by the engine, which may hold it for an absent player.

Rooms and tournaments have the ids of players, and no names. Whoever shows a player looks the name up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, TypeAlias

from msgspec import Meta

from noughts.values import Value

SOMEONE: Final = "someone"
"""The name of a player whose guest account was deleted."""

Names: TypeAlias = Mapping[str, str]
"""The present names of players, by id. :data:`SOMEONE` stands for a missing one."""


class Player(Value, omit_defaults=True):
    """A player's id (``p_…``). ``bot`` is true for a player run by a program."""

    player: str
    bot: bool = False


class Person(Value, omit_defaults=True):
    """A player with the name shown to others."""

    player: Annotated[str, Meta(description="the player's id")]
    name: Annotated[str, Meta(description="the name shown to others")]
    bot: Annotated[bool, Meta(description="whether a program runs the player; absent for no")] = False

    @property
    def nameless(self) -> Player:
        """The player without the name, as rooms and tournaments keep it."""
        return Player(self.player, self.bot)


class HumanSeat(Value, tag_field="kind", tag="human", omit_defaults=True):
    """A seat held by a player. ``bot`` is true for a player run by a program."""

    player: str
    bot: bool = False

    @property
    def holder(self) -> Player:
        """The player."""
        return Player(self.player, self.bot)


class EngineSeat(Value, tag_field="kind", tag="engine"):
    """A seat held by the engine. ``holding_for`` is the absent player whose seat it is, None for an engine's own."""

    level: str
    holding_for: Player | None = None


Seat: TypeAlias = HumanSeat | EngineSeat


def holder(seat: Seat | None) -> str | None:
    """Return the player whose seat this is, also while the engine stands in. None for an empty seat and an engine's own."""
    if isinstance(seat, HumanSeat):
        return seat.player
    if isinstance(seat, EngineSeat) and seat.holding_for is not None:
        return seat.holding_for.player
    return None


def mover(seat: Seat) -> str:
    """Return the id under which this seat's moves are recorded: a player's id, or ``engine:LEVEL``."""
    return seat.player if isinstance(seat, HumanSeat) else f"engine:{seat.level}"


def shown_name(seat: Seat | None, names: Names) -> str:
    """Return the name of a seat's player, also while the engine stands in, else ``Otto (LEVEL)``. Empty for no seat."""
    player = holder(seat)
    if player is not None:
        return names.get(player, SOMEONE)
    return f"Otto ({seat.level})" if isinstance(seat, EngineSeat) else ""


def seat_of(player: Player | Person) -> HumanSeat:
    """Return a seat held by this player."""
    return HumanSeat(player.player, player.bot)
