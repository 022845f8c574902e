"""The tournament as one frozen value, and the facts that follow from it. Only :mod:`noughts.tournament.step` changes it.

The value has the entrants with their totals and the matches that are on. A finished match is stored outside it and never
changes again, unless the host annuls it. So the size of the value is bounded.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from msgspec.structs import replace

from noughts.room.clock import ClockSetting
from noughts.room.commands import Visibility
from noughts.room.seat import Player
from noughts.rules.outcome import Reason
from noughts.values import Value

Mode: TypeAlias = Literal["arena", "round_robin", "knockout"]
Entry: TypeAlias = Literal["open", "names"]
Bots: TypeAlias = Literal["no", "yes", "only"]
State: TypeAlias = Literal["open", "running", "over"]
Standing: TypeAlias = Literal["here", "paused", "left", "removed", "out"]
"""Whether an entrant takes part. One who is out has no further match: the loser of a knockout, or absent twice."""
RowState: TypeAlias = Literal["waiting", "playing", "paused", "left", "removed", "out"]
Stage: TypeAlias = Literal["room", "on", "next"]
"""What a match that is on needs: its room, the end of its game, or the start of its next game."""
MatchState: TypeAlias = Literal["playing", "over", "forfeited", "annulled"]
Decision: TypeAlias = Literal["time", "lot"]
"""What decided a match of a knockout in which both sides have the same points."""

MAX_ENTRANTS: Final = 512
MAX_ROUND_ROBIN: Final = 40
MAX_ANNULLED: Final = 64
"""Annulled matches that the value knows. The record of an earlier one says that it is annulled."""
WIN: Final = 2
"""Points of a win."""
DRAW: Final = 1
_INVISIBLE: Final = re.compile("[\u00ad\u034f\u180e\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]")
"""Characters without a shape: joiners, soft hyphens, selectors and tags."""
_LOOK_ALIKES: Final = str.maketrans(
    "АВЕЗКМНОРСТУХЅІЈҮԚԜҺавезкморсухѕіјүӏԁԛԝһΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορυχ",
    "ABE3KMHOPCTYXSIJYQWHabe3kmopcyxsijyldqwhABEZHIKMNOPTYXaiknopux",
)
"""Capital and small letters of Cyrillic, then of Greek, and the Latin ones that look like them."""
BYE: Final = 0
"""Stands for the missing opponent of a bye."""


class Entrant(Value, array_like=True):
    """A player in this tournament, and the totals of all its matches.

    ``since_ms`` is when the entrant last became free. ``last`` is the number of the last opponent, 0 without one.
    ``sat_out`` says that the last pairing left the entrant out. ``absences`` counts matches to which the entrant did not
    come, ``quits`` games resigned before the first move. ``reached`` is the round of the entrant's last match, one more for
    the winner of a knockout. ``scores`` are the points, other than none, against each opponent of a round robin. The name
    of an entrant who was freed may be taken again. One who was removed after that, or without it, is barred.
    """

    number: int
    player: str
    name: str
    bot: bool = False
    standing: Standing = "here"
    points: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    games: int = 0
    x_games: int = 0
    since_ms: int = 0
    last: int = 0
    sat_out: bool = False
    absences: int = 0
    quits: int = 0
    matches: int = 0
    reached: int = 0
    scores: tuple[tuple[int, int], ...] = ()
    freed: bool = False
    barred: bool = False

    @property
    def seated(self) -> Player:
        """The player who has a seat in the rooms of this entrant's matches."""
        return Player(self.player, self.bot)

    @property
    def gone(self) -> bool:
        """Whether the entrant has left or was removed."""
        return self.standing in ("left", "removed")

    @property
    def hidden(self) -> bool:
        """Whether the standings leave the entrant out: removed before its first match."""
        return self.standing == "removed" and not self.matches


class MatchGame(Value, array_like=True):
    """A finished game of a match. ``thought_ms`` is the time to think of the match's first and second entrant."""

    number: int
    x: int
    winner: int | None
    reason: Reason
    counts: bool = True
    thought_ms: tuple[int, int] = (0, 0)


class Match(Value, array_like=True):
    """A match of two entrants, by number. ``first`` has X in the first game. A bye has :data:`BYE` as its second.

    ``advances`` is who goes on to the next round of a knockout.
    """

    number: int
    round: int
    first: int
    second: int
    began_ms: int
    stage: Stage = "room"
    games: tuple[MatchGame, ...] = ()
    state: MatchState = "playing"
    points: tuple[int, int] = (0, 0)
    decided_by: Decision | None = None
    advances: int = 0

    @property
    def game(self) -> int:
        """The number of the game that is on, or comes next."""
        return len(self.games) + 1

    @property
    def x(self) -> int:
        """The entrant who has X in that game."""
        return self.first if self.game % 2 else self.second

    @property
    def sides(self) -> tuple[int, int]:
        """Both entrants."""
        return self.first, self.second

    def other(self, entrant: int) -> int:
        """Return the opponent of an entrant."""
        return self.second if entrant == self.first else self.first

    @property
    def leader(self) -> int | None:
        """The entrant with more points; None if both have as many."""
        if self.points[0] == self.points[1]:
            return None
        return self.first if self.points[0] > self.points[1] else self.second


