"""The messages of a tournament's socket, and what HTTP shows of a tournament, as types with the names on the wire."""

from __future__ import annotations

from typing import Literal

import msgspec

from noughts.protocol.messages import OutcomeView
from noughts.room.clock import ClockSetting
from noughts.room.commands import Visibility
from noughts.room.seat import Person
from noughts.rules.by_mark import ByMark
from noughts.rules.outcome import Mark, Reason
from noughts.tournament.tournament import Bots, Decision, Entry, MatchState, Mode, RowState, State
from noughts.values import Tagged, Value


class TournamentView(Value):
    """A tournament as everybody may see it. ``names_free`` counts the names that a join may still give.

    ``waiting`` and ``playing`` count entrants. ``round`` is 0 in an arena, and ``rounds`` null while it is not known.
    """

    id: str
    version: int
    name: str
    mode: Mode
    variant: str
    clock: ClockSetting
    games: int
    entry: Entry
    names_free: int | None
    bots: Bots
    chat: bool
    visibility: Visibility
    state: State
    host: Person
    entrants: int
    waiting: int
    playing: int
    round: int
    rounds: int | None
    created_ms: int
    started_ms: int | None
    bell_ms: int | None
    over_ms: int | None


class RowView(Value):
    """A line of the standings. ``match`` is the number of the match that the entrant plays now."""

    rank: int
    entrant: int
    name: str
    points: int
    wins: int
    draws: int
    losses: int
    games: int
    state: RowState
    match: int | None
    bot: bool | msgspec.UnsetType = msgspec.UNSET


class EntrantView(Value):
    """An entrant: its number and its name in this tournament."""

    entrant: int
    name: str


class MatchGameView(Value):
    """A finished game of a match: the entrant who had X, the winner, and whether the game counts."""

    number: int
    X: int
    winner: int | None
    reason: Reason
    counts: bool


class MatchView(Value):
    """A match. The second entrant and the room are null for a bye. ``decided_by`` says what decided a tie of a knockout."""

    n: int
    round: int
    entrants: tuple[EntrantView, EntrantView | None]
    room: str | None
    games: tuple[MatchGameView, ...]
    points: tuple[int, int]
    state: MatchState
    decided_by: Decision | None


class OwnMatch(Value):
    """The match that the recipient plays now. The game is aborted without a first move by ``move_by_ms``."""

    n: int
    room: str
    mark: Mark
    opponent: EntrantView
    move_by_ms: int


class TournamentYou(Value):
    """What the recipient is and can do. ``marked`` are entrants who keep resigning before their first move, for the host."""

    entrant: int | None
    host: bool
    can: tuple[str, ...]
    row: RowView | None
    match: OwnMatch | None
    marked: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET


class TournamentNews(Tagged, tag="tournament"):
    """The part of a :class:`TournamentMessage` that is the same for everybody. ``top`` are the first of the standings."""

    tournament: TournamentView
    top: tuple[RowView, ...]


class TournamentMessage(TournamentNews, tag="tournament"):
    """A tournament with the standings around the recipient. Only the host and the entrants get the ``pin``."""

    you: TournamentYou
    around: tuple[RowView, ...]
    pin: str | msgspec.UnsetType = msgspec.UNSET


class BoardView(Value):
    """The board of a match that is on or has just ended. ``last`` is the cell of the last move.

    The last position of each game stays among the boards for a moment.

    ``boards`` and ``forced`` are present in ultimate, ``fading`` in vanishing, as in a room's game.
    """

    room: str
    match: int
    number: int
    entrants: ByMark[EntrantView]
    marks: dict[str, Mark]
    last: str | None
    turn: Mark | None
    outcome: OutcomeView | None
    boards: tuple[Mark | Literal["draw"] | None, ...] | msgspec.UnsetType = msgspec.UNSET
    forced: int | msgspec.UnsetType | None = msgspec.UNSET
    fading: str | msgspec.UnsetType | None = msgspec.UNSET


class Boards(Tagged):
    """The leaders' boards, for a client that sent ``watch``."""

    boards: tuple[BoardView, ...]
