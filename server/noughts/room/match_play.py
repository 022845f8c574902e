"""The room of a match of a tournament: its creation, and the time that its players take to think."""

from __future__ import annotations

from noughts.room.clock import OFF_CLOCK_PLIES, ClockSetting
from noughts.room.downtime import Downtime, downtime_ms
from noughts.room.game_flow import start_game
from noughts.room.room import Room, RoomGame, RoomMatch
from noughts.room.seat import Player, seat_of
from noughts.rules.by_mark import ByMark
from noughts.rules.outcome import MARKS
from noughts.rules.variant import Variant


def match_room(
    *,
    room_id: str,
    match: RoomMatch,
    host: Player,
    players: ByMark[Player],
    variant: Variant,
    clock: ClockSetting,
    now_ms: int,
) -> Room:
    """Return the room of a match at version 1, with both players seated and the first game begun."""
    room = Room(
        id=room_id,
        version=1,
        variant=variant.key,
        visibility="unlisted",
        owner=host,
        created_ms=now_ms,
        used_ms=now_ms,
        seats=ByMark(seat_of(players.X), seat_of(players.O)),
        clock=clock,
        match=match,
    )
    return start_game(room, now_ms).room


def thought_ms(game: RoomGame, downtimes: tuple[Downtime, ...] = ()) -> tuple[int, int]:
    """Return the time that X and O took to think, without the first move of each, which is off the clock."""
    spent = [0, 0]
    turns = [*game.at_ms, game.ended_ms] if game.ended_ms > max(game.at_ms, default=0) else list(game.at_ms)
    for ply in range(OFF_CLOCK_PLIES, len(turns)):
        since_ms, until_ms = turns[ply - 1], turns[ply]
        spent[ply % len(MARKS)] += max(0, until_ms - since_ms - downtime_ms(downtimes, since_ms, until_ms))
    return spent[0], spent[1]
