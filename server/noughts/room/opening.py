"""How a room begins: who sits where, and the first game if both seats are held from the start."""

from __future__ import annotations

from typing import Literal, TypeAlias

from noughts.engine.engine import levels
from noughts.errors import Rejection
from noughts.room.clock import ClockSetting
from noughts.room.commands import Visibility
from noughts.room.events import Event
from noughts.room.games import start_game
from noughts.room.room import Join, Room
from noughts.room.seat import EngineSeat, HumanSeat, Person, Seat
from noughts.rules.outcome import Mark
from noughts.rules.variant import Variant

Opponent: TypeAlias = Literal["friend", "anyone", "engine", "engines"]

_JOIN: dict[Opponent, Join | None] = {"friend": "invite", "anyone": "open", "engine": "invite", "engines": None}


def check_level(variant: Variant, level: str) -> None:
    """Raise ``bad_message`` for a level that the variant lacks."""
    known = levels(variant)
    if level not in known:
        raise Rejection("bad_message", f"The engine plays {variant.name} at: {', '.join(known)}.")


def new_room(
    *,
    room_id: str,
    invite: str,
    owner: Person,
    variant: Variant,
    opponent: Opponent,
    mark: Mark,
    engines: tuple[str, ...],
    clock: ClockSetting | None,
    visibility: Visibility | None,
    now_ms: int,
) -> Room:
    """A room as it is made, at version 1. ``engines``: no level, that of the opponent, or those of X and of O.

    Raises ``bad_message`` for a level that the variant lacks.
    """
    for level in engines:
        check_level(variant, level)
    seats: dict[Mark, Seat | None] = {"X": None, "O": None}
    if opponent == "engines":
        seats = {"X": EngineSeat(engines[0]), "O": EngineSeat(engines[1])}
    else:
        seats[mark] = HumanSeat(owner.player, owner.name)
        if opponent == "engine":
            seats["O" if mark == "X" else "X"] = EngineSeat(engines[0])
    join = _JOIN[opponent]
    room = Room(
        id=room_id,
        version=1,
        variant=variant.key,
        visibility=visibility or ("public" if opponent in ("anyone", "engines") else "unlisted"),
        owner=owner,
        created_ms=now_ms,
        used_ms=now_ms,
        invite=invite if join == "invite" else None,
        join=join,
        x=seats["X"],
        o=seats["O"],
        clock=clock,
    )
    if room.x is not None and room.o is not None:
        events: list[Event] = []
        room = start_game(room, now_ms, events)
    return room
