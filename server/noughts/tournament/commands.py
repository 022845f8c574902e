"""Commands to a tournament.

Those of its host and its entrants are decoded from the wire straight into these types. The others come from the application:
a join over HTTP, a deadline, what the rooms of matches report, the end of a player's account.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from noughts.room.commands import Command
from noughts.room.seat import Person
from noughts.rules.outcome import Mark, Reason
from noughts.tournament.tournament import Match
from noughts.values import Value

Number: TypeAlias = Annotated[int, Meta(ge=1, le=1_000_000)]
Minutes: TypeAlias = Annotated[int, Meta(ge=1, le=180)]


class Leave(Command):
    """Leave the tournament. In the middle of a match that resigns its game and forfeits the rest."""


class Pause(Command):
    """Play no further match until you resume."""


class Unpause(Command, tag="resume"):
    """Take part again."""


class Start(Command):
    """Begin, as the host."""


class Stop(Command):
    """Ring the bell now, as the host: no further match begins."""


class Extend(Command):
    """Move the bell of an arena, as the host."""

    minutes: Annotated[Minutes, Meta(description="minutes by which the bell moves to a later time")]


class Remove(Command):
    """Remove an entrant for good, as the host."""

    entrant: Annotated[Number, Meta(description="the number of the entrant")]


class FreeEntrant(Command, tag="free"):
    """Remove an entrant and free its name, as the host: the player may join again."""

    entrant: Annotated[Number, Meta(description="the number of the entrant")]


class RenameEntrant(Command, tag="rename"):
    """Give an entrant another name in this tournament, as the host."""

    entrant: Annotated[Number, Meta(description="the number of the entrant")]
    name: Annotated[str, Meta(max_length=240, description="the new name")]


class Annul(Command):
    """Annul a match, as the host. In a knockout it is played again."""

    match: Annotated[Number, Meta(description="the number of the match")]


class Watch(Command):
    """Receive so many of the leaders' boards. The connection answers: it never reaches a tournament."""

    boards: Annotated[int, Meta(ge=0, le=16, description="how many boards you want; 0 for none")]


TournamentCommand: TypeAlias = (
    Leave | Pause | Unpause | Start | Stop | Extend | Remove | FreeEntrant | RenameEntrant | Annul
)


class Request(Value):
    """A command, with the player who sent it. ``record`` is the finished match that an ``Annul`` names, if there is one."""

    by: Person
    command: TournamentCommand
    record: Match | None = None


class Join(Value):
    """A player joins, with a name or under the player's own."""

    by: Person
    name: str | None = None


class Ending(Value):
    """The end of a game. ``ply`` is the number of moves, ``thought_ms`` the time that X and O took to think."""

    winner: Mark | None
    reason: Reason
    ply: int
    thought_ms: tuple[int, int]
    data: bytes = b""
    """The game as it is stored."""


class Report(Value):
    """What the room of a match shows: the number of its newest game, and the end of that game, None while it is on.

    ``gone`` says that the room does not exist any more.
    """

    match: int
    game: int
    ending: Ending | None = None
    gone: bool = False


class Reported(Value):
    """Reports of rooms. A report that the tournament has taken into account changes nothing."""

    reports: tuple[Report, ...]


class Forget(Value):
    """A player's guest account is deleted. An entrant who still takes part leaves."""

    player: str


class Recount(Value):
    """Compute all totals again from the finished matches of this version. It is stale for any other version."""

    version: int
    finished: tuple[Match, ...]


class Discard(Value):
    """Delete the tournament, for the operator."""


class Wake(Value):
    """Carry out what is due: the time of ``wake_at_ms`` has come."""


AnyCommand: TypeAlias = Request | Join | Reported | Forget | Recount | Discard | Wake
