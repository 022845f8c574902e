"""What a tournament asks of the rooms of its matches. The application carries it out as often as it likes."""

from __future__ import annotations

from typing import Literal, TypeAlias

from noughts.rules.outcome import Mark, Reason
from noughts.tournament.tournament import Match, Tournament
from noughts.values import Value

What: TypeAlias = Literal["make", "start", "end", "close"]


class Order(Value):
    """Make the room of a match, start its next game, end its game with a winner and a reason, or close the room."""

    match: Match
    what: What
    winner: Mark | None = None
    reason: Reason = "bell"


def orders(tournament: Tournament) -> list[Order]:
    """Return what the rooms of the matches need now. Each order ends with a report of the room."""
    if tournament.state != "running":
        return []
    gone = frozenset([each.number for each in tournament.entrants if each.gone])
    wanted = [_order(tournament, match, gone) for match in tournament.matches]
    to_close = [Order(match, "close") for match in tournament.to_close]
    return to_close + [order for order in wanted if order is not None]


def _order(tournament: Tournament, match: Match, gone: frozenset[int]) -> Order | None:
    if match.stage == "room":
        return Order(match, "make")
    if match.stage == "next":
        return Order(match, "start")
    if match.first in gone or match.second in gone:
        first = match.first if match.first in gone else match.second
        return Order(match, "end", "O" if first == match.x else "X", "resignation")
    return Order(match, "end") if tournament.closing else None
