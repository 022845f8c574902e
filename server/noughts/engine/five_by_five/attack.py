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

Each side's marks on the 28 lines are stored as a thermometer of three masks, so that a move costs a few operations::

    bit i = line i    any: at least one mark, two: at least two, three: at least three
    a mark on a cell  three |= two & through[cell];  two |= any & through[cell];  any |= through[cell]
    lines open to a side are those on which the other has none
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from noughts.engine.budget import Budget
from noughts.rules.variant import VARIANTS, lines, lines_through

SIZE: Final = 25
_LINES: Final = lines(VARIANTS["5x5"].shape, VARIANTS["5x5"].line)
_COUNT: Final = len(_LINES)
_ALL_LINES: Final = (1 << _COUNT) - 1
_BOARD: Final = (1 << SIZE) - 1
_THROUGH: Final = tuple(sum(1 << i for i in range(_COUNT) if _LINES[i] >> cell & 1) for cell in range(SIZE))
_MASKS_THROUGH: Final = lines_through(VARIANTS["5x5"].shape, VARIANTS["5x5"].line)

TABLE_LIMIT: Final = 300_000
"""Entries, some 20 MB. Of 200 positions with five marks the hardest needed half as many."""
_CHECK_MASK: Final = 0x3FF  # nodes between two readings of the clock, minus one

# Sums over a set of lines are read from two tables, one for each half of its mask: 28 lines, 14 bits each.
_HALF: Final = 14
_LOW: Final = (1 << _HALF) - 1


def _unions(masks: Sequence[int]) -> tuple[int, ...]:
    table = [0]
    for mask in masks:
        table += [entry | mask for entry in table]
    return tuple(table)


def _sums(fields: Sequence[int]) -> tuple[int, ...]:
    table = [0]
    for field in fields:
        table += [entry + field for entry in table]
    return tuple(table)


def _lists(first: int, last: int) -> tuple[tuple[int, ...], ...]:
    table: list[tuple[int, ...]] = [()]
    for cell in range(first, last):
        table += [(*entry, cell) for entry in table]
    return tuple(table)


# The cells of a set of lines.
_CELLS_LOW: Final = _unions(_LINES[:_HALF])
_CELLS_HIGH: Final = _unions(_LINES[_HALF:])

# The weight of a set of lines, one byte for each cell and one for the whole set. At most 28 lines of weight 8 count at
# once, 224, so that no byte overflows.
#
#     byte    25       24 ... 1    0
#           | total | cell 24 ... | cell 0 |
_FIELDS: Final = tuple(sum(1 << 8 * c for c in range(SIZE) if line >> c & 1) | 1 << 8 * SIZE for line in _LINES)
_WEIGHTS_LOW: Final = _sums(_FIELDS[:_HALF])
_WEIGHTS_HIGH: Final = _sums(_FIELDS[_HALF:])
_TOTAL: Final = 8 * SIZE

# The cells of a mask as a tuple.
_SPLIT: Final = 13
_SPLIT_LOW: Final = (1 << _SPLIT) - 1
_LIST_LOW: Final = _lists(0, _SPLIT)
_LIST_HIGH: Final = _lists(_SPLIT, SIZE)

# A table entry holds two bounds. The low four bits: with this many further marks, or fewer, the attacker cannot force a
# line. The high four bits: with this many, or more, it can (15: unknown). One byte, so it is an integer that Python
# caches.
_NO_BOUNDS: Final = 15 << 4
_MARKS_LIMIT: Final = 13  # no side can make more marks

Side: TypeAlias = tuple[int, int, int, int]


def cells_of(mask: int) -> tuple[int, ...]:
    """Return the cells of a mask, in order."""
    return _LIST_LOW[mask & _SPLIT_LOW] + _LIST_HIGH[mask >> _SPLIT]


def completes(marks: int, cell: int) -> bool:
    """Return whether ``marks`` hold a complete line through ``cell``."""
    return any(marks & line == line for line in _MASKS_THROUGH[cell])


def _side(marks: int) -> Side:
    one = two = three = 0
    for i, line in enumerate(_LINES):
        count = (line & marks).bit_count()
        one |= (count > 0) << i
        two |= (count > 1) << i
        three |= (count > 2) << i
    return marks, one, two, three


def weights(marks: int, other: int) -> bytes:
    """Return for each cell the weight of the lines through it that ``marks`` can still complete, and last the total."""
    _, one, two, three = _side(marks)
    open_lines = _ALL_LINES & ~_side(other)[1]
    return _weigh(open_lines, open_lines & one, open_lines & two, open_lines & three).to_bytes(SIZE + 1, "little")


def _weigh(open_lines: int, one: int, two: int, three: int) -> int:
    return (
        _WEIGHTS_LOW[open_lines & _LOW]
        + _WEIGHTS_HIGH[open_lines >> _HALF]
        + _WEIGHTS_LOW[one & _LOW]
        + _WEIGHTS_HIGH[one >> _HALF]
        + 2 * (_WEIGHTS_LOW[two & _LOW] + _WEIGHTS_HIGH[two >> _HALF])
        + 4 * (_WEIGHTS_LOW[three & _LOW] + _WEIGHTS_HIGH[three >> _HALF])
    )


