"""The bodies of HTTP requests and responses about tournaments."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from noughts.protocol.tournament_messages import MatchView, RowView, TournamentView
from noughts.room.clock import FischerClock, MoveClock
from noughts.room.commands import Visibility
from noughts.tournament.tournament import Bots, Entry, Mode
from noughts.values import Value


class NewTournament(Value):
    """A new tournament. ``minutes`` is the length of an arena. With the entry ``names``, a join gives one of ``names``."""

    name: str
    mode: Mode
    variant: str
    clock: MoveClock | FischerClock
    games: Literal[1, 2] = 2
    minutes: Annotated[int, msgspec.Meta(ge=3, le=180)] | None = None
    entry: Entry = "open"
    names: Annotated[tuple[str, ...], msgspec.Meta(max_length=512)] | None = None
    bots: Bots = "no"
    chat: bool = False
    visibility: Visibility = "unlisted"


class FindTournament(Value):
    """The PIN of a tournament: six digits."""

    pin: Annotated[str, msgspec.Meta(max_length=64)]


class JoinTournament(Value):
    """The PIN of a tournament, and the name to play under: the player's own by default."""

    pin: Annotated[str, msgspec.Meta(max_length=64)]
    name: str | None = None


class NewTournamentAnswer(Value):
    """A new tournament, the link for its entrants, and the PIN, which the link contains in its fragment."""

    tournament: TournamentView
    url: str
    pin: str


class TournamentFound(Value):
    """A tournament before one joins it, and the names that are free; null if every name is."""

    tournament: TournamentView
    names: tuple[str, ...] | None


class JoinAnswer(Value):
    """The tournament that the caller joined, the address of its page, and the caller's number in it."""

    tournament: TournamentView
    url: str
    entrant: int


class TournamentsAnswer(Value):
    """Public tournaments, newest first."""

    tournaments: tuple[TournamentView, ...]


class StandingsAnswer(Value):
    """A page of the standings, and how many lines they have."""

    standings: tuple[RowView, ...]
    entrants: int


class MatchesAnswer(Value):
    """A page of the matches in the order of their numbers, and whether there are more."""

    matches: tuple[MatchView, ...]
    more: bool
