"""Positions: marks on cells and the side to move, immutable.

:class:`Position` is the small interface that the room and the engine rely on. :class:`FamilyPosition` serves every
member of the family, :class:`~noughts.rules.ultimate.UltimatePosition` the one game with rules of its own.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar, Protocol

from noughts.rules.geometry import chosen
from noughts.rules.outcome import MARKS, Decision, Mark, Outcome, other
from noughts.rules.variant import Variant
from noughts.values import Value


class Position(Protocol):
    """The interface of every game's position. Cells are indices; ``x`` and ``o`` are bit masks of marks."""

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
        """Vanishing: the cell of the mark that leaves with the next move."""
        ...

    @property
    def boards(self) -> tuple[Decision, ...] | None:
        """Ultimate: the mark that has won each of the nine small boards, or ``"draw"``, or None while it is open."""
        ...

    @property
    def forced(self) -> int | None:
        """Ultimate: the one small board that the side to move must play in."""
        ...

    @property
    def playable(self) -> int:
        """The cells that may be filled, as a mask; meaningless after the end."""
        ...

    def legal(self) -> tuple[int, ...]:
        """Return the cells of :attr:`playable`, in the order of their indices."""
        ...

    def allows(self, cell: int) -> bool:
        """Return whether ``cell``, an index of this board, is one of :meth:`legal`."""
        ...

    def play(self, cell: int) -> Position:
        """Return the position after filling ``cell``, which must be legal."""
        ...

    def ended(self, last: int) -> Outcome | None:
        """Return the outcome, if the move to ``last``, the one that led here, ended the game by marks alone."""
        ...


def sides(position: Position) -> tuple[int, int]:
    """Return the marks of the side to move and of the opponent."""
    return (position.o, position.x) if position.ply & 1 else (position.x, position.o)


class FamilyPosition(Value):
    """A position of any variant of the family.

    ``ages`` is kept only where marks vanish: the cells of the marks on the board, oldest first, both sides in turn.
    """

    variant: Variant
    x: int = 0
    o: int = 0
    ply: int = 0
    ages: tuple[int, ...] = ()
    boards: ClassVar[None] = None
    forced: ClassVar[None] = None

    @property
    def turn(self) -> Mark:
        return MARKS[self.ply & 1]

    @property
    def key(self) -> Hashable:
        return (self.x, self.o, self.ply & 1, self.ages)

    @property
    def fading(self) -> int | None:
        kept = self.variant.marks_kept
        if kept is None or len(self.ages) < 2 * kept:
            return None
        return self.ages[0]

    @property
    def playable(self) -> int:
        variant = self.variant
        taken = self.x | self.o
        if not variant.gravity:
            return variant.full ^ taken
        return (variant.full ^ taken) & (taken >> variant.columns | variant.bottom)

    def legal(self) -> tuple[int, ...]:
        return chosen(self.variant.every_cell, self.playable)

    def allows(self, cell: int) -> bool:
        taken = self.x | self.o
        if taken >> cell & 1:
            return False
        return not self.variant.gravity or bool(self.playable >> cell & 1)

    def play(self, cell: int) -> FamilyPosition:
        variant, ply, x, o = self.variant, self.ply, self.x, self.o
        if ply & 1:
            o |= 1 << cell
        else:
            x |= 1 << cell
        if variant.marks_kept is None:
            return FamilyPosition(variant, x, o, ply + 1)
        ages = self.ages
        if len(ages) >= 2 * variant.marks_kept:
            stays = ~(1 << ages[0])
            x &= stays
            o &= stays
            ages = ages[1:]
        return FamilyPosition(variant, x, o, ply + 1, (*ages, cell))

    def ended(self, last: int) -> Outcome | None:
        variant = self.variant
        marks = self.x if self.ply & 1 else self.o
        completed = 0
        for line in variant.lines_through[last]:
            if marks & line == line:
                completed |= line
        if completed:
            mover = MARKS[(self.ply & 1) ^ 1]
            winner = other(mover) if variant.misere else mover
            return Outcome(winner, "line", chosen(variant.every_cell, completed))
        if self.ply == variant.cells and variant.marks_kept is None:
            return Outcome(None, "full_board")
        return None
