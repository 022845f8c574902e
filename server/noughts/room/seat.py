"""A seat: held by a player, or by the engine, which may hold it for an absent player."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta
from msgspec.structs import replace

from noughts.values import Value


class Person(Value, omit_defaults=True):
    """A player's id (``p_…``) and the name shown to others. ``bot`` is true for a player run by a program."""

    player: Annotated[str, Meta(description="the player's id")]
    name: Annotated[str, Meta(description="the name shown to others")]
    bot: Annotated[bool, Meta(description="whether a program runs the player; absent for no")] = False


class HumanSeat(Value, tag_field="kind", tag="human", omit_defaults=True):
    """A seat held by a player. ``bot`` is true for a player run by a program."""

    player: Annotated[str, Meta(description="the player's id")]
    name: Annotated[str, Meta(description="the name shown to others")]
    bot: Annotated[bool, Meta(description="whether a program runs the player; absent for no")] = False


class EngineSeat(Value, tag_field="kind", tag="engine"):
    """A seat held by the engine. ``holding_for`` is the absent player whose seat it is, None for an engine's own."""

    level: Annotated[str, Meta(description="the engine's level")]
    holding_for: Annotated[
        Person | None,
        Meta(description="the absent player whose seat the engine holds; null if the seat is the engine's own"),
    ] = None


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


def shown_name(seat: Seat | None) -> str:
    """Return the name of a seat's player, also while the engine stands in, else ``Engine (LEVEL)``. Empty for no seat."""
    if isinstance(seat, EngineSeat):
        return seat.holding_for.name if seat.holding_for is not None else f"Engine ({seat.level})"
    return seat.name if seat is not None else ""


def seat_of(person: Person) -> HumanSeat:
    """Return a seat held by this player."""
    return HumanSeat(person.player, person.name, person.bot)


def person_in(seat: HumanSeat) -> Person:
    """Return the player who holds this seat."""
    return Person(seat.player, seat.name, seat.bot)


def with_name(seat: Seat, player: str, name: str) -> Seat:
    """Return the seat with its holder's present name if this player holds it, else the seat itself."""
    if isinstance(seat, HumanSeat):
        return replace(seat, name=name) if seat.player == player else seat
    if seat.holding_for is not None and seat.holding_for.player == player:
        return replace(seat, holding_for=replace(seat.holding_for, name=name))
    return seat
