"""A plane board with the shapes on its empty cells, for a search that makes many moves and takes them back."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from noughts.engine.threats.shapes import Ray, rays_of
from noughts.rules.variant import Variant

FIVE: Final = 1 << 26
FOUR: Final = 1 << 20
TWO_FOURS: Final = 2 * FOUR
"""From here on a cell is worth two fours at once: an open four or two single ones."""
THREE: Final = 1 << 17
WORTH: Final = (0, 10, 30, 60, 250, 300, THREE + 900, FOUR + 500, 1 << 23, FIVE)
"""By shape: what it adds to the worth of its cell. Four shapes of a kind are worth less than one of the next kind."""
MINE: Final = (0, -18, -19, -6, 8, 23, 278, 154, 300, 0)
THEIRS: Final = (0, 23, 15, -1, 20, -22, -50, -284, -300, 0)
"""By shape: what it adds to the estimate if it belongs to the side to move or to the other. A regression on the results of
games of the engine with itself set both: 1,000 is a factor of e in the odds of winning."""
CHANGES_LIMIT: Final = 60_000
FULL: Final = -(1 << 29)
MAX_SIDE: Final = 16

State: TypeAlias = tuple[tuple[list[int], list[int]], tuple[int, int], list[int], int]


class Change(NamedTuple):
    """What a mark changes on a ray: the worth of cells for X and for O, and the estimates with X and with O to move."""

    worths: tuple[tuple[int, int, int], ...]
    x_estimate: int
    o_estimate: int


class Tables(NamedTuple):
    """What boards of one variant share."""

    rays: tuple[Ray, ...]
    steps: tuple[tuple[tuple[tuple[int, int, int], ...], ...], ...]  # by side and cell: ray, bit in its state, tag
    keys: tuple[tuple[int, ...], tuple[int, ...]]  # by side and cell
    changes: list[dict[int, Change]]  # by ray: state and tag -> change


@lru_cache(maxsize=4)
def tables_of(variant: Variant) -> Tables:
    """Return the tables of a variant."""
    rays = rays_of(variant)
    through: list[list[tuple[int, int]]] = [[] for _ in range(variant.cells)]
    for number, ray in enumerate(rays):
        for place, cell in enumerate(ray.cells):
            through[cell].append((number, place))
    steps = tuple(
        tuple(tuple((ray, 1 << place + MAX_SIDE * side, 2 * place + side) for ray, place in each) for each in through)
        for side in (0, 1)
    )
    rng = random.Random(1)
    x_keys, o_keys = (tuple(rng.getrandbits(62) for _ in range(variant.cells)) for _ in range(2))
    return Tables(rays, steps, (x_keys, o_keys), [{} for _ in rays])


class ShapeBoard:
    """The worth of each cell for X and for O, and the estimate for either side to move.

    ``save`` before a move and ``restore`` after it: lists are copied sooner than a move is taken back.
    """

    __slots__ = ("_states", "_tables", "estimates", "key", "worths")

    def __init__(self, variant: Variant, x: int, o: int) -> None:
        self._tables = tables_of(variant)
        if sum(map(len, self._tables.changes)) > CHANGES_LIMIT:
            for changes in self._tables.changes:
                changes.clear()
        self._states = [0] * len(self._tables.rays)
        self.worths = [0] * variant.cells, [0] * variant.cells
        self.key = 0
        estimates = [0, 0]
        for ray in self._tables.rays:
            for cell, shapes in zip(ray.cells, ray.shapes(0, 0), strict=True):
                for side in (0, 1):
                    self.worths[side][cell] += WORTH[shapes[side]]
                    estimates[side] += MINE[shapes[side]] + THEIRS[shapes[1 - side]]
        self.estimates = estimates[0], estimates[1]
        for cell in range(variant.cells):
            if x >> cell & 1:
                self.fill(cell, 0)
            elif o >> cell & 1:
                self.fill(cell, 1)

    def fill(self, cell: int, side: int) -> None:
        """Put a mark of a side (0: X) on an empty cell."""
        states = self._states
        x_worths, o_worths = self.worths
        x_estimate, o_estimate = self.estimates
        tables = self._tables
        for ray, bit, tag in tables.steps[side][cell]:
            state = states[ray]
            states[ray] = state | bit
            changes = tables.changes[ray]
            key = state << 5 | tag
            if key in changes:
                worths, x_change, o_change = changes[key]
            else:
                worths, x_change, o_change = changes[key] = change_of(tables.rays[ray], state, bit)
            for each, x_worth, o_worth in worths:
                x_worths[each] += x_worth
                o_worths[each] += o_worth
            x_estimate += x_change
            o_estimate += o_change
        x_worths[cell] = o_worths[cell] = FULL
        self.estimates = x_estimate, o_estimate
        self.key ^= tables.keys[side][cell]

    def save(self) -> State:
        """Return the position, for :meth:`restore`. The board goes on with copies."""
        state = self.worths, self.estimates, self._states, self.key
        self.worths = self.worths[0][:], self.worths[1][:]
        self._states = self._states[:]
        return state

    def restore(self, state: State) -> None:
        """Return to a position."""
        self.worths, self.estimates, self._states, self.key = state


def change_of(ray: Ray, state: int, bit: int) -> Change:
    """Return what a mark on a ray changes. ``state`` has the bits of X, and those of O ``MAX_SIDE`` bits higher."""
    low = (1 << MAX_SIDE) - 1
    after = state | bit
    worths = []
    estimates = [0, 0]
    old_shapes = ray.shapes(state & low, state >> MAX_SIDE)
    new_shapes = ray.shapes(after & low, after >> MAX_SIDE)
    for place, (cell, old, new) in enumerate(zip(ray.cells, old_shapes, new_shapes, strict=True)):
        for side in (0, 1):
            estimates[side] += MINE[new[side]] - MINE[old[side]] + THEIRS[new[1 - side]] - THEIRS[old[1 - side]]
        if old != new and not (after | after >> MAX_SIDE) >> place & 1:
            worths.append((cell, WORTH[new[0]] - WORTH[old[0]], WORTH[new[1]] - WORTH[old[1]]))
    return Change(tuple(worths), estimates[0], estimates[1])