class AttackSearch:
    """The search with its table. All positions must be in play: no line is complete."""

    def __init__(self) -> None:
        self.nodes = 0
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
        a, a1, a2, a3 = _side(me)
        d, d1, d2, d3 = _side(op)
        marks = min(marks, (SIZE + 1 - (me | op).bit_count()) // 2)
        return self._attack(a, d, _ALL_LINES & ~d1, a1, a2, a3, _ALL_LINES & ~a1, d1, d2, d3, marks)

    def loses(self, me: int, op: int, budget: Budget, marks: int = SIZE) -> bool:
        """Return whether the opponent can force a line with at most ``marks`` further marks. Raise OutOfTimeError."""
        self._budget = budget
        a, a1, a2, a3 = _side(op)
        d, d1, d2, d3 = _side(me)
        marks = min(marks, (SIZE - (me | op).bit_count()) // 2)
        return self._defend(a, d, _ALL_LINES & ~d1, a1, a2, a3, _ALL_LINES & ~a1, d1, d2, d3, marks)

    def _check(self) -> None:
        self._budget.check()
        if len(self._table) > TABLE_LIMIT:
            self._table.clear()

    # The arguments of both: a and d are the marks of the attacker and of the defender. a_open are the lines open to the
    # attacker, and a1, a2, a3 its thermometer; likewise for the defender. The attacker may make ``left`` more marks.

    def _attack(
        self,
        a: int,
        d: int,
        a_open: int,
        a1: int,
        a2: int,
        a3: int,
        d_open: int,
        d1: int,
        d2: int,
        d3: int,
        left: int,
    ) -> bool:
        """Return whether the attacker, to move, can force a line."""
        if a_open & a3:
            return left > 0
        if left < 2:
            return False
        self.nodes += 1
        if not self.nodes & _CHECK_MASK:
            self._check()
        twos = a2 & a_open
        total = _weigh(a_open, a1 & a_open, twos, 0)
        if total >> _TOTAL < 8:
            return False
        threats = d_open & d3
        if threats:
            moves = (_CELLS_LOW[threats & _LOW] | _CELLS_HIGH[threats >> _HALF]) & ~d
            if moves & (moves - 1):
                return False
        else:
            if twos & (twos - 1) and _forks(twos, a) != _BOARD:
                return True
            if left == 2:
                return False  # two marks remain, and no single mark makes two threats
            # A cell on no open line is a pass, and a pass is never better than another mark.
            either = a_open | d_open
            moves = (_CELLS_LOW[either & _LOW] | _CELLS_HIGH[either >> _HALF]) & ~(a | d)
            theirs = d2 & d_open
            if theirs & (theirs - 1):
                answers = _forks(theirs, d)
                if answers != _BOARD:
                    moves &= answers | _CELLS_LOW[twos & _LOW] | _CELLS_HIGH[twos >> _HALF]
        key = (a << SIZE | d) << 1
        bounds = self._table.get(key, _NO_BOUNDS)
        if left <= bounds & 15:
            return False
        if left >= bounds >> 4:
            return True
        weight = total.to_bytes(SIZE + 1, "little")
        threshold = 16 - weight[SIZE]
        cells = _LIST_LOW[moves & _SPLIT_LOW] + _LIST_HIGH[moves >> _SPLIT]
        for cell in sorted(cells, key=weight.__getitem__, reverse=True):
            if weight[cell] < threshold:
                break
            through = _THROUGH[cell]
            if self._defend(
                a | 1 << cell,
                d,
                a_open,
                a1 | through,
                a2 | a1 & through,
                a3 | a2 & through,
                d_open & ~through,
                d1,
                d2,
                d3,
                left - 1,
            ):
                self._table[key] = self._table.get(key, _NO_BOUNDS) & 15 | left << 4
                return True
        self._table[key] = self._table.get(key, _NO_BOUNDS) & 0xF0 | left
        return False

    def _defend(
        self,
        a: int,
        d: int,
        a_open: int,
        a1: int,
        a2: int,
        a3: int,
        d_open: int,
        d1: int,
        d2: int,
        d3: int,
        left: int,
    ) -> bool:
        """Return whether the attacker can force a line, with the defender to move."""
        if d_open & d3:
            return False
        self.nodes += 1
        if not self.nodes & _CHECK_MASK:
            self._check()
        threats = a_open & a3
        twos = a2 & a_open
        if threats:
            moves = (_CELLS_LOW[threats & _LOW] | _CELLS_HIGH[threats >> _HALF]) & ~a
            if moves & (moves - 1):
                return left > 0
            if left < 2:
                return False
            total = _weigh(a_open, a1 & a_open, twos, threats)
            if total >> _TOTAL < 16:
                return False
        else:
            if left < 2:
                return False
            total = _weigh(a_open, a1 & a_open, twos, 0)
            if total >> _TOTAL < 16:
                return False
            either = a_open | d_open
            moves = (_CELLS_LOW[either & _LOW] | _CELLS_HIGH[either >> _HALF]) & ~(a | d)
            if twos & (twos - 1):
                answers = _forks(twos, a)
                if answers != _BOARD:
                    theirs = d2 & d_open
                    moves &= answers | _CELLS_LOW[theirs & _LOW] | _CELLS_HIGH[theirs >> _HALF]
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
        order = (total + _weigh(d_open, d1 & d_open, d2 & d_open, 0)).to_bytes(SIZE + 2, "little")
        cells = _LIST_LOW[moves & _SPLIT_LOW] + _LIST_HIGH[moves >> _SPLIT]
        for cell in sorted(cells, key=order.__getitem__, reverse=True):
            if weight[cell] > margin:
                self._table[key] = self._table.get(key, _NO_BOUNDS) & 0xF0 | _MARKS_LIMIT  # false for every number
                return False
            through = _THROUGH[cell]
            if not self._attack(
                a,
                d | 1 << cell,
                a_open & ~through,
                a1,
                a2,
                a3,
                d_open,
                d1 | through,
                d2 | d1 & through,
                d3 | d2 & through,
                left,
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
