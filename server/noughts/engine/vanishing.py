"""Vanishing: exact values for every position, by retrograde analysis.

The values are about positions, as if the game began there. In a game a third repetition is a draw. So the choice of a move
counts the positions that the game has visited twice as draws, and solves again.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Set
from contextlib import suppress
from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.one_ply import one_ply_move
from noughts.engine.retrograde import Ages, Graph, Steps, finish, reachable, solve
from noughts.engine.solvable import is_exact
from noughts.engine.verdict import OPPOSITE, UNKNOWN, Analysis, Choice, Value, Verdict
from noughts.rules.game import Game
from noughts.rules.position import FamilyPosition, Position
from noughts.rules.variant import Variant

_NO_POSITIONS: Final[frozenset[int]] = frozenset()


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
        self._begun: Steps[None] | None = None
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
        if (next_draws or later_draws) and plies[number] is not None:  # a drawn position stays drawn
            with suppress(OutOfTimeError):  # values without history are the next best
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
                finish(steps, budget)
            except OutOfTimeError:
                self._begun = steps
                raise
        assert self._graph is not None
        return self._graph

    def _solve_all(self) -> Steps[None]:
        graph = yield from reachable(self.variant)
        self._plies = yield from solve(graph, graph.over, _NO_POSITIONS, self.variant.misere)
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
        return finish(solve(graph, over, draws, self.variant.misere, halves=2), budget)

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
