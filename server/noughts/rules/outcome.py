"""Marks, and how a game ends."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

Mark: TypeAlias = Literal["X", "O"]
Reason: TypeAlias = Literal[
    "line",
    "full_board",
    "resignation",
    "timeout",
    "abandoned",
    "agreement",
    "repetition",
    "ply_limit",
    "aborted",
]

MARKS: Final[tuple[Mark, Mark]] = ("X", "O")


def other(mark: Mark) -> Mark:
    """The opponent's mark."""
    return "O" if mark == "X" else "X"


class Outcome(NamedTuple):
    """Who won (None: nobody) and why; ``cells`` are those of the lines that the last move completed."""

    winner: Mark | None
    reason: Reason
    cells: tuple[int, ...] = ()
