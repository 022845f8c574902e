"""A plane board with the shapes on its empty cells, for a search that makes many moves and takes them back.

The search reads everything from one integer, the *sum*. The sum has a field for each cell and side: how many fives, fours
and threes a mark there would make, and the worth of its other shapes. It also has the estimates, the counts of fives and
fours on the whole board, and the key of the position. A mark changes at most four rays, and a table holds what it adds to
the sum on each of them. So a move is four additions, and nothing is copied.
"""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Final, TypeAlias

from noughts.engine.threats import shapes
from noughts.engine.threats.shapes import DIRECTIONS, NEIGHBOURS, REACH, Ray, rays_of, shape
from noughts.rules.variant import Variant

THREE: Final = 1 << 9
FOUR: Final = 1 << 13
FIVE: Final = 1 << 17
TWO_FOURS: Final = 2 * FOUR
"""From here on a cell is worth two fours at once: an open four or two single ones."""
WORTH: Final = (0, 1, 3, 6, 25, 30, THREE + 40, FOUR + 30, TWO_FOURS, FIVE)
"""By shape: what it adds to the worth of its cell. Even twice one side's worth and once the other's have no carry."""
MINE: Final = (0, -20, -20, -6, 7, 41, 240, 278, 300, 0)
THEIRS: Final = (0, 21, 20, 7, 6, -33, -149, -297, -300, 0)
"""By shape: what it adds to the estimate if it belongs to the side to move or to the other. A regression set both, on the
values that searches of 5,000 nodes found in 6,657 quiet positions of 550 games of the engine with itself."""
MOVE_WORTH: Final = -74  # of being to move
CHANGES_LIMIT: Final = 60_000
WINDOWS_LIMIT: Final = 30_000
MAX_SIDE: Final = 16
MAX_CELLS: Final = 225

WIDTH: Final = 20
"""Bits of a field. The highest is free, so that a threshold can be added to all fields at once."""
ESTIMATE_BITS: Final = 32
BIAS: Final = (1 << ESTIMATE_BITS - 1) - MOVE_WORTH
"""Subtracted from an estimate in a sum."""
ESTIMATE: Final = (1 << ESTIMATE_BITS) - 1
_COUNT_BITS: Final = 12
_KEY_BITS: Final = 72
_FIVES_AT: Final = 2 * ESTIMATE_BITS
_FOURS_AT: Final = _FIVES_AT + 2 * _COUNT_BITS
_KEY_AT: Final = _FOURS_AT + 2 * _COUNT_BITS
FIELDS_AT: Final = _KEY_AT + _KEY_BITS
SIDE_BITS: Final = MAX_CELLS * WIDTH
_END: Final = FIELDS_AT + 2 * SIDE_BITS
_ONE_CHANGE: Final = 1 << _END
"""A part of every change, above all fields. It makes a change positive, which Python adds and masks sooner."""

_STATE_OF_X: Final = (1 << MAX_SIDE) - 1
_WINDOW: Final = (1 << 2 * NEIGHBOURS + 1) - 1
_BIT_OF_MARK: Final = tuple((step, 1 << REACH - step - (step < 0)) for step in range(-REACH, REACH + 1) if step)
"""The bit of a mark among the eight neighbours of a cell that is ``step`` places after it."""

NUMBERS: Final = (1 << FIELDS_AT) - 1
"""All of the sum but the fields."""
KEY: Final = (1 << FIELDS_AT) - (1 << _KEY_AT)
_COUNT: Final = (1 << _COUNT_BITS) - 1
HAS_FIVE: Final = (_COUNT << _FIVES_AT, _COUNT << _FIVES_AT + _COUNT_BITS)
"""By side: the count of its fives."""
HAS_FOUR: Final = (_COUNT << _FOURS_AT, _COUNT << _FOURS_AT + _COUNT_BITS)
HAS_ANY_FIVE: Final = HAS_FIVE[0] | HAS_FIVE[1]
HAS_ANY_FOUR: Final = HAS_FOUR[0] | HAS_FOUR[1]

