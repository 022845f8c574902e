"""A new room: its first seats, and its first game if both seats are held from the start."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from noughts.room.clock import ClockSetting
from noughts.room.commands import Visibility
from noughts.room.game_flow import start_game
from noughts.room.room import Join, Room
from noughts.room.seat import EngineSeat, Player, Seat, seat_of
from noughts.rules.by_mark import ByMark
from noughts.rules.game import Game
from noughts.rules.outcome import Mark, other
from noughts.rules.variant import Variant

Opponent: TypeAlias = Literal["friend", "anyone", "engine", "engines"]

_JOIN: Final[Mapping[Opponent, Join | None]] = MappingProxyType(
    {"friend": "invite", "anyone": "open", "engine": "invite", "engines": None}
)


def new_room(
    *,
    room_id: str,
    invite: str,
    owner: Player,
    variant: Variant,
    opponent: Opponent,
    mark: Mark,
    engines: tuple[str, ...],
    clock: ClockSetting | None,
    visibility: Visibility | None,
    now_ms: int,
    opening: Game | None = None,
    first_to: int | None = None,
    swap: bool = False,
) -> Room:
    """Return a new room at version 1.

    ``engines`` are the levels of the engines: none, that of the opponent, or those of X and O. The caller has checked them.
    ``invite`` is kept only if the opponent joins by invite. ``opening`` has the moves that the first game begins after.
    """
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
        seats=_seats(owner, opponent, mark, engines),
        clock=clock,
        first_to=first_to,
        swap=swap,
    )
    return start_game(room, now_ms, opening=opening).room if room.full else room


def _seats(owner: Player, opponent: Opponent, mark: Mark, engines: tuple[str, ...]) -> ByMark[Seat | None]:
    if opponent == "engines":
        return ByMark(EngineSeat(engines[0]), EngineSeat(engines[1]))
    empty: ByMark[Seat | None] = ByMark(None, None)
    seats = empty.replaced(mark, seat_of(owner))
    return seats.replaced(other(mark), EngineSeat(engines[0])) if opponent == "engine" else seats
