"""Alpha-beta for five in a line on a plane: it counts shapes, and follows threats to their end.

A five wins, a five of the other is stopped, two fours at once win in three plies, and where the other threatens two fours
only the cells that can stop them are tried. None of this is an estimate. At the leaves a short search for a win by fours
goes on. Elsewhere the most urgent cells are tried. The search returns a good move, never a proof.
"""

from __future__ import annotations

from typing import Final

from noughts.engine.budget import Budget
from noughts.engine.threats.deepening import WON, DeepeningSearch
from noughts.engine.threats.shape_board import FIVE, FOUR, MAX_SIDE, THREE, TWO_FOURS, ShapeBoard
from noughts.engine.threats.shapes import fits_shapes
from noughts.rules.variant import Variant

TABLE_LIMIT: Final = 300_000
MOVE_WORTH: Final = 56  # of being to move
FOUR_NODES: Final = 40  # of a search for a win by fours at a leaf
FOURS_IN_A_ROW: Final = 8
LAST_EXTENDED_PLY: Final = 24
FIRST_REDUCED: Final = 3  # among the moves of a position: from this one on, quiet moves are searched one ply less
_DECIDED: Final = WON // 2


def fits(variant: Variant) -> bool:
    """Return whether the search can play the variant."""
    return fits_shapes(variant) and max(variant.shape) <= MAX_SIDE


