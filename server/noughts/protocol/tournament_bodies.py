"""The bodies of HTTP requests and responses about tournaments."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from noughts.protocol.messages import VariantKey
from noughts.protocol.tournament_messages import MatchView, RowView, TournamentView
from noughts.room.clock import FischerClock, MoveClock
from noughts.room.commands import Visibility
from noughts.tournament.tournament import Bots, Entry, Mode
from noughts.values import Value


class NewTournament(Value):
    """A new tournament. ``minutes`` is the length of an arena. With the entry ``names``, a join gives one of ``names``."""

    name: Annotated[str, Meta(description="its name")]
    mode: Annotated[Mode, Meta(description="how opponents are paired")]
    variant: VariantKey
    clock: Annotated[MoveClock | FischerClock, Meta(description="the clock; null for none")]
    games: Annotated[Literal[1, 2], Meta(description="how many games a match has")] = 2
    minutes: Annotated[
        Annotated[int, Meta(ge=3, le=180)] | None, Meta(description="the length of an arena in minutes")
    ] = None
    entry: Annotated[Entry, Meta(description="how players get a name: any (`open`), or one from a list (`names`)")] = (
        "open"
    )
    names: Annotated[
        Annotated[tuple[str, ...], Meta(max_length=512)] | None,
        Meta(description="the names for entrants, with the entry `names`"),
    ] = None
    bots: Annotated[Bots, Meta(description="whether bots may join: `no`, `yes`, or `only` bots")] = "no"
    chat: Annotated[bool, Meta(description="whether the rooms of the matches have a chat")] = False
    visibility: Annotated[Visibility, Meta(description="whether the lobby lists it")] = "unlisted"


class FindTournament(Value):
    """The PIN of a tournament: six digits."""

    pin: Annotated[str, Meta(max_length=64, description="the PIN that lets players join")]


class JoinTournament(Value):
    """The PIN of a tournament, and the name to play under: the player's own by default."""

    pin: Annotated[str, Meta(max_length=64, description="the PIN that lets players join")]
    name: Annotated[str | None, Meta(description="the name to play under; your own if absent")] = None


class NewTournamentAnswer(Value):
    """A new tournament, the link for its entrants, and the PIN, which the link contains in its fragment."""

    tournament: Annotated[TournamentView, Meta(description="the tournament")]
    url: Annotated[str, Meta(description="the link to its page")]
    pin: Annotated[str, Meta(description="the PIN that lets players join")]


class TournamentFound(Value):
    """A tournament before one joins it, and the names that are free; null if every name is."""

    tournament: Annotated[TournamentView, Meta(description="the tournament")]
    names: Annotated[tuple[str, ...] | None, Meta(description="the names that a join may give")]


class JoinAnswer(Value):
    """The tournament that the caller joined, the address of its page, and the caller's number in it."""

    tournament: Annotated[TournamentView, Meta(description="the tournament")]
    url: Annotated[str, Meta(description="the link to its page")]
    entrant: Annotated[int, Meta(description="your number")]


class TournamentsAnswer(Value):
    """Public tournaments, newest first."""

    tournaments: Annotated[tuple[TournamentView, ...], Meta(description="whether players can make tournaments")]


class StandingsAnswer(Value):
    """A page of the standings, and how many lines they have."""

    standings: Annotated[tuple[RowView, ...], Meta(description="the lines of the standings, best first")]
    entrants: Annotated[int, Meta(description="how many entrants there are")]


class MatchesAnswer(Value):
    """A page of the matches in the order of their numbers, and whether there are more."""

    matches: Annotated[tuple[MatchView, ...], Meta(description="the matches, by their numbers")]
    more: Annotated[bool, Meta(description="whether there are matches after this page")]
