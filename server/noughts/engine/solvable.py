"""Which variants are solved from every position. Imports no kernel, so the answer is cheap."""

from __future__ import annotations

from typing import Final

from noughts.rules.variant import Variant

EXACT_CELLS: Final = 16
"""Boards of up to this many cells are solved from every position within a second of plain Python (measured for 4x4)."""
POSITIONS_LIMIT: Final = 100_000
"""A game with vanishing marks is solved if its :func:`position_bound` is at most this."""


def position_bound(variant: Variant) -> int:
    """Return an upper bound of the reachable positions of a game with vanishing marks.

    Each position is the sequence of the cells on which marks lie, oldest first, so the bound counts those sequences.
    """
    total = sequences = 1
    for marks in range(2 * (variant.marks_kept or 0)):
        sequences *= variant.cells - marks
        total += sequences
    return total


def is_exact(variant: Variant) -> bool:
    """Return whether a search without a book solves every position of the variant in time."""
    if variant.marks_kept is not None:
        return position_bound(variant) <= POSITIONS_LIMIT
    return variant.cells <= EXACT_CELLS and not variant.nested


def is_played_perfectly(variant: Variant) -> bool:
    """Return whether every position is solved in the time of a move: the top level is then ``perfect``.

    Five by five has a book of the openings and a search of its own, which proves every later position in 0.3 s.
    """
    return is_exact(variant) or (
        variant.shape == (5, 5) and variant.line == 4 and not variant.gravity and not variant.misere
    )
