"""The messages of a tournament's socket, and what HTTP shows of a tournament, as types with the names on the wire."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from noughts.protocol.messages import BoardMarks, FadingCell, ForcedBoard, OutcomeView, SmallBoards, VariantKey
from noughts.room.clock import ClockSetting
from noughts.room.commands import Visibility
from noughts.room.seat import Person
from noughts.rules.by_mark import ByMark
from noughts.rules.outcome import Mark, Reason
from noughts.tournament.tournament import Bots, Decision, Entry, MatchState, Mode, RowState, State
from noughts.values import Tagged, Value


class TournamentView(Value):
    """A tournament as everybody may see it."""

    id: Annotated[str, Meta(description="the id")]
    version: Annotated[int, Meta(description="the change number, which rises by one with each change")]
    name: Annotated[str, Meta(description="its name")]
    mode: Annotated[Mode, Meta(description="how opponents are paired")]
    variant: VariantKey
    clock: Annotated[ClockSetting, Meta(description="the clock; null for none")]
    games: Annotated[int, Meta(description="how many games a match has")]
    entry: Annotated[Entry, Meta(description="how players get a name: any (`open`), or one from a list (`names`)")]
    names_free: Annotated[
        int | None, Meta(description="how many names a join may still give; null if players choose their names")
    ]
    bots: Annotated[Bots, Meta(description="whether bots may join: `no`, `yes`, or `only` bots")]
    chat: Annotated[bool, Meta(description="whether the rooms of the matches have a chat")]
    visibility: Annotated[Visibility, Meta(description="whether the lobby lists it")]
    state: Annotated[State, Meta(description="`open` for entrants, `running` or `over`")]
    host: Annotated[Person, Meta(description="the player who made the tournament")]
    entrants: Annotated[int, Meta(description="how many entrants there are")]
    waiting: Annotated[int, Meta(description="entrants who wait for an opponent")]
    playing: Annotated[int, Meta(description="entrants whose match is on")]
    round: Annotated[int, Meta(description="the round, from 1; 0 in an arena")]
    rounds: Annotated[int | None, Meta(description="how many rounds there are; null while that is not known")]
    created_ms: Annotated[int, Meta(description="when it was made")]
    started_ms: Annotated[int | None, Meta(description="when the tournament began; null before")]
    bell_ms: Annotated[
        int | None, Meta(description="when the bell rings, after which no match begins; null without a bell")
    ]
    over_ms: Annotated[int | None, Meta(description="when the tournament ended; null before")]


class RowView(Value):
    """A line of the standings. ``match`` is the number of the match that the entrant plays now."""

    rank: Annotated[int, Meta(description="the place in the standings, from 1; equal lines share it")]
    entrant: Annotated[int, Meta(description="the number of the entrant")]
    name: Annotated[str, Meta(description="the entrant's name")]
    points: Annotated[int, Meta(description="points: a win has 2, a draw 1")]
    wins: Annotated[int, Meta(description="won games")]
    draws: Annotated[int, Meta(description="drawn games")]
    losses: Annotated[int, Meta(description="lost games")]
    games: Annotated[int, Meta(description="finished games")]
    state: Annotated[
        RowState, Meta(description="whether the entrant plays, waits, pauses, has left, was removed, or is out")
    ]
    match: Annotated[int | None, Meta(description="the number of the match that the entrant plays now; null for none")]
    bot: Annotated[bool | msgspec.UnsetType, Meta(description="whether a program runs the player; absent for no")] = (
        msgspec.UNSET
    )


class EntrantView(Value):
    """An entrant: its number and its name in this tournament."""

    entrant: Annotated[int, Meta(description="the number of the entrant")]
    name: Annotated[str, Meta(description="the name shown to others")]


class MatchGameView(Value):
    """A finished game of a match: the entrant who had X, the winner, and whether the game counts."""

    number: Annotated[int, Meta(description="the number of the game in the match")]
    X: Annotated[int, Meta(description="the number of the entrant who had X")]
    winner: Annotated[int | None, Meta(description="the number of the winner; null for none")]
    reason: Annotated[Reason, Meta(description="why the game ended")]
    counts: Annotated[bool, Meta(description="whether the game gives points")]


class MatchView(Value):
    """A match. The second entrant and the room are null for a bye. ``decided_by`` says what decided a tie of a knockout."""

    n: Annotated[int, Meta(description="the number of the match")]
    round: Annotated[int, Meta(description="the round, from 1; 0 in an arena")]
    entrants: Annotated[
        tuple[EntrantView, EntrantView | None], Meta(description="the two entrants; null as the second for a bye")
    ]
    room: Annotated[str | None, Meta(description="the id of its room; null for a bye")]
    games: Annotated[tuple[MatchGameView, ...], Meta(description="the finished games")]
    points: Annotated[tuple[int, int], Meta(description="the points of both entrants")]
    state: Annotated[MatchState, Meta(description="`playing`, `over`, `forfeited` or `annulled`")]
    decided_by: Annotated[
        Decision | None,
        Meta(description="what decided a match with equal points: the `time` to think, or the `lot`; null otherwise"),
    ]


class OwnMatch(Value):
    """The match that the recipient plays now. The game is aborted without a first move by ``move_by_ms``."""

    n: Annotated[int, Meta(description="the number of the match")]
    room: Annotated[str, Meta(description="the id of the room")]
    mark: Annotated[Mark, Meta(description="your mark")]
    opponent: Annotated[EntrantView, Meta(description="the other side")]
    move_by_ms: Annotated[int, Meta(description="when the game is aborted without a first move")]


class TournamentYou(Value):
    """What the recipient is and can do. ``marked`` are entrants who keep resigning before their first move, for the host."""

    entrant: Annotated[int | None, Meta(description="your number; null if you are no entrant")]
    host: Annotated[bool, Meta(description="whether you are the host")]
    can: Annotated[
        tuple[str, ...], Meta(description="commands that are possible now, some with their choice after a colon")
    ]
    row: Annotated[RowView | None, Meta(description="your line of the standings; null if you are no entrant")]
    match: Annotated[OwnMatch | None, Meta(description="the match that you play now; null for none")]
    marked: Annotated[
        tuple[int, ...] | msgspec.UnsetType,
        Meta(description="entrants who keep resigning before their first move; for the host only"),
    ] = msgspec.UNSET


class TournamentNews(Tagged, tag="tournament"):
    """The part of a :class:`TournamentMessage` that is the same for everybody. ``top`` are the first of the standings."""

    tournament: Annotated[TournamentView, Meta(description="the tournament")]
    top: Annotated[tuple[RowView, ...], Meta(description="the first lines of the standings")]


class TournamentMessage(TournamentNews, tag="tournament"):
    """A tournament with the standings around the recipient. Only the host and the entrants get the ``pin``."""

    you: Annotated[TournamentYou, Meta(description="what the recipient is and can do")]
    around: Annotated[tuple[RowView, ...], Meta(description="the lines of the standings around the recipient's own")]
    pin: Annotated[str | msgspec.UnsetType, Meta(description="the PIN; for the host and the entrants only")] = (
        msgspec.UNSET
    )


class BoardView(Value):
    """The board of a match that is on, or that has ended a moment ago."""

    room: Annotated[str, Meta(description="the id of the room")]
    match: Annotated[int, Meta(description="the number of the match")]
    number: Annotated[int, Meta(description="the number of the game in its room, from 1")]
    entrants: Annotated[ByMark[EntrantView], Meta(description="the two entrants, by mark")]
    marks: BoardMarks
    last: Annotated[str | None, Meta(description="the cell of the last move")]
    turn: Annotated[Mark | None, Meta(description="the mark to move; null after the end")]
    outcome: Annotated[OutcomeView | None, Meta(description="how the game ended; null while it is on")]
    boards: SmallBoards = msgspec.UNSET
    forced: ForcedBoard = msgspec.UNSET
    fading: FadingCell = msgspec.UNSET


class Boards(Tagged):
    """The leaders' boards, for a client that sent ``watch``."""

    boards: Annotated[tuple[BoardView, ...], Meta(description="the boards, best match first")]
