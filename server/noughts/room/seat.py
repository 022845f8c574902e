"""A seat: held by a player, or by the engine, which may hold it for an absent player."""

from __future__ import annotations

from typing import TypeAlias

from msgspec.structs import replace

from noughts.values import Value


class Person(Value):
    """A player's id (``p_…``) and the name shown to others."""

    player: str
    name: str


class HumanSeat(Value, tag_field="kind", tag="human"):
    """A seat held by a player."""

    player: str
    name: str


class EngineSeat(Value, tag_field="kind", tag="engine"):
    """A seat held by the engine. ``holding_for`` is the absent player whose seat it is, None for an engine's own."""

    level: str
    holding_for: Person | None = None


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


def with_name(seat: Seat, person: Person) -> Seat:
    """Return the seat with its holder's present name if this person holds it, else the seat itself."""
    if holder(seat) != person.player:
        return seat
    if isinstance(seat, EngineSeat):
        return replace(seat, holding_for=person)
    return HumanSeat(person.player, person.name)
