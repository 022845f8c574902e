"""The book of 5x5, computed: positions with four marks by a search, those with fewer marks from their moves.

The same computation makes the book and proves it: the proof computes the book again and compares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

from noughts.engine.budget import Budget
from noughts.engine.five_by_five.attack import SIZE, AttackSearch, cells_of
from noughts.engine.five_by_five.openings import MARKS, opening_key
from tools.prove import NotProvedError


def openings(marks: int) -> Iterator[tuple[int, int, int]]:
    """Yield the key and the marks (x, o) of one position for each key with this many marks, by ascending key."""
    representatives: dict[int, tuple[int, int]] = {}
    for x_cells in combinations(range(SIZE), (marks + 1) // 2):
        free = [cell for cell in range(SIZE) if cell not in x_cells]
        for o_cells in combinations(free, marks // 2):
            x, o = (sum(1 << cell for cell in cells) for cells in (x_cells, o_cells))
            representatives.setdefault(opening_key(x, o), (x, o))
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
    """Compute the whole book again and compare. Raise :class:`~tools.prove.NotProvedError`."""
    count = 0
    for key, value in solve_openings(progress):
        count += 1
        if entries.get(key) != value:
            raise NotProvedError(f"{key}: the book says {entries.get(key)}, the search {value}")
    if len(entries) != count:
        raise NotProvedError(f"the book has {len(entries)} entries, not {count}")
