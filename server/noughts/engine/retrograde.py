"""Vanishing, solved backwards from its ends.

A search that follows moves forwards walks in circles here, since marks leave the board. Retrograde analysis (Ströhlein
1970, Thompson 1986) starts where the game is over and works back: a position is a win in ``n`` if some move leads to a
loss in ``n - 1``, a loss in ``n`` if all moves lead to wins and the longest of them lasts ``n - 1``; whatever is
reached from neither side can go on for ever and is a draw. Layer by layer in ``n``, so that wins are the quickest and
losses the longest.

Values are about positions, as if the game began there. A third repetition draws in the game, so the choice of a move
also takes the game's twice-seen positions and solves again with those as draws.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Set
from contextlib import suppress
from typing import Final, NamedTuple, TypeAlias

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.one_ply import at_a_glance
from noughts.engine.verdict import UNKNOWN, Analysis, Choice, Value, Verdict
from noughts.rules.position import FamilyPosition, Position
from noughts.rules.variant import Variant, lines_through

Ages: TypeAlias = tuple[int, ...]
_NOTHING: Final[frozenset[Hashable]] = frozenset()


class Graph(NamedTuple):
    """Every position reachable from the empty board, by number; the empty board is number 0.

    A position is told by its ages alone, the cells of the marks on the board, oldest first: marks alternate, and the
    newest is that of the side that has just moved::

        ages   b2 a1 c3 c1 a3 b1        b1, c1, a1: the other side's       a3, c3, b2: mine, and b2 leaves next

    ``after``: the numbers of the positions that the moves lead to, in the order of ``legal``, nothing once the game is
    over; ``before`` turns those arrows round. ``over`` are the positions in which a line is complete: lost for the
    side to move (in misère won).
    """

    numbers: dict[Ages, int]
    after: list[list[int]]
    before: list[list[int]]
    over: list[int]


POSITIONS_LIMIT: Final = 100_000
"""Games with more positions are not solved: their kernel plays what it sees at a glance, and proves nothing."""


def most_positions(variant: Variant) -> int:
    """No more positions than this are reachable: the sequences of ages of every length."""
    total = sequences = 1
    for marks in range(2 * (variant.marks_kept or 0)):
        sequences *= variant.cells - marks
        total += sequences
    return total


class VanishingKernel:
    """Exact values, with plies, for every position of a game in which marks leave the board."""

    def __init__(self, variant: Variant) -> None:
        if variant.marks_kept is None:
            raise ValueError("the marks of this variant do not vanish")
        self.variant = variant
        self.exact = most_positions(variant) <= POSITIONS_LIMIT
        self._graph: Graph | None = None
        self._plies: list[int | None] = []

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """The value with its plies, and every move that keeps it."""
        try:
            graph = self._ready(budget)
        except OutOfTimeError:
            return Analysis(UNKNOWN, ())
        number = graph.numbers[_ages(position)]
        value, cells = self._value(self._plies[number]), position.legal()
        verdict = Verdict(value, self._plies[number], "exact")
        if value == "loss":
            return Analysis(verdict, cells)
        kept = "loss" if value == "win" else "draw"
        after = graph.after[number]
        best = tuple(cell for cell, child in zip(cells, after, strict=True) if self._value(self._plies[child]) == kept)
        return Analysis(verdict, best)

    def choose(self, position: Position, budget: Budget, rng: random.Random) -> Choice:
        """The move of perfect play, as if the game began in ``position``."""
        return self.choose_after(position, _NOTHING, budget, rng)

    def choose_after(self, position: Position, twice: Set[Hashable], budget: Budget, rng: random.Random) -> Choice:
        """The move of perfect play when the positions with a key in ``twice`` would end the game as draws."""
        cells = position.legal()
        try:
            graph = self._ready(budget)
        except OutOfTimeError:
            return Choice(at_a_glance(position, rng), UNKNOWN)
        number = graph.numbers[_ages(position)]
        plies, offset = self._plies, 0
        ends = _of_next_ply(graph, position, twice)
        later = _of_next_ply(graph, position.play(cells[0]), twice)
        if (ends or later) and self._touches(graph, number, ends, later):
            with suppress(OutOfTimeError):  # then values without history are the next best
                plies, offset = self._solved_with(graph, ends, later, budget), len(graph.after)
        reached = dict(zip(cells, graph.after[number], strict=True))
        values = {cell: self._value(plies[child]) for cell, child in reached.items()}
        wins = [plies[reached[cell]] or 0 for cell in cells if values[cell] == "loss"]
        if wins:
            best = [cell for cell in cells if values[cell] == "loss" and plies[reached[cell]] == min(wins)]
        elif "draw" in values.values():
            best = [cell for cell in cells if values[cell] == "draw"]
            # Rather a draw that goes on than one that ends here: the other side can still go wrong.
            best = [cell for cell in best if reached[cell] not in ends] or best
        else:
            longest = max(plies[child] or 0 for child in reached.values())
            best = [cell for cell in cells if plies[reached[cell]] == longest]
        chances = {cell: self._chances(graph, reached[cell], plies, offset) for cell in best}
        most = max(chances.values())
        mine = self._plies[number]
        verdict = Verdict(self._value(mine), mine, "exact")
        return Choice(rng.choice([cell for cell in best if chances[cell] == most]), verdict)

    def positions(self, budget: Budget) -> int:
        """How many positions are reachable, those in which the game is over among them."""
        return len(self._ready(budget).after)

    def _ready(self, budget: Budget) -> Graph:
        if self._graph is None:
            if not self.exact:
                raise OutOfTimeError
            graph = _reach(self.variant, budget)
            self._plies = _solve(graph, frozenset(), self.variant.misere, budget)
            self._graph = graph
        return self._graph

    def _touches(self, graph: Graph, number: int, ends: Set[int], later: Set[int]) -> bool:
        """Whether ``ends`` (the other side to move) or ``later`` (this side) could change how a decided position is
        played: for a lost one always, for a won one if perfect play against any replies comes across them."""
        plies = self._plies[number]
        if self._value(plies) != "win":
            return plies is not None
        ours, seen = [number], {number}
        while ours:
            one = ours.pop()
            ahead = (self._plies[one] or 0) - 1
            theirs = [child for child in graph.after[one] if self._plies[child] == ahead]
            replies = {reply for child in theirs for reply in graph.after[child]} - seen
            if not ends.isdisjoint(theirs) or not later.isdisjoint(replies):
                return True
            seen |= replies
            ours.extend(replies)
        return False

    def _solved_with(self, graph: Graph, ends: Set[int], later: Set[int], budget: Budget) -> list[int | None]:
        """The values when a move to one of ``ends``, or the move after that to one of ``later``, draws.

        A repetition needs the same side to move, which ages do not tell: so each position is there twice, once for
        even plies and once for odd, and every move leads from one half to the other. The half with the other side to
        move comes first, with the plain numbers.
        """
        count = len(graph.after)
        doubled = Graph(
            graph.numbers,
            [[number + count for number in numbers] for numbers in graph.after] + graph.after,
            [[number + count for number in numbers] for numbers in graph.before] + graph.before,
            graph.over + [number + count for number in graph.over],
        )
        draws = {*ends, *(number + count for number in later)}
        return _solve(doubled, draws, self.variant.misere, budget)

    def _value(self, plies: int | None) -> Value:
        """Who completes the last line has moved last: an odd number of plies from now is the side to move."""
        if plies is None:
            return "draw"
        return "win" if bool(plies & 1) != self.variant.misere else "loss"

    def _chances(self, graph: Graph, number: int, plies: list[int | None], offset: int) -> int:
        """How many replies throw away what the opponent holds in this position."""
        value = self._value(plies[number])
        if value == "loss":
            return 0
        kept = "loss" if value == "win" else "draw"
        return sum(self._value(plies[reply + offset]) != kept for reply in graph.after[number])


def _of_next_ply(graph: Graph, position: Position, keys: Set[Hashable]) -> frozenset[int]:
    """The numbers of those keys that the other side is to move in."""
    parity = 1 - (position.ply & 1)
    return frozenset(graph.numbers[key[3]] for key in keys if isinstance(key, tuple) and key[2] == parity)


def _ages(position: Position) -> Ages:
    assert isinstance(position, FamilyPosition)
    return position.ages


def _reach(variant: Variant, budget: Budget) -> Graph:
    """All positions reachable from the empty board, breadth first."""
    kept = 2 * (variant.marks_kept or 0)
    through = lines_through(variant.shape, variant.line)
    cells = range(variant.cells)
    order: list[Ages] = [()]
    numbers: dict[Ages, int] = {(): 0}
    after: list[list[int]] = []
    before: list[list[int]] = [[]]
    over: list[int] = []
    ended = [False]
    for number, ages in enumerate(order):  # grows as it is read
        if not number & 0x3FF:
            budget.check()
        reached: list[int] = []
        after.append(reached)
        if ended[number]:
            over.append(number)
            continue
        staying = ages[1:] if len(ages) == kept else ages
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
            reached.append(child)
            before[child].append(number)
    return Graph(numbers, after, before, over)


def _solve(graph: Graph, draws: Set[int], misere: bool, budget: Budget) -> list[int | None]:
    """For each position the plies to the end of its win or loss, or None for a draw.

    ``draws`` are positions in which the game ends drawn.
    """
    plies: list[int | None] = [None] * len(graph.after)
    open_moves = [len(numbers) for numbers in graph.after]
    lost: list[int] = [number for number in graph.over if number not in draws]
    won: list[int] = []
    if misere:
        lost, won = won, lost
    layer = 0
    for number in lost:
        plies[number] = 0
    for number in won:
        plies[number] = 0
    while lost or won:
        budget.check()
        won_next, lost_next = [], []
        for number in lost:
            for earlier in graph.before[number]:
                if plies[earlier] is None and earlier not in draws:
                    plies[earlier] = layer + 1
                    won_next.append(earlier)
        for number in won:
            for earlier in graph.before[number]:
                open_moves[earlier] -= 1
                if not open_moves[earlier] and plies[earlier] is None and earlier not in draws:
                    plies[earlier] = layer + 1
                    lost_next.append(earlier)
        lost, won = lost_next, won_next
        layer += 1
    return plies