FIELD: Final = (1 << WIDTH) - 1
ONES: Final = sum(1 << cell * WIDTH for cell in range(MAX_CELLS))
MARKED: Final = ONES << WIDTH - 1
"""The highest bit of each field of a side."""
CELL_OF_BIT: Final = tuple((bit - 1) // WIDTH for bit in range(SIDE_BITS + 1))
"""The cell, by the length in bits of the fields of a side up to it."""
FIVE_BITS: Final = ONES * (7 * FIVE)
FOUR_BITS: Final = ONES * (15 * FOUR)
ONE_FOUR: Final = ONES * FOUR
DOUBLE_BITS: Final = tuple(ONES * (14 * FOUR) << FIELDS_AT + side * SIDE_BITS for side in (0, 1))
"""The bits of a sum that say where a side can make two fours at once."""
ANY_DOUBLE_BITS: Final = DOUBLE_BITS[0] | DOUBLE_BITS[1]

Step: TypeAlias = (
    "tuple[int, int, dict[int, int], int, int, dict[int, int], int, int, dict[int, int], int, int, dict[int, int]]"
)
"""By ray through a cell: its number, the bit of the mark in its state, and the changes of the sum by its state before."""


class Changes(dict[int, int]):
    """What a mark of a side on one place of a ray adds to the sum, by the state of the ray. Each is computed once."""

    __slots__ = ("_numbers", "_place", "_shift", "_side", "_stride", "_tables", "_walls")

    def __init__(self, tables: Tables, ray: Ray, place: int, side: int, key: int) -> None:
        super().__init__()
        self._tables = tables
        self._place = place
        self._side = side
        self._stride = (ray.cells[1] - ray.cells[0]) * WIDTH
        self._shift = ray.cells[place] * WIDTH - REACH * abs(self._stride)
        self._walls = ray.walls << REACH >> place & _WINDOW
        self._numbers = (key << _KEY_AT) + _ONE_CHANGE

    def __missing__(self, state: int) -> int:
        x, o = (state & _STATE_OF_X) << NEIGHBOURS >> self._place, state >> MAX_SIDE << NEIGHBOURS >> self._place
        numbers, gains = change_of(x & _WINDOW, o & _WINDOW, self._walls, self._side)
        start = REACH * abs(self._stride)
        x_fields = o_fields = 0
        for step, x_gain, o_gain in gains:
            x_fields += x_gain << start + step * self._stride
            o_fields += o_gain << start + step * self._stride
        fields = x_fields + (o_fields << SIDE_BITS)
        fields = fields << self._shift if self._shift > 0 else fields >> -self._shift
        self[state] = change = numbers + self._numbers + (fields << FIELDS_AT)
        self._tables.size += 1
        return change


class Tables:
    """What boards of one variant share."""

    __slots__ = ("changes", "empty", "rays", "size", "steps")

    def __init__(self, variant: Variant) -> None:
        self.rays = rays_of(variant)
        self.size = 0
        self.changes: list[Changes] = []
        rng = random.Random(1)
        steps: tuple[list[Step], list[Step]] = [], []
        through: list[list[tuple[int, int]]] = [[] for _ in range(variant.cells)]
        for number, ray in enumerate(self.rays):
            for place, cell in enumerate(ray.cells):
                through[cell].append((number, place))
        for side in (0, 1):
            for each in through:
                steps[side].append(self._step(each, side, rng.getrandbits(_KEY_BITS - 8)))
        self.steps = tuple(steps[0]), tuple(steps[1])
        self.empty = sum(_empty_sum(ray) for ray in self.rays)
        self.empty += (1 << ESTIMATE_BITS - 1) * (1 + (1 << ESTIMATE_BITS))

    def _step(self, through: list[tuple[int, int]], side: int, key: int) -> Step:
        parts: list[int | dict[int, int]] = []
        for number, place in through:
            changes = Changes(self, self.rays[number], place, side, 0 if parts else key)
            self.changes.append(changes)
            parts += [number, 1 << place + MAX_SIDE * side, changes]
        while len(parts) < 3 * len(DIRECTIONS):
            parts += [len(self.rays), 0, {0: 0 if parts else key << _KEY_AT}]
        return tuple(parts)  # type: ignore[return-value]

    def shrink(self) -> None:
        """Forget all changes if there are too many."""
        if self.size > CHANGES_LIMIT:
            for changes in self.changes:
                changes.clear()
            self.size = 0


@lru_cache(maxsize=4)
def tables_of(variant: Variant) -> Tables:
    """Return the tables of a variant."""
    return Tables(variant)


class ShapeBoard:
    """The sum of a position, and the marks on each ray.

    A search keeps the sum of each position on its path, and sets the state of a ray back after a move.
    """

    __slots__ = ("_tables", "states", "sum")

    def __init__(self, variant: Variant, x: int, o: int) -> None:
        self._tables = tables_of(variant)
        self._tables.shrink()
        self.states = [0] * (len(self._tables.rays) + 1)
        self.sum = self._tables.empty
        for cell in range(variant.cells):
            if x >> cell & 1:
                self.fill(cell, 0)
            elif o >> cell & 1:
                self.fill(cell, 1)

    @property
    def steps(self) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
        """The rays through each cell, by side and cell."""
        return self._tables.steps

    def fill(self, cell: int, side: int) -> None:
        """Put a mark of a side (0: X) on an empty cell."""
        self.sum += mark(self.states, self._tables.steps[side][cell])

    def worths(self, side: int) -> list[int]:
        """Return the worth of each cell for a side, 0 where it is full."""
        fields = fields_of(self.sum, side)
        return [fields >> WIDTH * cell & FIELD for cell in range(len(self._tables.steps[0]))]

    def estimate(self, side: int) -> int:
        """Return the estimate for a side with this side to move."""
        return estimate_of(self.sum, side)


def mark(states: list[int], step: Step) -> int:
    """Put a mark on the rays of a step, and return what that adds to the sum."""
    ray0, bit0, changes0, ray1, bit1, changes1, ray2, bit2, changes2, ray3, bit3, changes3 = step
    change = changes0[states[ray0]] + changes1[states[ray1]] + changes2[states[ray2]] + changes3[states[ray3]]
    states[ray0] |= bit0
    states[ray1] |= bit1
    states[ray2] |= bit2
    states[ray3] |= bit3
    return change


def unmark(states: list[int], step: Step) -> None:
    """Take a mark off the rays of a step."""
    ray0, bit0, _, ray1, bit1, _, ray2, bit2, _, ray3, bit3, _ = step
    states[ray0] ^= bit0
    states[ray1] ^= bit1
    states[ray2] ^= bit2
    states[ray3] ^= bit3


def fields_of(total: int, side: int) -> int:
    """Return the fields of a side."""
    return total >> FIELDS_AT + side * SIDE_BITS & (1 << SIDE_BITS) - 1


def estimate_of(total: int, side: int) -> int:
    """Return the estimate in a sum for a side with this side to move."""
    return (total >> ESTIMATE_BITS * side & ESTIMATE) - BIAS


def _empty_sum(ray: Ray) -> int:
    """Return what a ray without a mark adds to the sum."""
    total = 0
    for place, cell in enumerate(ray.cells):
        numbers, x_worth, o_worth = _cell_of(0, 0, shapes.near(ray.walls >> place))
        total += numbers + (x_worth + (o_worth << SIDE_BITS) << FIELDS_AT + cell * WIDTH)
    return total


@lru_cache(maxsize=WINDOWS_LIMIT)
def change_of(x: int, o: int, walls: int, side: int) -> tuple[int, list[tuple[int, int, int]]]:
    """Return what a mark in the middle of a window of seventeen places adds to the sum.

    That is all but the fields, and of each changed cell its distance from the middle and what its fields gain.
    """
    numbers, x_worth, o_worth = _cell_of(shapes.near(x >> REACH), shapes.near(o >> REACH), shapes.near(walls >> REACH))
    numbers, gains = -numbers, [(0, -x_worth, -o_worth)]
    for step, bit in _BIT_OF_MARK:
        place = NEIGHBOURS + step
        if (x | o | walls) >> place & 1:
            continue
        start = place - REACH
        near_x, near_o, near_walls = shapes.near(x >> start), shapes.near(o >> start), shapes.near(walls >> start)
        old = _cell_of(near_x, near_o, near_walls)
        new = _cell_of(near_x, near_o | bit, near_walls) if side else _cell_of(near_x | bit, near_o, near_walls)
        if new != old:
            numbers += new[0] - old[0]
            gains.append((step, new[1] - old[1], new[2] - old[2]))
    return numbers, gains


@lru_cache(maxsize=WINDOWS_LIMIT)
def _cell_of(x: int, o: int, walls: int) -> tuple[int, int, int]:
    """Return what an empty cell with these neighbours in one direction adds: to the numbers, and to each of its fields."""
    each = shape(x, o | walls), shape(o, x | walls)
    numbers = 0
    for side in (0, 1):
        mine, theirs = each[side], each[1 - side]
        fours = {shapes.FOUR: 1, shapes.OPEN_FOUR: 2}.get(mine, 0)
        numbers += MINE[mine] + THEIRS[theirs] << ESTIMATE_BITS * side
        numbers += (mine == shapes.FIVE) << _FIVES_AT + _COUNT_BITS * side
        numbers += fours << _FOURS_AT + _COUNT_BITS * side
    return numbers, WORTH[each[0]], WORTH[each[1]]