class Tournament(Value, array_like=True):
    """A tournament. ``version`` rises by one with every change; ``used_ms`` is the time of the last one.

    ``secret`` and the number of a match give the id of the match's room. ``names`` are those that a join must give one of.
    ``matches`` are those that are on, ``match_count`` counts all. ``slots`` are the entrants of a knockout's present round
    in the order of the bracket, ``winners`` those of its matches. In a round robin ``slots`` are the pairs of its first
    round, X first, and ``order`` are the entrants around the circle.
    ``pair_at_ms`` is when entrants are next paired. ``rung`` says that the bell has rung, and ``closing`` that matches which
    are still on five minutes later are being ended. ``annulled`` are the numbers of the newest annulled matches,
    ``to_close`` annulled matches whose rooms have yet to be closed.
    """

    id: str
    version: int
    name: str
    mode: Mode
    variant: str
    clock: ClockSetting
    host: Player
    secret: bytes
    pin: str
    created_ms: int
    used_ms: int
    games: int = 2
    minutes: int | None = None
    entry: Entry = "open"
    names: tuple[str, ...] = ()
    bots: Bots = "no"
    chat: bool = False
    visibility: Visibility = "unlisted"
    state: State = "open"
    started_ms: int | None = None
    bell_ms: int | None = None
    over_ms: int | None = None
    entrants: tuple[Entrant, ...] = ()
    matches: tuple[Match, ...] = ()
    match_count: int = 0
    round: int = 0
    slots: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()
    order: tuple[int, ...] = ()
    pair_at_ms: int | None = None
    rung: bool = False
    closing: bool = False
    annulled: tuple[int, ...] = ()
    closed: bool = False
    to_close: tuple[Match, ...] = ()

    def entrant(self, number: int) -> Entrant:
        """Return an entrant. Entrants are numbered from 1 in the order in which they joined."""
        return self.entrants[number - 1]

    def has_entrant(self, number: int) -> bool:
        """Return whether there is an entrant of this number."""
        return 1 <= number <= len(self.entrants)

    def match(self, number: int) -> Match | None:
        """Return a match that is on; None for any other."""
        for match in self.matches:
            if match.number == number:
                return match
        return None

    def match_of(self, entrant: int) -> Match | None:
        """Return the match that an entrant plays now; None without one."""
        for match in self.matches:
            if entrant in match.sides:
                return match
        return None

    @property
    def rounds(self) -> int | None:
        """The number of rounds: None in an arena, and in the first round of a round robin, which still takes entrants."""
        if self.mode == "knockout" and self.slots:
            return self.round + len(self.slots).bit_length() - 2
        return len(self.order) - 1 if self.order else None


def most_entrants(mode: Mode) -> int:
    """Return the most entrants of a tournament in this mode."""
    return MAX_ROUND_ROBIN if mode == "round_robin" else MAX_ENTRANTS


def with_entrant(tournament: Tournament, entrant: Entrant) -> Tournament:
    """Return the tournament with an entrant in place of the one with its number, or after all others."""
    entrants = list(tournament.entrants)
    entrants[entrant.number - 1 : entrant.number] = [entrant]
    return replace(tournament, entrants=tuple(entrants))


def with_match(tournament: Tournament, match: Match) -> Tournament:
    """Return the tournament with a match in place of the one with its number."""
    matches = tuple([match if each.number == match.number else each for each in tournament.matches])
    return replace(tournament, matches=matches)


def entrant_of(tournament: Tournament, player: str) -> Entrant | None:
    """Return the entrant who is this player; None for any other player."""
    for entrant in tournament.entrants:
        if entrant.player == player:
            return entrant
    return None


def playing(tournament: Tournament) -> dict[int, Match]:
    """Return the entrants who play now, each with the match."""
    return {side: match for match in tournament.matches for side in match.sides}


def taken_names(tournament: Tournament, but: int = 0) -> set[str]:
    """Return the folded names of the entrants, except that of the entrant with this number."""
    return {folded(each.name) for each in tournament.entrants if not each.freed and each.number != but}


def free_names(tournament: Tournament) -> tuple[str, ...]:
    """Return the names that a join may still give, in their order."""
    taken = taken_names(tournament)
    return tuple([name for name in tournament.names if folded(name) not in taken])


@lru_cache(maxsize=4 * MAX_ENTRANTS)
def folded(name: str) -> str:
    """Return what two names have in common that look the same.

    It has no capitals, wide forms, invisible or doubled spaces. Cyrillic and Greek letters that look like Latin ones are
    those.
    """
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", name))
    return " ".join(visible.translate(_LOOK_ALIKES).casefold().translate(_LOOK_ALIKES).split())