class ShapeSearch(DeepeningSearch):
    """A search of one position. It makes and unmakes moves on its own board."""

    __slots__ = ("_board", "_entries", "_failures", "_fours_left", "nodes")

    def __init__(self, variant: Variant, x: int, o: int, budget: Budget) -> None:
        super().__init__(budget)
        self._board = ShapeBoard(variant, x, o)
        # key -> depth, value, its bound (0 exact, 1 lower, -1 upper) and the best cell
        self._entries: dict[int, tuple[int, int, int, int]] = {}
        self._failures: set[int] = set()  # keys of positions without a win by fours
        self._fours_left = 0
        self.nodes = 0

    def urgencies(self) -> list[int]:
        """Return how urgent each cell is, negative where it is full."""
        return [x + o for x, o in zip(*self._board.worths, strict=True)]

    def value_of(self, cell: int, side: int, depth: int, low: int, width: int) -> int:
        """Return the value of a move for its side, or a bound that is at most ``low``. Raise OutOfTimeError."""
        if low > -WON * 2:
            bound = self.value_within(cell, side, depth, low, low + 1, width)
            if bound <= low:
                return bound
        return self.value_within(cell, side, depth, low, WON * 2, width)

    def value_within(self, cell: int, side: int, depth: int, low: int, high: int, width: int) -> int:
        """Return the value of a move for its side, or a bound beyond ``low`` or ``high``. Raise OutOfTimeError."""
        state = self._board.save()
        self._board.fill(cell, side)
        try:
            return -self._search(1 - side, depth - 1, -high, -low, 1, width)
        finally:
            self._board.restore(state)

    def _count_node(self) -> None:
        self.nodes += 1
        if not self.nodes & 15:
            self._budget.check()

    def _search(self, side: int, depth: int, low: int, high: int, ply: int, width: int) -> int:
        self._count_node()
        board = self._board
        mine, theirs = board.worths[side], board.worths[1 - side]
        best_mine = max(mine)
        if best_mine >= FIVE:
            return WON - ply
        best_theirs = max(theirs)
        if best_theirs >= FIVE:
            cell = theirs.index(best_theirs)
            if _has_another_five(theirs, cell):
                return -(WON - ply - 1)
            return self._after(cell, side, depth, low, high, ply, width)
        if best_mine >= TWO_FOURS:
            return WON - ply - 2
        if best_mine < 0:
            return 0  # the board is full
        threatened = best_theirs >= TWO_FOURS
        if depth <= 0:
            if not threatened or ply > LAST_EXTENDED_PLY:
                value = board.estimates[side] + MOVE_WORTH
                if best_mine >= FOUR and value < high:
                    self._fours_left = FOUR_NODES
                    if self._wins_by_fours(side, FOURS_IN_A_ROW):
                        return WON - ply - 4
                return value
            depth = 1
        entry = self._entries.get(board.key)
        stored_cell = -1
        if entry is not None:
            stored_depth, value, bound, stored_cell = entry
            value -= ply if value > _DECIDED else -ply if value < -_DECIDED else 0
            decides = bound == 0 or (value >= high if bound > 0 else value <= low)
            if decides and (stored_depth >= depth or (value > _DECIDED and bound >= 0)):
                return value
        keys = [2 * own + other for own, other in zip(mine, theirs, strict=True)]
        if threatened:
            cells = [cell for cell, worth in enumerate(theirs) if worth >= FOUR or mine[cell] >= FOUR]
            cells.sort(key=keys.__getitem__, reverse=True)
        else:
            cells = [
                cell for cell in sorted(range(len(keys)), key=keys.__getitem__, reverse=True)[:width] if keys[cell] > 0
            ]
        if not cells:
            return 0
        if stored_cell >= 0:
            if stored_cell in cells:
                cells.remove(stored_cell)
            cells.insert(0, stored_cell)
        best, choice, floor = -WON * 2, -1, low
        for number, cell in enumerate(cells):
            if number:
                reduced = number >= FIRST_REDUCED and depth >= 3 and not threatened and keys[cell] < THREE
                value = self._after(cell, side, depth - 2 if reduced else depth - 1, low, low + 1, ply, width)
                if reduced and value > low:
                    value = self._after(cell, side, depth - 1, low, low + 1, ply, width)
                if low < value < high:
                    value = self._after(cell, side, depth - 1, low, high, ply, width)
            else:
                value = self._after(cell, side, depth - 1, low, high, ply, width)
            if value > best:
                best, choice = value, cell
                if best > low:
                    low = best
                    if best >= high:
                        break
        if len(self._entries) > TABLE_LIMIT:
            self._entries.clear()
        value = best + ply if best > _DECIDED else best - ply if best < -_DECIDED else best
        self._entries[board.key] = (depth, value, 1 if best >= high else (-1 if best <= floor else 0), choice)
        return best

    def _after(self, cell: int, side: int, depth: int, low: int, high: int, ply: int, width: int) -> int:
        """Return the value for ``side`` after its move, which leaves ``depth`` plies."""
        board = self._board
        state = board.save()
        board.fill(cell, side)
        value = -self._search(1 - side, depth, -high, -low, ply + 1, width)
        board.restore(state)
        return value

    def _wins_by_fours(self, side: int, reach: int) -> bool:
        """Return whether ``side``, to move and without a five, is seen to win by at most ``reach`` fours more than one."""
        self._count_node()
        self._fours_left -= 1
        board = self._board
        mine, theirs = board.worths[side], board.worths[1 - side]
        best_theirs = max(theirs)
        if best_theirs >= FIVE:
            cell = theirs.index(best_theirs)
            if _has_another_five(theirs, cell) or mine[cell] < FOUR:
                return False
            if mine[cell] >= TWO_FOURS:
                return True
            cells = [cell]
        else:
            if max(mine) >= TWO_FOURS:
                return True
            cells = [cell for cell, worth in enumerate(mine) if worth >= FOUR]
        if not reach:
            return False
        for cell in cells:
            if self._fours_left <= 0:
                return False
            state = board.save()
            board.fill(cell, side)
            own = board.worths[side]
            board.fill(own.index(max(own)), 1 - side)
            key = board.key
            won = key not in self._failures and self._wins_by_fours(side, reach - 1)
            board.restore(state)
            if won:
                return True
            if self._fours_left > 0:
                self._keep_failure(key)
        return False

    def _keep_failure(self, key: int) -> None:
        if len(self._failures) > TABLE_LIMIT:
            self._failures.clear()
        self._failures.add(key)


def _has_another_five(worths: list[int], cell: int) -> bool:
    """Return whether a cell besides this one completes a line."""
    worth = worths[cell]
    worths[cell] = 0
    another = max(worths) >= FIVE
    worths[cell] = worth
    return another
