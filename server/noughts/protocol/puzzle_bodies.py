"""The bodies of HTTP requests and responses about puzzles."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from noughts.protocol.messages import (
    BoardMarks,
    FadingCell,
    ForcedBoard,
    OutcomeView,
    SmallBoards,
    VariantKey,
    VerdictView,
)
from noughts.puzzles.puzzle import Kind
from noughts.rules.outcome import Mark
from noughts.values import Value


class PuzzleView(Value, omit_defaults=True):
    """A position in which exactly one move keeps the value."""

    id: Annotated[str, Meta(description="the id")]
    variant: VariantKey
    kind: Annotated[Kind, Meta(description="what the right move does: it wins, holds a draw, or defends longest")]
    grade: Annotated[int, Meta(description="how hard it is, from 1 to 5")]
    moves: Annotated[tuple[str, ...], Meta(description="the cells that were filled, in order")]
    marks: BoardMarks
    turn: Annotated[Mark, Meta(description="the mark to move; null after the end")]
    legal: Annotated[tuple[str, ...], Meta(description="the cells that the side to move may fill")]
    plies: Annotated[
        int | None,
        Meta(
            description="moves until the win or loss against the longest defence; null if there is none or it is not known"
        ),
    ]
    boards: SmallBoards = msgspec.UNSET
    forced: ForcedBoard = msgspec.UNSET
    fading: FadingCell = msgspec.UNSET


class PuzzleAnswer(Value):
    """The next puzzle, null if none fits, and how many fit."""

    puzzle: Annotated[PuzzleView | None, Meta(description="the puzzle")]
    count: Annotated[int, Meta(description="how many puzzles fit the request")]


class DailyPuzzle(Value):
    """The puzzle of a day: the same on every server of a version."""

    puzzle: Annotated[PuzzleView, Meta(description="the puzzle")]
    date: Annotated[str, Meta(description="the day, as YYYY-MM-DD in UTC")]


class PuzzleTry(Value):
    """The solver's first move, the reply to it, the solver's second move, and so on. ``give_up`` asks for the line."""

    moves: Annotated[
        tuple[str, ...], Meta(max_length=64, description="your move, the reply, your next move, and so on")
    ] = ()
    give_up: Annotated[bool, Meta(description="whether to show the line instead")] = False


class PuzzlePosition(Value, omit_defaults=True):
    """The position after a try: what the board shows, and where the solver may play next."""

    moves: Annotated[tuple[str, ...], Meta(description="the cells that were filled, in order")]
    marks: BoardMarks
    turn: Annotated[Mark | None, Meta(description="the mark to move; null after the end")]
    legal: Annotated[tuple[str, ...], Meta(description="the cells that the side to move may fill")]
    outcome: Annotated[OutcomeView | None, Meta(description="how the game ended; null while it is on")]
    boards: SmallBoards = msgspec.UNSET
    forced: ForcedBoard = msgspec.UNSET
    fading: FadingCell = msgspec.UNSET


class PuzzleJudgement(Value):
    """The judgement of a try. After a wrong move ``reply`` punishes it. After giving up ``position`` ends the line."""

    right: Annotated[bool, Meta(description="whether the newest move is the right one")]
    reply: Annotated[str | None, Meta(description="the answer to your last move; null without one")]
    done: Annotated[bool, Meta(description="whether the puzzle is solved or given up")]
    line: Annotated[
        tuple[str, ...] | None,
        Meta(description="the whole solution, once the puzzle is solved or given up; null before"),
    ]
    verdict: Annotated[VerdictView | None, Meta(description="the verdict on the position; null after the end")]
    position: Annotated[PuzzlePosition, Meta(description="the position after the try")]
