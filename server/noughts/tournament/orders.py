"""What a tournament asks of the rooms of its matches. The application carries it out as often as it likes."""

from __future__ import annotations

from typing import Literal, TypeAlias

from noughts.rules.outcome import Mark, Reason
from noughts.tournament.match_flow import gone_sides
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
    wanted = [_order(tournament, match) for match in tournament.matches]
    to_close = [Order(match, "close") for match in tournament.to_close]
    return to_close + [order for order in wanted if order is not None]


def _order(tournament: Tournament, match: Match) -> Order | None:
    if match.stage == "room":
        return Order(match, "make")
    if match.stage == "next":
        return Order(match, "start")
    gone = gone_sides(tournament, match)
    if gone:
        return Order(match, "end", "O" if gone[0] == match.x else "X", "resignation")
    return Order(match, "end") if tournament.closing else None
