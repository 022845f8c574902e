"""A series: games until one side has won a number of them, or until three times as many were played."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from noughts.room.room import Room, Series
from noughts.room.seat import Seat, holder, mover

GAMES_FOR_EACH_WIN: Final = 3
"""A series of which no side wins enough games ends after this many games for each win that it asks for."""


def with_series_begun(room: Room, x: Seat, o: Seat) -> Room:
    """Return the room whose next game has these seats, with a new series and an empty score if one begins now.

    A series begins with the first game after the setting, after another one is over, and after a change of a seat's holder.
    """
    if room.first_to is None:
        return room
    a, b = sorted((holder(x) or mover(x), holder(o) or mover(o)))
    series = room.series
    if series is not None and not series.over and series.sides == (a, b):
        return room
    return replace(room, series=Series((a, b)), score=(), draws=0)


def with_game_counted(room: Room) -> Room:
    """Return the room after a game that counts, whose result its score has already. Another side may have won the series."""
    series, first_to = room.series, room.first_to
    if series is None or first_to is None:
        return room
    games = series.games + 1
    wins = {entry.player: entry.wins for entry in room.score}
    a, b = series.sides
    lead = wins.get(a, 0) - wins.get(b, 0)
    over = max(wins.get(a, 0), wins.get(b, 0)) >= first_to or games >= GAMES_FOR_EACH_WIN * first_to
    winner = (a if lead > 0 else b) if over and lead else None
    return replace(room, series=replace(series, games=games, over=over, winner=winner))
