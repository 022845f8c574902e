"""Marks, and how a game ends."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from noughts.values import Value

Mark: TypeAlias = Literal["X", "O"]
Decision: TypeAlias = Literal["X", "O", "draw"] | None
"""How a small board of ultimate ended; None while it is open."""
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
    "bell",
]

MARKS: Final[tuple[Mark, Mark]] = ("X", "O")
"""Both marks. The mark that makes the move after ``ply`` moves is ``MARKS[ply & 1]``."""


def other(mark: Mark) -> Mark:
    """Return the opponent's mark."""
    return "O" if mark == "X" else "X"


class Outcome(Value, array_like=True):
    """The winner (None in a draw or an aborted game) and the reason.

    ``cells`` are the indices of all cells in the lines that the last move completed, in ascending order; empty for any
    reason but ``line``. Stored rooms hold an outcome as an array, so the order of the fields must stay.
    """

    winner: Mark | None
    reason: Reason
    cells: tuple[int, ...] = ()
