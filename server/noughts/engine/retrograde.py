"""Retrograde analysis (Ströhlein 1970, Thompson 1986): a game in which marks leave the board, solved from its ends.

A search that follows moves forwards never ends here, because positions come back. The analysis starts where the game is
over and works back. A position is a win in ``n`` if some move leads to a loss in ``n - 1``. It is a loss in ``n`` if all
moves lead to wins and the longest of them lasts ``n - 1``. Positions that neither rule reaches can go on for ever: they are
draws. The analysis goes up layer by layer in ``n``, so it finds the quickest wins and the longest losses.
"""

from __future__ import annotations

from collections.abc import Generator, Set
from typing import Final, NamedTuple, TypeAlias, TypeVar

from noughts.engine.budget import Budget
from noughts.rules.variant import Variant, lines_through

Ages: TypeAlias = tuple[int, ...]
"""The cells of the marks on the board, oldest first."""
_Product = TypeVar("_Product")
Steps: TypeAlias = Generator[None, None, _Product]
"""Work that pauses after each :data:`_CHECK_MASK` + 1 positions, and returns its product."""
_CHECK_MASK: Final = 0x3FF
"""The positions between two readings of the clock, minus one: a few milliseconds."""


class Graph(NamedTuple):
    """Every position reachable from the empty board, by number; the empty board is number 0.

    The ages alone identify a position: marks alternate, and the newest belongs to the side that has just moved::

        ages   b2 a1 c3 c1 a3 b1     the opponent's: b1, c1, a1     mine: a3, c3, b2, of which b2 leaves next

    ``after`` holds for each position the numbers of the positions after its moves, in the order of ``legal``, nothing
    once the game is over. ``before`` holds the reverse edges. ``over`` are the positions with a complete line: lost for
    the side to move, in misère won.
    """

    numbers: dict[Ages, int]
    after: list[list[int]]
    before: list[list[int]]
    over: list[int]


def finish(steps: Steps[_Product], budget: Budget) -> _Product:
    """Return the product of the steps. Raise OutOfTimeError: then they can go on later."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            product: _Product = end.value
            return product
        budget.check()


def reachable(variant: Variant) -> Steps[Graph]:
    """Make all positions reachable from the empty board, breadth first."""
    limit = 2 * (variant.marks_kept or 0)
    through = lines_through(variant.shape, variant.line)
    cells = range(variant.cells)
    order: list[Ages] = [()]
    numbers: dict[Ages, int] = {(): 0}
    after: list[list[int]] = []
    before: list[list[int]] = [[]]
    over: list[int] = []
    ended = [False]
    for number, ages in enumerate(order):  # the list grows during the loop
        if not number & _CHECK_MASK:
            yield
        children: list[int] = []
        after.append(children)
        if ended[number]:
            over.append(number)
            continue
        staying = ages[1:] if len(ages) == limit else ages
        mine = 0
        for cell in staying[-2::-2]:
            mine |= 1 << cell
        for cell in cells:
            if cell in ages:
                continue
            following = (*staying, cell)
            child = numbers.get(following)
            if child is None:
                child = numbers[following] = len(order)
                order.append(following)
                before.append([])
                marks = mine | 1 << cell
                ended.append(any(marks & line == line for line in through[cell]))
            children.append(child)
            before[child].append(number)
    return Graph(numbers, after, before, over)


def solve(graph: Graph, over: list[int], draws: Set[int], misere: bool, halves: int = 1) -> Steps[list[int | None]]:
    """Make for each position the plies to the end of its win or loss, None for a draw.

    ``over`` are the positions with a complete line, ``draws`` those in which the game ends as a draw. With two ``halves``
    each position of the graph appears twice, the second time with a number higher by the size of the graph, and every
    move leads from one half to the other.
    """
    count = len(graph.after)
    other_half = count * (halves - 1)  # what to add to a position before one of the first half
    plies: list[int | None] = [None] * (halves * count)
    open_moves = [len(numbers) for numbers in graph.after] * halves
    lost: list[int] = [number for number in over if number not in draws]
    won: list[int] = []
    if misere:
        lost, won = won, lost
    layer = 0
    for number in lost:
        plies[number] = 0
    for number in won:
        plies[number] = 0
    while lost or won:
        won_next, lost_next = [], []
        for index, number in enumerate(lost):
            if not index & _CHECK_MASK:
                yield
            half = other_half if number < count else 0
            for before in graph.before[number % count]:
                earlier = before + half
                if plies[earlier] is None and earlier not in draws:
                    plies[earlier] = layer + 1
                    won_next.append(earlier)
        for index, number in enumerate(won):
            if not index & _CHECK_MASK:
                yield
            half = other_half if number < count else 0
            for before in graph.before[number % count]:
                earlier = before + half
                open_moves[earlier] -= 1
                if not open_moves[earlier] and plies[earlier] is None and earlier not in draws:
                    plies[earlier] = layer + 1
                    lost_next.append(earlier)
        lost, won = lost_next, won_next
        layer += 1
    return plies
