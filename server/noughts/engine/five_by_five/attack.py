"""The search behind every 5x5 verdict: can one side, the attacker, force a line of four?

The value of a position is the answer to two questions: can the side to move force a line, and can the opponent? For
each question one side is the attacker. Only its lines matter; the defender's lines count as threats that the attacker
must answer. That allows cuts which a search for the value itself cannot make:

- *Potential* (Erdős & Selfridge 1973, for games of Maker and Breaker). An open line that lacks k marks weighs 2^(4-k).
  With the defender to move, an attacker whose open lines weigh less than 16 cannot force a line; with the attacker to
  move, less than 8. A mark of the attacker adds the weight of the open lines through its cell, a mark of the defender
  removes it. So the weights of the cells rate every move before it is made, and order the moves.
- *Forks*. A cell on two open lines that lack two marks makes two threats at once and wins. Against a fork only the
  cells of its lines help, and moves that make a threat.

The 28 lines that are open to a side are one number of four groups, so that a move costs one operation for each side::

    bit i of group g          line i is open to the side, and has at least g of its marks

    group 3 | group 2 | group 1 | group 0
    a mark of the side        copies its lines from each group to the next higher one
    a mark of the other side  clears its lines in all groups
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import add, or_
from typing import Final, TypeVar

from noughts.engine.budget import Budget
from noughts.rules.variant import VARIANTS, lines, lines_through

_Item = TypeVar("_Item")

SIZE: Final = 25
_LINES: Final = lines(VARIANTS["5x5"].shape, VARIANTS["5x5"].line)
_COUNT: Final = len(_LINES)
_ALL_LINES: Final = (1 << _COUNT) - 1
_BOARD: Final = (1 << SIZE) - 1
_MASKS_THROUGH: Final = lines_through(VARIANTS["5x5"].shape, VARIANTS["5x5"].line)
_GROUPS: Final = tuple(_COUNT * group for group in range(4))
"""The lowest bit of each group."""
_, _ONE, _TWO, _THREE = _GROUPS
_THROUGH: Final = tuple(sum(1 << i for i in range(_COUNT) if _LINES[i] >> cell & 1) for cell in range(SIZE))
_RAISED: Final = tuple(sum(through << group for group in _GROUPS[:3]) for through in _THROUGH)
"""By cell: the lines through it in the groups that a mark copies."""
_KEPT: Final = tuple(sum((_ALL_LINES & ~through) << group for group in _GROUPS) for through in _THROUGH)
"""By cell: what a mark of the other side leaves."""

TABLE_LIMIT: Final = 300_000
"""Entries, some 20 MB. Of 200 positions with five marks the hardest needed half as many."""
_CHECK_MASK: Final = 0x3FF  # nodes between two readings of the clock, minus one

# Sums over a set of lines are read from two tables, one for each half of its mask: 28 lines, 14 bits each.
_HALF: Final = 14
_LOW: Final = (1 << _HALF) - 1


def _of_all_sets(items: Iterable[_Item], join: Callable[[_Item, _Item], _Item], nothing: _Item) -> tuple[_Item, ...]:
    """Return a table of all sets of the items by their masks: an entry joins the items of a set."""
    table = [nothing]
    for item in items:
        table += [join(entry, item) for entry in table]
    return tuple(table)


# The cells of a set of lines.
_CELLS_LOW: Final = _of_all_sets(_LINES[:_HALF], or_, 0)
_CELLS_HIGH: Final = _of_all_sets(_LINES[_HALF:], or_, 0)

# The weight of a set of lines, one byte for each cell and one for the whole set. At most 28 lines of weight 8 count at
# once, 224, so that no byte overflows.
#
#     byte    25       24 ... 1    0
#           | total | cell 24 ... | cell 0 |
_FIELDS: Final = tuple(sum(1 << 8 * c for c in range(SIZE) if line >> c & 1) | 1 << 8 * SIZE for line in _LINES)
_WEIGHTS_LOW: Final = _of_all_sets(_FIELDS[:_HALF], add, 0)
_WEIGHTS_HIGH: Final = _of_all_sets(_FIELDS[_HALF:], add, 0)
_TOTAL: Final = 8 * SIZE

# The cells of a mask as a tuple.
_SPLIT: Final = 13
_SPLIT_LOW: Final = (1 << _SPLIT) - 1
_LIST_LOW: Final[tuple[tuple[int, ...], ...]] = _of_all_sets([(cell,) for cell in range(_SPLIT)], add, ())
_LIST_HIGH: Final[tuple[tuple[int, ...], ...]] = _of_all_sets([(cell,) for cell in range(_SPLIT, SIZE)], add, ())

# A table entry holds two bounds. The low four bits: with this many further marks, or fewer, the attacker cannot force a
# line. The high four bits: with this many, or more, it can (15: unknown). One byte, so it is an integer that Python
# caches.
_NO_BOUNDS: Final = 15 << 4
_MARKS_LIMIT: Final = 13  # no side can make more marks


def cells_of(mask: int) -> tuple[int, ...]:
    """Return the cells of a mask, in order."""
    return _LIST_LOW[mask & _SPLIT_LOW] + _LIST_HIGH[mask >> _SPLIT]


def completes(marks: int, cell: int) -> bool:
    """Return whether ``marks`` hold a complete line through ``cell``."""
    return any(marks & line == line for line in _MASKS_THROUGH[cell])


def weights(marks: int, other: int) -> bytes:
    """Return for each cell the weight of the lines through it that ``marks`` can still complete, and last the total."""
    return _weigh(_open_lines(marks, other)).to_bytes(SIZE + 1, "little")


def _open_lines(marks: int, other: int) -> int:
    """Return the groups of the lines that are open to the side with these marks."""
    groups = 0
    for i, line in enumerate(_LINES):
        if not line & other:
            groups |= sum(1 << group + i for group in _GROUPS[: (line & marks).bit_count() + 1])
    return groups


def _cells_on(lines: int) -> int:
    """Return the mask of the cells of a set of lines."""
    return _CELLS_LOW[lines & _LOW] | _CELLS_HIGH[lines >> _HALF]


def _weigh(groups: int) -> int:
    """Return the weight of the open lines of a side."""
    one, two, three = groups >> _ONE & _ALL_LINES, groups >> _TWO & _ALL_LINES, groups >> _THREE
    weight = (
        _WEIGHTS_LOW[groups & _LOW]
        + _WEIGHTS_HIGH[groups >> _HALF & _LOW]
        + _WEIGHTS_LOW[one & _LOW]
        + _WEIGHTS_HIGH[one >> _HALF]
        + 2 * (_WEIGHTS_LOW[two & _LOW] + _WEIGHTS_HIGH[two >> _HALF])
    )
    return weight + 4 * (_WEIGHTS_LOW[three & _LOW] + _WEIGHTS_HIGH[three >> _HALF]) if three else weight


class AttackSearch:
    """The search with its table. All positions must be in play: no line is complete."""

    def __init__(self) -> None:
        self.nodes = 0
        self.cell: int | None = None
        """A move of the latest win that :meth:`wins` found, if it had to look for one."""
        self._table: dict[int, int] = {}
        self._budget = Budget(1.0, lambda: 0.0)

    def solve(self, me: int, op: int, budget: Budget) -> int:
        """Return the value (1, 0 or -1) for the side to move, with the marks ``me``. Raise OutOfTimeError."""
        if self.wins(me, op, budget):
            return 1
        return -1 if self.loses(me, op, budget) else 0

    def plies(self, me: int, op: int, value: int, budget: Budget) -> int:
        """Return the plies to the end of a win (``value`` 1) or a loss (-1). Raise OutOfTimeError."""
        for marks in range(1, _MARKS_LIMIT + 1):
            if value > 0 and self.wins(me, op, budget, marks):
                return 2 * marks - 1
            if value < 0 and self.loses(me, op, budget, marks):
                return 2 * marks
        raise AssertionError("the position is neither won nor lost")

    def wins(self, me: int, op: int, budget: Budget, marks: int = SIZE) -> bool:
        """Return whether the side to move can force a line with at most ``marks`` further marks. Raise OutOfTimeError."""
        self._budget = budget
        self.cell = None
        marks = min(marks, (SIZE + 1 - (me | op).bit_count()) // 2)
        return self._attack(me, op, _open_lines(me, op), _open_lines(op, me), marks)

    def loses(self, me: int, op: int, budget: Budget, marks: int = SIZE) -> bool:
        """Return whether the opponent can force a line with at most ``marks`` further marks. Raise OutOfTimeError."""
        self._budget = budget
        marks = min(marks, (SIZE - (me | op).bit_count()) // 2)
        return self._defend(op, me, _open_lines(op, me), _open_lines(me, op), marks)

    def _check(self) -> None:
        self._budget.check()
        if len(self._table) > TABLE_LIMIT:
            self._table.clear()

    # The arguments of both: a and d are the marks of the attacker and of the defender, a_open and d_open the groups of the
    # lines open to each. The attacker may make ``left`` more marks.

    def _attack(self, a: int, d: int, a_open: int, d_open: int, left: int) -> bool:
        """Return whether the attacker, to move, can force a line."""
        if a_open >> _THREE:
            return left > 0
        if left < 2:
            return False
        self.nodes += 1
        if not self.nodes & _CHECK_MASK:
            self._check()
        total = _weigh(a_open)
        if total >> _TOTAL < 8:
            return False
        threats = d_open >> _THREE
        if threats:
            moves = _cells_on(threats) & ~d
            if moves & (moves - 1):
                return False
        else:
            twos = a_open >> _TWO
            if twos & (twos - 1) and _forks(twos, a) != _BOARD:
                return True
            if left == 2:
                return False  # two marks remain, and no single mark makes two threats
            # A cell on no open line is a pass, and a pass is never better than another mark.
            moves = _cells_on((a_open | d_open) & _ALL_LINES) & ~(a | d)
            theirs = d_open >> _TWO
            if theirs & (theirs - 1):
                answers = _forks(theirs, d)
                if answers != _BOARD:
                    moves &= answers | _cells_on(twos)
        key = (a << SIZE | d) << 1
        bounds = self._table.get(key, _NO_BOUNDS)
        if left <= bounds & 15:
            return False
        if left >= bounds >> 4:
            return True
        weight = total.to_bytes(SIZE + 1, "little")
        threshold = 16 - weight[SIZE]
        for cell in sorted(cells_of(moves), key=weight.__getitem__, reverse=True):
            if weight[cell] < threshold:
                break
            if self._defend(
                a | 1 << cell, d, a_open | (a_open & _RAISED[cell]) << _COUNT, d_open & _KEPT[cell], left - 1
            ):
                self._table[key] = self._table.get(key, _NO_BOUNDS) & 15 | left << 4
                self.cell = cell
                return True
        self._table[key] = self._table.get(key, _NO_BOUNDS) & 0xF0 | left
        return False

    def _defend(self, a: int, d: int, a_open: int, d_open: int, left: int) -> bool:
        """Return whether the attacker can force a line, with the defender to move."""
        if d_open >> _THREE:
            return False
        self.nodes += 1
        if not self.nodes & _CHECK_MASK:
            self._check()
        threats = a_open >> _THREE
        moves = _cells_on(threats) & ~a
        if moves & (moves - 1):
            return left > 0
        if left < 2:
            return False
        total = _weigh(a_open)
        if total >> _TOTAL < 16:
            return False
        if not threats:
            moves = _cells_on((a_open | d_open) & _ALL_LINES) & ~(a | d)
            twos = a_open >> _TWO
            if twos & (twos - 1):
                answers = _forks(twos, a)
                if answers != _BOARD:
                    moves &= answers | _cells_on(d_open >> _TWO)
        key = (a << SIZE | d) << 1 | 1
        bounds = self._table.get(key, _NO_BOUNDS)
        if left <= bounds & 15:
            return False
        if left >= bounds >> 4:
            return True
        weight = total.to_bytes(SIZE + 1, "little")
        margin = weight[SIZE] - 8
        # The best defence blocks the attacker and builds lines of its own: this order saves 60 % of the nodes. The
        # weights of both sides on a cell fit into its byte. Their totals may not, hence one byte more.
        order = (total + _weigh(d_open)).to_bytes(SIZE + 2, "little")
        for cell in sorted(cells_of(moves), key=order.__getitem__, reverse=True):
            if weight[cell] > margin:
                self._table[key] = self._table.get(key, _NO_BOUNDS) & 0xF0 | _MARKS_LIMIT  # false for every number
                return False
            if not self._attack(
                a, d | 1 << cell, a_open & _KEPT[cell], d_open | (d_open & _RAISED[cell]) << _COUNT, left
            ):
                self._table[key] = self._table.get(key, _NO_BOUNDS) & 0xF0 | left
                return False
        self._table[key] = self._table.get(key, _NO_BOUNDS) & 15 | left << 4
        return True


def _forks(twos: int, marks: int) -> int:
    """Return the cells that answer every fork, the whole board if there is no fork.

    A fork is two lines that lack two marks each and share one of these cells. ``twos`` are open lines with two of
    ``marks``; none has three.
    """
    answers = _BOARD
    rests: list[int] = []
    covered = 0
    while twos:
        lowest = twos & -twos
        twos ^= lowest
        rest = _LINES[lowest.bit_length() - 1] & ~marks
        if rest & covered:
            if rest in rests:  # two lines that lack the same two cells make one threat
                continue
            for other in rests:
                if other & rest:
                    answers &= other | rest
        covered |= rest
        rests.append(rest)
    return answers
