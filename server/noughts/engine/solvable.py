"""Which search plays a variant, and what it solves. Imports no kernel, so the answers are cheap."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from noughts.engine.verdict import UNKNOWN, Verdict
from noughts.rules.variant import Variant

SearchName: TypeAlias = Literal["negamax", "vanishing", "5x5", "four-in-a-row", "qubic", "threats", "ultimate"]

COMPILED: Final[frozenset[SearchName]] = frozenset(("four-in-a-row", "qubic", "threats", "ultimate"))
"""The searches that are compiled programs. Where those do not run, the engine plays without a search."""
START_VALUES: Final[Mapping[str, Verdict]] = MappingProxyType(
    {
        "classic": Verdict("draw", None, "exact"),
        "misere": Verdict("draw", None, "exact"),
        "vanishing": Verdict("win", 13, "exact"),
        "4x4": Verdict("draw", None, "exact"),
        "5x5": Verdict("draw", None, "book"),
        "four-in-a-row": Verdict("win", 41, "book"),
        "qubic": Verdict("win", None, "book"),
    }
)
"""The verdicts of the empty boards that the kernels prove, by variant key. Tests prove each of them again."""
THREAT_CELLS: Final = 255
"""The cells of the largest board that the searches for threats have room for."""

EXACT_CELLS: Final = 16
"""Boards of up to this many cells are solved from every position within a second (measured for 4x4)."""
EXACT_VANISHING: Final = (9, 3)
"""The cells and the kept marks of each side up to which a game with vanishing marks is solved: it has 73,450 positions."""


def is_exact(variant: Variant) -> bool:
    """Return whether a search without a book solves every position of the variant in time."""
    if variant.marks_kept is not None:
        cells, marks = EXACT_VANISHING
        return variant.cells <= cells and variant.marks_kept <= marks
    return variant.cells <= EXACT_CELLS and not variant.nested


def is_played_perfectly(variant: Variant) -> bool:
    """Return whether every position is solved in the time of a move: the top level is then ``perfect``.

    Five by five has a book of the openings and a search of its own, which proves every later position in 0.3 s.
    """
    return is_exact(variant) or (
        variant.shape == (5, 5) and variant.line == 4 and not variant.gravity and not variant.misere
    )


def search_of(variant: Variant) -> SearchName:
    """Return the name of the search that plays the variant."""
    if variant.nested:
        return "ultimate"
    if variant.marks_kept is not None:
        return "vanishing"
    if variant.misere or (variant.gravity and (variant.shape, variant.line) != ((7, 6), 4)):
        return "negamax"
    if variant.gravity:
        return "four-in-a-row"
    if (variant.shape, variant.line) == ((5, 5), 4):
        return "5x5"
    if (variant.shape, variant.line) == ((4, 4, 4), 4):
        return "qubic"
    if variant.layers == 1 and variant.line in (5, 6) and variant.cells <= THREAT_CELLS:
        return "threats"
    return "negamax"


def needs_program(variant: Variant) -> bool:
    """Return whether the variant's search is a compiled program."""
    return search_of(variant) in COMPILED


def start_value(variant: Variant) -> Verdict:
    """Return the verdict of the empty board from a table, ``UNKNOWN`` if this project has not proved it."""
    return START_VALUES.get(variant.key, UNKNOWN)
