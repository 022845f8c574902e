"""The moment of a step, which it takes with the tournament and the command, and the transition that it returns."""

from __future__ import annotations

import random
from typing import Final, TypeAlias

from msgspec.structs import replace

from noughts.room.downtime import Downtime
from noughts.tournament.tournament import Match, Tournament
from noughts.values import Tagged, Value

DAY_MS: Final = 86_400_000


class Policy(Value):
    """The operator's rules for tournaments. Durations are milliseconds."""

    kept_ms: int = 30 * DAY_MS
    """How long a tournament that is over is kept."""
    unstarted_ms: int = DAY_MS
    """How long a tournament is kept that is not started."""


class Moment(Value):
    """The circumstances of a step: the time, the operator's rules, a random number, and the downtime so far.

    ``full`` says that the network that made the tournament has as many matches as it may have.
    """

    now_ms: int
    policy: Policy
    chance: int
    downtimes: tuple[Downtime, ...] = ()
    full: bool = False

    def lots(self, tournament: Tournament) -> random.Random:
        """Return the lots of this step. They differ between the changes of one step."""
        return random.Random((self.chance << 20) + tournament.match_count + tournament.round)


class Began(Tagged):
    """A match has begun: its room is ready."""

    match: int


class Started(Tagged):
    """The tournament has started."""


class Ended(Tagged):
    """The tournament, which had started, is over."""


Event: TypeAlias = Began | Started | Ended


class Transition(Value):
    """A tournament after a change.

    ``finished`` are the matches that ended with the change, or that were annulled. ``games`` are games that ended: the
    match, the number of the game, and its bytes. All of them are stored outside the tournament.
    """

    tournament: Tournament
    events: tuple[Event, ...] = ()
    finished: tuple[Match, ...] = ()
    games: tuple[tuple[int, int, bytes], ...] = ()

    def then(self, later: Transition) -> Transition:
        """Return this transition and a later one as a single transition."""
        return Transition(
            later.tournament,
            self.events + later.events,
            self.finished + later.finished,
            self.games + later.games,
        )

    def of(self, tournament: Tournament) -> Transition:
        """Return the same transition with another tournament after it."""
        return replace(self, tournament=tournament)
