"""The openings of 5x5: every position with at most four marks, up to symmetry, with its value and plies.

Positions with four marks are solved by :mod:`noughts.engine.five_by_five.attack`. Positions with fewer marks follow from
them, move by move. The same computation makes the book and proves it: the proof computes the table again and compares.

A key lists the cells of the marks, each plus one, as digits of base 26, so that a table of them is dense::

    first X, second X, first O, second O       cells ascending, 0 where there is no such mark yet

The number of X and of O differs by at most one, so the key tells whose turn it is. The value of an entry is the number
of plies to the end: odd for a win of the side to move, even for a loss, 0 for a draw.
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
"""The openings are the positions with up to this many marks."""
_BASE: Final = SIZE + 1
_IMAGES: Final = cell_permutations(VARIANTS["5x5"].shape, False)


@lru_cache(maxsize=1)
def load_openings() -> Mapping[int, int]:
    """The book."""
    return book.load("5x5").entries


def opening_key(x: int, o: int) -> int:
    """The same number for all positions that differ by a turn or a mirror of the board."""
    return _key(cells_of(x), cells_of(o))


@lru_cache(maxsize=1 << 14)
def _key(xs: tuple[int, ...], os: tuple[int, ...]) -> int:
    least = -1
    for image in _IMAGES:
        key = 0
        for cells in (xs, os):
            digits = sorted([image[cell] + 1 for cell in cells])
            for i in range(MARKS // 2):
                key = key * _BASE + (digits[i] if i < len(digits) else 0)
        if least < 0 or key < least:
            least = key
    return least


def openings(marks: int) -> Iterator[tuple[int, int, int]]:
    """The key and the marks (x, o) of one position of each kind with this many marks, by ascending key."""
    found: dict[int, tuple[int, int]] = {}
    for xs in combinations(range(SIZE), (marks + 1) // 2):
        free = [cell for cell in range(SIZE) if cell not in xs]
        for os in combinations(free, marks // 2):
            key = _key(xs, os)
            if key not in found:
                found[key] = (sum(1 << cell for cell in xs), sum(1 << cell for cell in os))
    for key in sorted(found):
        yield key, *found[key]


def solve_opening(search: AttackSearch, me: int, op: int, budget: Budget) -> int:
    """The entry of a position, searched to its end. Raises OutOfTimeError."""
    value = search.solve(me, op, budget)
    return search.plies(me, op, value, budget) if value else 0


def follow(entries: list[int]) -> int:
    """The entry of a position from those after each of its moves."""
    lost = [plies for plies in entries if plies and not plies & 1]
    if lost:
        return min(lost) + 1
    return 0 if 0 in entries else max(entries) + 1


def solved_openings(show: Callable[[int, int], None]) -> Iterator[tuple[int, int]]:
    """Keys and entries of all openings, computed from nothing. ``show`` is told the positions done and their number."""
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
                entries[key] = follow([entries[reply] for reply in after])
            yield key, entries[key]
            show(len(entries), total)


def prove_book(entries: Mapping[int, int], show: Callable[[int, int], None]) -> None:
    """Compute the whole book again and compare. Raises :class:`~noughts.engine.book.NotProvedError`."""
    count = 0
    for key, value in solved_openings(show):
        count += 1
        if entries.get(key) != value:
            raise book.NotProvedError(f"{key}: the book says {entries.get(key)}, the search {value}")
    if len(entries) != count:
        raise book.NotProvedError(f"the book has {len(entries)} entries, not {count}")
