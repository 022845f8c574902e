"""The results of a search: a verdict, an analysis, a move. All are for the side to move."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

from noughts.rules.outcome import Mark

Value: TypeAlias = Literal["win", "draw", "loss", "unknown"]
Proof: TypeAlias = Literal["exact", "book", "none"]

OPPOSITE: Final[Mapping[Value, Value]] = MappingProxyType(
    {"win": "loss", "draw": "draw", "loss": "win", "unknown": "unknown"}
)
"""The value of a position for the other side."""


class Verdict(NamedTuple):
    """The proved value of a position for the side to move, as if the game began there.

    ``plies`` is the number of moves to the end of a win or a loss against the longest defence, or None if that is not
    proved. ``proof`` is ``exact`` after a search to the end of the game, ``book`` if a table says so (``make prove``
    proves it again), and ``none`` for an unknown value.
    """

    value: Value
    plies: int | None
    proof: Proof


UNKNOWN: Final = Verdict("unknown", None, "none")


class Analysis(NamedTuple):
    """A verdict, ``best``, the cells (indices) proved to keep the value, and whether these are all that keep it.

    ``best`` holds winning moves of a won position, every legal move of a lost one, and nothing if the value is unknown.
    Unless ``complete``, a move that ``best`` lacks may keep the value too. A table may have a value without a move: then
    ``best`` is empty until a search proves one.
    """

    verdict: Verdict
    best: tuple[int, ...]
    complete: bool = False


class AnalysedPly(NamedTuple):
    """One position of a game: the mark to move, the verdict, the cells that keep the value, and whether these are all.

    After the end of the game ``turn`` and ``verdict`` are None, ``best`` is empty and ``complete`` is false.
    """

    ply: int
    turn: Mark | None
    verdict: Verdict | None
    best: tuple[int, ...]
    complete: bool = False


class Choice(NamedTuple):
    """The engine's move (the index of a cell) and the verdict of the position before it."""

    cell: int
    verdict: Verdict
