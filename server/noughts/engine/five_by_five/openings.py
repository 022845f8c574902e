"""The openings of 5x5: every position with at most four marks, up to symmetry, with its value and plies.

Positions with four marks are solved by :mod:`noughts.engine.five_by_five.attack`. Positions with fewer marks follow from
them, move by move. The same computation makes the book and proves it: the proof computes the table again and compares.

A key lists the cells of the marks, each plus one, as digits of base 26. So the keys are dense::

    first X, second X, first O, second O       cells ascending, 0 where there is no such mark yet

The numbers of X and of O differ by at most one, so the key determines the turn. The value of an entry is the number of
plies to the end: odd for a win of the side to move, even for a loss, 0 for a draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import combinations
from typing import Final

from noughts.engine import book
from noughts.engine.budget import Budget
from noughts.engine.five_by_five.attack import SIZE, AttackSearch, cells_of
from noughts.engine.symmetry import cell_permutations
from noughts.rules.variant import VARIANTS

MARKS: Final = 4
"""The book holds the positions with up to this many marks."""
_BASE: Final = SIZE + 1
_IMAGES: Final = cell_permutations(VARIANTS["5x5"].shape, False)


@lru_cache(maxsize=1)
def load_openings() -> Mapping[int, int]:
    """Return the entries of the book, none if its file is damaged."""
    return book.entries_or_warn("5x5")


def opening_key(x: int, o: int) -> int:
    """Return the key of a position: the same for positions that differ by a rotation or a mirror image."""
    return _key(cells_of(x), cells_of(o))


@lru_cache(maxsize=1 << 14)
def _key(x_cells: tuple[int, ...], o_cells: tuple[int, ...]) -> int:
    smallest = -1
    for image in _IMAGES:
        key = 0
        for cells in (x_cells, o_cells):
            digits = sorted([image[cell] + 1 for cell in cells])
            for i in range(MARKS // 2):
                key = key * _BASE + (digits[i] if i < len(digits) else 0)
        if smallest < 0 or key < smallest:
            smallest = key
    return smallest


def openings(marks: int) -> Iterator[tuple[int, int, int]]:
    """Yield the key and the marks (x, o) of one position for each key with this many marks, by ascending key."""
    representatives: dict[int, tuple[int, int]] = {}
    for x_cells in combinations(range(SIZE), (marks + 1) // 2):
        free = [cell for cell in range(SIZE) if cell not in x_cells]
        for o_cells in combinations(free, marks // 2):
            key = _key(x_cells, o_cells)
            if key not in representatives:
                representatives[key] = (sum(1 << cell for cell in x_cells), sum(1 << cell for cell in o_cells))
    for key in sorted(representatives):
        yield key, *representatives[key]


def solve_opening(search: AttackSearch, me: int, op: int, budget: Budget) -> int:
    """Return the entry of a position after a search to the end of the game. Raise OutOfTimeError."""
    value = search.solve(me, op, budget)
    return search.plies(me, op, value, budget) if value else 0


def entry_from_moves(entries: list[int]) -> int:
    """Return the entry of a position, given the entries of the positions after its moves."""
    lost = [plies for plies in entries if plies and not plies & 1]
    if lost:
        return min(lost) + 1
    return 0 if 0 in entries else max(entries) + 1


def solve_openings(progress: Callable[[int, int], None]) -> Iterator[tuple[int, int]]:
    """Compute the whole book: yield each key with its entry.

    Call ``progress`` with the number of entries so far and the number of all.
    """
    entries: dict[int, int] = {}
    kinds = [list(openings(marks)) for marks in range(MARKS + 1)]
    total = sum(map(len, kinds))
    search, endless = AttackSearch(), Budget(1.0, lambda: 0.0)
    for marks in range(MARKS, -1, -1):
        for key, x, o in kinds[marks]:
            if marks == MARKS:
                entries[key] = solve_opening(search, x, o, endless)
            else:
                free = cells_of(~(x | o) & (1 << SIZE) - 1)
                if marks & 1:
                    after = [opening_key(x, o | 1 << cell) for cell in free]
                else:
                    after = [opening_key(x | 1 << cell, o) for cell in free]
                entries[key] = entry_from_moves([entries[reply] for reply in after])
            yield key, entries[key]
            progress(len(entries), total)


def prove_book(entries: Mapping[int, int], progress: Callable[[int, int], None]) -> None:
    """Compute the whole book again and compare. Raise :class:`~noughts.engine.book.NotProvedError`."""
    count = 0
    for key, value in solve_openings(progress):
        count += 1
        if entries.get(key) != value:
            raise book.NotProvedError(f"{key}: the book says {entries.get(key)}, the search {value}")
    if len(entries) != count:
        raise book.NotProvedError(f"the book has {len(entries)} entries, not {count}")
