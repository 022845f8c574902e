"""Alpha-beta for five in a line on a plane: it counts shapes, and follows threats to their end.

A five wins, a five of the other is stopped, two fours at once win in three plies, and where the other threatens two fours
only the cells that can stop them are tried. None of this is an estimate. At the leaves a short search for a win by fours
goes on. Elsewhere the most urgent cells are tried. The search returns a good move, never a proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from noughts.engine.budget import Budget
from noughts.engine.threats.deepening import WON, DeepeningSearch
from noughts.engine.threats.shape_board import (
    ANY_DOUBLE_BITS,
    BIAS,
    CELL_OF_BIT,
    DOUBLE_BITS,
    ESTIMATE,
    ESTIMATE_BITS,
    FIELD,
    FIELDS_AT,
    FIVE_BITS,
    FOUR,
    FOUR_BITS,
    HAS_ANY_FIVE,
    HAS_ANY_FOUR,
    HAS_FIVE,
    HAS_FOUR,
    KEY,
    MARKED,
    MAX_CELLS,
    MAX_SIDE,
    NUMBERS,
    ONE_FOUR,
    ONES,
    SIDE_BITS,
    THREE,
    WIDTH,
    ShapeBoard,
    Step,
    mark,
    unmark,
)
from noughts.engine.threats.shapes import fits_shapes
from noughts.rules.variant import Variant

TABLE_LIMIT: Final = 300_000
LEAD: Final = 200  # for each ply left: a position that is better by so much than it must be is not searched
LAST_LEAD_DEPTH: Final = 3
QUIET_GAIN: Final = 300  # of a last move without a threat: if it would not be enough, such moves are left out
FOUR_NODES: Final = 40  # of a search for a win by fours at a leaf
FOURS_IN_A_ROW: Final = 8
LAST_EXTENDED_PLY: Final = 24
FIRST_REDUCED: Final = 3  # among the moves of a position: from this one on, quiet moves are searched one ply less
_DECIDED: Final = WON // 2
_SIDE: Final = (1 << SIDE_BITS) - 1
_O_AT: Final = FIELDS_AT + SIDE_BITS
_FORCED: Final = MARKED - ONE_FOUR
_STEPS_DOWN: Final = tuple(MARKED - ONES * least for least in (FOUR, THREE, 150, 100, 75, 50, 30, 15, 5, 1))
"""Added to fields, these mark those with at least so much."""


def fits(variant: Variant) -> bool:
    """Return whether the search can play the variant."""
    return fits_shapes(variant) and max(variant.shape) <= MAX_SIDE and variant.cells <= MAX_CELLS


class ShapeSearch(DeepeningSearch):
    """A search of one position. It makes and unmakes moves on its own board."""

    __slots__ = ("_entries", "_failures", "_fours_left", "_full", "_states", "_steps", "_sum", "_width", "nodes")

    def __init__(self, variant: Variant, x: int, o: int, budget: Budget) -> None:
        super().__init__(budget)
        board = ShapeBoard(variant, x, o)
        self._sum = board.sum
        self._states = board.states
        self._steps = board.steps
        self._full = x | o
        self._width = 0
        # key -> depth, value, its bound (0 exact, 1 lower, -1 upper) and the best cell
        self._entries: dict[int, tuple[int, int, int, int]] = {}
        self._failures: set[int] = set()  # keys of positions without a win by fours
        self._fours_left = 0
        self.nodes = 0

    def urgencies(self) -> list[int]:
        """Return how urgent each cell is, negative where it is full."""
        both = (self._sum >> FIELDS_AT & _SIDE) + (self._sum >> _O_AT & _SIDE)
        cells = range(len(self._steps[0]))
        return [-1 if self._full >> cell & 1 else both >> WIDTH * cell & FIELD for cell in cells]

    def value_of(self, cell: int, side: int, depth: int, low: int, width: int) -> int:
        """Return the value of a move for its side, or a bound that is at most ``low``. Raise OutOfTimeError."""
        if low > -WON * 2:
            bound = self.value_within(cell, side, depth, low, low + 1, width)
            if bound <= low:
                return bound
        return self.value_within(cell, side, depth, low, WON * 2, width)

    def value_within(self, cell: int, side: int, depth: int, low: int, high: int, width: int) -> int:
        """Return the value of a move for its side, or a bound beyond ``low`` or ``high``. Raise OutOfTimeError."""
        states = self._states[:]
        self._width = width
        try:
            return self._after(self._sum, cell, side, depth - 1, low, high, 0)
        finally:
            self._states = states

    def _after(self, total: int, cell: int, side: int, depth: int, low: int, high: int, ply: int) -> int:
        """Return the value for ``side`` after its move, which leaves ``depth`` plies."""
        self.nodes = nodes = self.nodes + 1
        if not nodes & 15:
            self._budget.check()
        states = self._states
        ray0, bit0, changes0, ray1, bit1, changes1, ray2, bit2, changes2, ray3, bit3, changes3 = self._steps[side][cell]
        state0, state1, state2, state3 = states[ray0], states[ray1], states[ray2], states[ray3]
        change0, change1, change2, change3 = changes0[state0], changes1[state1], changes2[state2], changes3[state3]
        if depth <= LAST_LEAD_DEPTH:
            # Most positions end here: their numbers decide, and fields are added only if there are fours.
            numbers = (total & NUMBERS) + (change0 & NUMBERS) + (change1 & NUMBERS)
            numbers = numbers + (change2 & NUMBERS) + (change3 & NUMBERS) & NUMBERS
            if not numbers & HAS_ANY_FIVE:
                value = (numbers & ESTIMATE if side else numbers >> ESTIMATE_BITS & ESTIMATE) - BIAS
                if depth <= 0:
                    ends = value >= -low or not numbers & HAS_FOUR[1 - side]
                else:
                    ends = value - LEAD * depth >= -low > -_DECIDED
                if ends and not (
                    numbers & HAS_ANY_FOUR and (total + change0 + change1 + change2 + change3) & ANY_DOUBLE_BITS
                ):
                    return -value
        total += change0 + change1 + change2 + change3
        states[ray0] = state0 | bit0
        states[ray1] = state1 | bit1
        states[ray2] = state2 | bit2
        states[ray3] = state3 | bit3
        value = -self._search(total, 1 - side, depth, -high, -low, ply + 1)
        states[ray0] = state0
        states[ray1] = state1
        states[ray2] = state2
        states[ray3] = state3
        return value

    def _search(self, total: int, side: int, depth: int, low: int, high: int, ply: int) -> int:
        numbers = total & NUMBERS
        if numbers & HAS_ANY_FIVE:
            if numbers & HAS_FIVE[side]:
                return WON - ply
            cell = _only_five(total, 1 - side)
            if cell < 0:
                return -(WON - ply - 1)
            return self._after(total, cell, side, depth, low, high, ply)
        if numbers & HAS_FOUR[side] and total & DOUBLE_BITS[side]:
            return WON - ply - 2
        threatened = numbers & HAS_FOUR[1 - side] and total & DOUBLE_BITS[1 - side]
        estimate = (numbers >> ESTIMATE_BITS & ESTIMATE if side else numbers & ESTIMATE) - BIAS
        if depth <= 0:
            if not threatened or ply > LAST_EXTENDED_PLY:
                if estimate < high and numbers & HAS_FOUR[side]:
                    self._fours_left = FOUR_NODES
                    if self._wins_by_fours(total, side, FOURS_IN_A_ROW):
                        return WON - ply - 4
                return estimate
            depth = 1
        key = numbers & KEY
        entry = self._entries.get(key)
        stored_cell = -1
        if entry is not None:
            stored_depth, value, bound, stored_cell = entry
            value -= ply if value > _DECIDED else -ply if value < -_DECIDED else 0
            if (bound == 0 or (value >= high if bound > 0 else value <= low)) and (
                stored_depth >= depth or (value > _DECIDED and bound >= 0)
            ):
                return value
        best, choice, floor = -WON * 2, -1, low
        hopeless = depth == 1 and not threatened and estimate + QUIET_GAIN <= low
        for number, (cell, urgency) in enumerate(self._moves(total, side, stored_cell, threatened)):
            if number:
                if hopeless and urgency < THREE and best > -_DECIDED:
                    break
                reduced = number >= FIRST_REDUCED and depth >= 3 and not threatened and urgency < THREE
                value = self._after(total, cell, side, depth - 2 if reduced else depth - 1, low, low + 1, ply)
                if reduced and value > low:
                    value = self._after(total, cell, side, depth - 1, low, low + 1, ply)
                if low < value < high:
                    value = self._after(total, cell, side, depth - 1, low, high, ply)
            else:
                value = self._after(total, cell, side, depth - 1, low, high, ply)
            if value > best:
                best, choice = value, cell
                if best > low:
                    low = best
                    if best >= high:
                        break
        if choice < 0:
            return 0  # no cell is left on a line that a side can complete
        if len(self._entries) > TABLE_LIMIT:
            self._entries.clear()
        value = best + ply if best > _DECIDED else best - ply if best < -_DECIDED else best
        self._entries[key] = (depth, value, 1 if best >= high else (-1 if best <= floor else 0), choice)
        return best

    def _moves(self, total: int, side: int, first: int, threatened: int) -> Iterator[tuple[int, int]]:
        """Yield cells to try with their urgencies, ``first`` first unless it is -1, and then the most urgent ones."""
        x, o = total >> FIELDS_AT & _SIDE, total >> _O_AT & _SIDE
        keys = 2 * o + x if side else 2 * x + o
        if first >= 0:
            yield first, keys >> WIDTH * first & FIELD
        if threatened:
            left = ((x | o) & FOUR_BITS) + _FORCED & MARKED
            for urgency, cell in _ordered(keys, left):
                if cell != first:
                    yield cell, urgency
            return
        width = self._width
        seen = 0
        for addend in _STEPS_DOWN:
            marked = keys + addend & MARKED
            more = marked ^ seen
            if more:
                seen = marked
                for urgency, cell in _ordered(keys, more):
                    if cell != first:
                        yield cell, urgency
                    width -= 1
                    if not width:
                        return

    def _wins_by_fours(self, total: int, side: int, reach: int) -> bool:
        """Return whether ``side``, to move and without a five, is seen to win by at most ``reach`` fours more than one."""
        self.nodes += 1
        if not self.nodes & 15:
            self._budget.check()
        self._fours_left -= 1
        if total & HAS_FIVE[1 - side]:
            cell = _only_five(total, 1 - side)
            if cell < 0:
                return False
            field = total >> FIELDS_AT + side * SIDE_BITS + WIDTH * cell & FIELD
            if field < FOUR:
                return False
            if field >= 2 * FOUR:
                return True
            left = 1 << WIDTH * cell
        else:
            if total & DOUBLE_BITS[side]:
                return True
            left = total >> FIELDS_AT + side * SIDE_BITS & ONE_FOUR
        if not reach:
            return False
        states = self._states
        steps, replies = self._steps[side], self._steps[1 - side]
        while left:
            if self._fours_left <= 0:
                return False
            length = left.bit_length()
            left ^= 1 << length - 1
            step = steps[CELL_OF_BIT[length]]
            after = total + mark(states, step)
            length = (after >> FIELDS_AT + side * SIDE_BITS & FIVE_BITS).bit_length()
            won = self._wins_after_reply(after, replies[CELL_OF_BIT[length]], side, reach)
            unmark(states, step)
            if won:
                return True
        return False

    def _wins_after_reply(self, total: int, step: Step, side: int, reach: int) -> bool:
        """Return whether ``side`` wins by fours after a forced reply to one."""
        states = self._states
        total += mark(states, step)
        key = total & KEY
        won = key not in self._failures and self._wins_by_fours(total, side, reach - 1)
        unmark(states, step)
        if not won and self._fours_left > 0:
            if len(self._failures) > TABLE_LIMIT:
                self._failures.clear()
            self._failures.add(key)
        return won


def _only_five(total: int, side: int) -> int:
    """Return the only cell on which a side completes a line, or -1 if there is another."""
    fives = total >> FIELDS_AT + side * SIDE_BITS & FIVE_BITS
    cell = CELL_OF_BIT[fives.bit_length()]
    return cell if not fives & (1 << WIDTH * cell) - 1 else -1


def _ordered(keys: int, marked: int) -> list[tuple[int, int]]:
    """Return the marked fields of ``keys``, highest first, of equal ones the last cell first, with their cells."""
    cells = []
    while marked:
        length = marked.bit_length()
        marked ^= 1 << length - 1
        cell = CELL_OF_BIT[length]
        cells.append((keys >> WIDTH * cell & FIELD, cell))
    if len(cells) > 1:
        cells.sort(reverse=True)
    return cells
