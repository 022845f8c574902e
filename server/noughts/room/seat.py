"""Who sits where: a person, or the engine at a level, perhaps for a person who is away."""

from __future__ import annotations

from typing import TypeAlias

import msgspec
from msgspec.structs import replace


class Person(msgspec.Struct, frozen=True, gc=False):
    """A player's id (``p_…``) and the name shown to others."""

    player: str
    name: str


class HumanSeat(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="human"):
    """A seat held by a player."""

    player: str
    name: str


class EngineSeat(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="engine"):
    """A seat held by the engine; ``holding_for`` is the absent player whose seat it stays."""

    level: str
    holding_for: Person | None = None


Seat: TypeAlias = HumanSeat | EngineSeat


def holder(seat: Seat | None) -> str | None:
    """The player whose seat this is, also while the engine stands in; None for an empty seat or an engine's own."""
    if isinstance(seat, HumanSeat):
        return seat.player
    if isinstance(seat, EngineSeat) and seat.holding_for is not None:
        return seat.holding_for.player
    return None


def mover(seat: Seat) -> str:
    """Whoever makes this seat's moves: a player's id, or ``engine:LEVEL``."""
    return seat.player if isinstance(seat, HumanSeat) else f"engine:{seat.level}"


def with_name(seat: Seat, person: Person) -> Seat:
    """The seat with its holder's present name, if it is this person's; else the seat itself."""
    if holder(seat) != person.player:
        return seat
    if isinstance(seat, EngineSeat):
        return replace(seat, holding_for=person)
    return HumanSeat(person.player, person.name)
