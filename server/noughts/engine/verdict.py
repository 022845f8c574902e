"""What the engine knows of a position, for the side to move."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

Value: TypeAlias = Literal["win", "draw", "loss", "unknown"]
Proof: TypeAlias = Literal["exact", "book", "none"]


class Verdict(NamedTuple):
    """The proved value of a position for the side to move, as if the game began there.

    ``plies``: moves to the end of a win or a loss against the longest defence, where known. ``proof``: searched to the
    end here (``exact``), read from a table that ``noughts prove`` can prove again (``book``), or ``none`` with unknown.
    """

    value: Value
    plies: int | None
    proof: Proof


UNKNOWN: Final = Verdict("unknown", None, "none")


class Analysis(NamedTuple):
    """A verdict and ``best``, the cells proved to keep the value, by index: all winning moves of a won position, all
    legal ones of a lost one, none when unknown."""

    verdict: Verdict
    best: tuple[int, ...]


class Choice(NamedTuple):
    """The engine's move, and what it knows of the position that it moved in."""

    cell: int
    verdict: Verdict
