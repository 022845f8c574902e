"""Vanishing, solved backwards from the ends of the game.

A search that follows moves forwards never ends here, because marks leave the board and positions come back. Retrograde
analysis (Ströhlein 1970, Thompson 1986) starts where the game is over and works back. A position is a win in ``n`` if
some move leads to a loss in ``n - 1``. It is a loss in ``n`` if all moves lead to wins and the longest of them lasts
``n - 1``. Positions that neither rule reaches can go on for ever: they are draws. The analysis goes up layer by layer
in ``n``, so it finds the quickest wins and the longest losses.

These values are about positions, as if the game began there. In a game a third repetition is a draw. So the choice of a
move counts the positions that the game has visited twice as draws, and solves again where they matter.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Generator, Set
from contextlib import suppress
from typing import Final, NamedTuple, TypeAlias, TypeVar

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.one_ply import one_ply_move
from noughts.engine.solvable import is_exact
from noughts.engine.verdict import OPPOSITE, UNKNOWN, Analysis, Choice, Value, Verdict
from noughts.rules.game import Game
from noughts.rules.position import FamilyPosition, Position
from noughts.rules.variant import Variant, lines_through

Ages: TypeAlias = tuple[int, ...]
"""The cells of the marks on the board, oldest first."""
_Product = TypeVar("_Product")
_Steps: TypeAlias = Generator[None, None, _Product]
"""Work that pauses after each :data:`_CHECK_MASK` + 1 positions, and returns its product."""
_NO_POSITIONS: Final[frozenset[int]] = frozenset()
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


class VanishingKernel:
    """Exact values, with plies, for every position of a game in which marks leave the board.

    A board that is too large to solve gets one-ply moves and no verdicts. A search that is out of time keeps what it has
    solved, and the next one goes on with it: many short searches end as soon as one long search.
    """

    def __init__(self, variant: Variant) -> None:
        if variant.marks_kept is None:
            raise ValueError("the marks of this variant do not vanish")
        self.variant = variant
        self._marks_limit = 2 * variant.marks_kept
        self._graph: Graph | None = None
        self._plies: list[int | None] = []
        self._begun: _Steps[None] | None = None
        """The solution that a search has begun, while no search works on it."""

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """Return the value with its plies, and every move that keeps it."""
        try:
            graph = self._solved_graph(budget)
        except OutOfTimeError:
            return Analysis(UNKNOWN, ())
        number = graph.numbers[_ages(position)]
        value, cells = self._value(self._plies[number]), position.legal()
        verdict = Verdict(value, self._plies[number], "exact")
        if value == "loss":
            return Analysis(verdict, cells, True)
        opposite = OPPOSITE[value]
        children = zip(cells, graph.after[number], strict=True)
        best = tuple(cell for cell, child in children if self._value(self._plies[child]) == opposite)
        return Analysis(verdict, best, True)

    def choose(self, game: Game, budget: Budget, rng: random.Random) -> Choice:
        """Return the move of perfect play, where a third visit to a position of this game is a draw.

        The verdict is about the position alone, as in :meth:`analyse`.
        """
        position = game.position
        cells = position.legal()
        try:
            graph = self._solved_graph(budget)
        except OutOfTimeError:
            return Choice(one_ply_move(position, rng), UNKNOWN)
        number = graph.numbers[_ages(position)]
        plies, offset = self._plies, 0
        next_draws, later_draws = self._repeated(graph, game)
        if next_draws or later_draws:
            with suppress(OutOfTimeError):  # values without history are the next best
                if self._matters(graph, number, next_draws, later_draws, budget):
                    plies, offset = self._solve_with(graph, next_draws, later_draws, budget), len(graph.after)
        children = dict(zip(cells, graph.after[number], strict=True))
        values = {cell: self._value(plies[child]) for cell, child in children.items()}
        wins = [plies[children[cell]] or 0 for cell in cells if values[cell] == "loss"]
        if wins:
            best = [cell for cell in cells if values[cell] == "loss" and plies[children[cell]] == min(wins)]
        elif "draw" in values.values():
            best = [cell for cell in cells if values[cell] == "draw"]
            # A draw that goes on is better than one that ends the game: the opponent can still make a mistake.
            best = [cell for cell in best if children[cell] not in next_draws] or best
        else:
            longest = max(plies[child] or 0 for child in children.values())
            best = [cell for cell in cells if plies[children[cell]] == longest]
        mistakes = {cell: self._mistakes(graph, children[cell], plies, offset) for cell in best}
        most = max(mistakes.values())
        own_plies = self._plies[number]
        verdict = Verdict(self._value(own_plies), own_plies, "exact")
        return Choice(rng.choice([cell for cell in best if mistakes[cell] == most]), verdict)

    def positions(self, budget: Budget) -> int:
        """Return the number of reachable positions, ended games included. Raise OutOfTimeError."""
        return len(self._solved_graph(budget).after)

    def _solved_graph(self, budget: Budget) -> Graph:
        if self._graph is None:
            if not is_exact(self.variant):
                raise OutOfTimeError
            steps, self._begun = self._begun or self._solve_all(), None
            try:
                _work(steps, budget)
            except OutOfTimeError:
                self._begun = steps
                raise
        assert self._graph is not None
        return self._graph

    def _solve_all(self) -> _Steps[None]:
        graph = yield from _reachable(self.variant)
        self._plies = yield from _solve(graph, graph.over, _NO_POSITIONS, self.variant.misere)
        self._graph = graph

    def _repeated(self, graph: Graph, game: Game) -> tuple[frozenset[int], frozenset[int]]:
        """Return the positions that the game has visited twice: with the opponent to move, with the side to move."""
        moves, limit = game.moves, self._marks_limit
        visits = Counter((ply & 1, moves[max(0, ply - limit) : ply]) for ply in range(len(moves) + 1))
        twice = [key for key, count in visits.items() if count > 1]
        turn = game.position.ply & 1
        return (
            frozenset(graph.numbers[ages] for parity, ages in twice if parity != turn),
            frozenset(graph.numbers[ages] for parity, ages in twice if parity == turn),
        )

    def _matters(self, graph: Graph, number: int, next_draws: Set[int], later_draws: Set[int], budget: Budget) -> bool:
        """Return whether draws by repetition could change the play from a position.

        They cannot in a drawn one, they always may in a lost one. In a won one they matter if perfect play against any
        replies meets them, with the opponent (``next_draws``) or with the side to move (``later_draws``). Raise
        OutOfTimeError.
        """
        plies = self._plies[number]
        if self._value(plies) != "win":
            return plies is not None
        queue, visited = [number], {number}
        while queue:
            budget.check()
            won = queue.pop()
            ahead = (self._plies[won] or 0) - 1
            lost = [child for child in graph.after[won] if self._plies[child] == ahead]
            replies = {reply for child in lost for reply in graph.after[child]} - visited
            if not next_draws.isdisjoint(lost) or not later_draws.isdisjoint(replies):
                return True
            visited |= replies
            queue.extend(replies)
        return False

    def _solve_with(
        self, graph: Graph, next_draws: Set[int], later_draws: Set[int], budget: Budget
    ) -> list[int | None]:
        """Return the plies of every position when a move to ``next_draws``, or the move after that to ``later_draws``,
        ends the game as a draw. Raise OutOfTimeError.

        A repetition needs the same side to move, which the ages do not show. So each position appears twice, for even
        and for odd plies, and every move leads from one half to the other. The half with the opponent to move comes
        first and has the plain numbers.
        """
        count = len(graph.after)
        over = graph.over + [number + count for number in graph.over]
        draws = {*next_draws, *(number + count for number in later_draws)}
        return _work(_solve(graph, over, draws, self.variant.misere, halves=2), budget)

    def _value(self, plies: int | None) -> Value:
        """Return the value for the side to move: the last line comes after an odd number of plies if it completes it."""
        if plies is None:
            return "draw"
        return "win" if bool(plies & 1) != self.variant.misere else "loss"

    def _mistakes(self, graph: Graph, number: int, plies: list[int | None], offset: int) -> int:
        """Return how many replies of the opponent, to move in this position, give its value away."""
        value = self._value(plies[number])
        if value == "loss":
            return 0
        return sum(self._value(plies[reply + offset]) != OPPOSITE[value] for reply in graph.after[number])


def _ages(position: Position) -> Ages:
    assert isinstance(position, FamilyPosition)
    return position.ages


def _work(steps: _Steps[_Product], budget: Budget) -> _Product:
    """Return the product of the steps. Raise OutOfTimeError: then they can go on later."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            product: _Product = end.value
            return product
        budget.check()


def _reachable(variant: Variant) -> _Steps[Graph]:
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


def _solve(graph: Graph, over: list[int], draws: Set[int], misere: bool, halves: int = 1) -> _Steps[list[int | None]]:
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
