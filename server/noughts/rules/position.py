"""Positions: marks on cells and the side to move, immutable.

:class:`Position` is the small interface that the room and the engine rely on; :class:`FamilyPosition` serves every
member of the family, :class:`~noughts.rules.ultimate.UltimatePosition` the one game with rules of its own.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

from noughts.rules.outcome import Mark, Outcome
from noughts.rules.variant import Variant, lines_through


class Position(Protocol):
    """What every game's position can tell. Cells are indices; ``x`` and ``o`` are bit masks of marks."""

    @property
    def variant(self) -> Variant: ...
    @property
    def ply(self) -> int: ...
    @property
    def x(self) -> int: ...
    @property
    def o(self) -> int: ...

    @property
    def turn(self) -> Mark:
        """The mark to move (X on even plies), also after the end."""
        ...

    @property
    def key(self) -> Hashable:
        """Equal for positions with the same future: marks, in vanishing with their age, and the side to move."""
        ...

    @property
    def fading(self) -> int | None:
        """The cell of the mark that leaves with the next move."""
        ...

    @property
    def boards(self) -> tuple[Mark | str | None, ...] | None:
        """Ultimate: who has each of the nine small boards (``"draw"`` when full without a line)."""
        ...

    @property
    def forced(self) -> int | None:
        """Ultimate: the one small board that the side to move must play in."""
        ...

    def legal(self) -> tuple[int, ...]:
        """The cells that may be filled, in the order of their indices; meaningless after the end."""
        ...

    def allows(self, cell: int) -> bool:
        """Whether ``cell`` is one of :meth:`legal`, without making the list."""
        ...

    def play(self, cell: int) -> Position:
        """The position after filling ``cell``, which must be legal."""
        ...

    def ended(self, last: int) -> Outcome | None:
        """The outcome, if the move to ``last``, the one that led here, ended the game by marks alone."""
        ...


@dataclass(frozen=True, slots=True)
class FamilyPosition:
    """A position of any variant of the family.

    ``ages`` is kept only where marks vanish: the cells of the marks on the board, oldest first, both sides in turn.
    """

    variant: Variant
    x: int = 0
    o: int = 0
    ply: int = 0
    ages: tuple[int, ...] = ()

    @property
    def turn(self) -> Mark:
        return "O" if self.ply & 1 else "X"

    @property
    def key(self) -> Hashable:
        return (self.x, self.o, self.ply & 1, self.ages)

    @property
    def boards(self) -> None:
        return None

    @property
    def forced(self) -> None:
        return None

    @property
    def fading(self) -> int | None:
        kept = self.variant.marks_kept
        if kept is None or len(self.ages) < 2 * kept:
            return None
        return self.ages[0]

    def legal(self) -> tuple[int, ...]:
        variant = self.variant
        taken = self.x | self.o
        if not variant.gravity:
            return tuple([cell for cell in range(variant.cells) if not taken >> cell & 1])
        columns, rows = variant.columns, variant.rows
        lowest = []
        for column in range(columns):
            for row in range(rows - 1, -1, -1):
                cell = row * columns + column
                if not taken >> cell & 1:
                    lowest.append(cell)
                    break
        return tuple(sorted(lowest))

    def allows(self, cell: int) -> bool:
        taken = self.x | self.o
        if taken >> cell & 1:
            return False
        below = cell + self.variant.columns
        return not self.variant.gravity or below >= self.variant.cells or bool(taken >> below & 1)

    def play(self, cell: int) -> FamilyPosition:
        x, o, ages = self.x, self.o, self.ages
        if self.variant.marks_kept is not None:
            fading = self.fading
            if fading is not None:
                ages = ages[1:]
                x &= ~(1 << fading)
                o &= ~(1 << fading)
            ages = (*ages, cell)
        if self.ply & 1:
            o |= 1 << cell
        else:
            x |= 1 << cell
        return FamilyPosition(self.variant, x, o, self.ply + 1, ages)

    def ended(self, last: int) -> Outcome | None:
        variant = self.variant
        mover: Mark = "X" if self.ply & 1 else "O"
        marks = self.x if self.ply & 1 else self.o
        completed = 0
        for line in lines_through(variant.shape, variant.line)[last]:
            if marks & line == line:
                completed |= line
        if completed:
            cells = tuple(cell for cell in range(variant.cells) if completed >> cell & 1)
            loses = variant.misere
            return Outcome(("O" if mover == "X" else "X") if loses else mover, "line", cells)
        if variant.marks_kept is None and self.ply == variant.cells:
            return Outcome(None, "full_board")
        return None
