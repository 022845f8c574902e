"""Ultimate: the kernel, and the iterative deepening above :mod:`noughts.engine.ultimate.search`."""

from __future__ import annotations

import random
from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.ultimate.search import ALL_CLOSED, FREE, NODES_PER_CHECK, PROVED, SHIFT, WIN, Move, Search
from noughts.engine.ultimate.tables import O_WON, POWER, X_WON, Tables
from noughts.engine.verdict import UNKNOWN, Analysis, Choice, Verdict
from noughts.rules.position import Position
from noughts.rules.ultimate import CELLS_OF, SMALL_LINES, small_mask
from noughts.rules.variant import Variant

MOST_PLIES: Final = 81
ONLY_MOVE_DEPTH: Final = 4
UNCHECKED_DEPTH: Final = 2
"""As deep as a search goes whatever the budget: a few milliseconds."""
NEVER: Final = 99
FORESIGHT: Final = 14
"""Where no line can be completed within so many plies, nothing is worth an attempt to prove it."""


class UltimateKernel:
    """The search for ultimate. It keeps its tables, and nothing of one search for the next: with the same seed and
    the same number of nodes it answers the same."""

    exact: Final = False

    def __init__(self, variant: Variant, nodes_per_check: int = NODES_PER_CHECK) -> None:
        self.variant: Final = variant
        self.nodes_per_check = nodes_per_check
        self.tables = Tables()
        self.nodes = 0
        """How many nodes the latest search visited, its last plies not counted."""

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """The verdict where a search to the end fits the budget, and the moves that it had time to prove."""
        if fewest_plies(position) > FORESIGHT:
            self.nodes = 0
            return Analysis(UNKNOWN, ())
        root = Root(self.tables, position, self.nodes_per_check)
        root.deepen(budget, MOST_PLIES)
        self.nodes = root.search.nodes
        return Analysis(root.verdict(), root.keeping(budget))

    def choose(self, position: Position, budget: Budget, rng: random.Random) -> Choice:
        """The move of the deepest search that the budget allows, and the verdict if that was a proof."""
        root = Root(self.tables, position, self.nodes_per_check)
        root.shuffle(rng)
        root.deepen(budget, MOST_PLIES if len(root.moves) > 1 else ONLY_MOVE_DEPTH)
        self.nodes = root.search.nodes
        return Choice(root.cell(root.best), root.verdict())


class Root:
    """The position in question: iterative deepening, and what it has learnt so far."""

    def __init__(self, tables: Tables, position: Position, nodes_per_check: int = NODES_PER_CHECK) -> None:
        self.search = search = Search(tables, nodes_per_check)
        self.position = position
        self.side = position.ply & 1
        self.forced = FREE if position.forced is None else position.forced
        worth = key = won_x = won_o = closed = 0
        for board in range(9):
            state = tables.state_of(small_mask(position.x, board), small_mask(position.o, board))
            search.boards[board] = state
            worth += search.class_at[board][state]
            key += state * SHIFT[board]
            decision = tables.decided[state]
            won_x |= (decision == X_WON) << board
            won_o |= (decision == O_WON) << board
            closed |= (decision != 0) << board
        self.boards = tuple(search.boards)
        self.key, self.worth = key, worth
        self.won_x, self.won_o, self.closed = won_x, won_o, closed
        self.moves = search.moves(self.side, self.forced, worth, won_x, won_o, closed)
        self.best = self.moves[0]
        self.value = 0
        self.complete = False
        """Whether the value is that of the whole game tree."""

    def shuffle(self, rng: random.Random) -> None:
        """Put moves of equal estimate into a random order."""
        rng.shuffle(self.moves)
        self.moves.sort(key=lambda move: -move[0])
        self.best = self.moves[0]

    def deepen(self, budget: Budget, limit: int) -> None:
        """Search deeper and deeper until the value is proved or the budget is spent."""
        search = self.search
        if self.best[0] == WIN:
            self.value = WIN - self.position.ply - 1
            return
        for depth in range(2, limit + 1):
            search.budget = budget if depth > UNCHECKED_DEPTH else None
            before = search.estimates
            try:
                self._iterate(depth)
            except OutOfTimeError:
                search.boards[:] = self.boards
                return
            self.complete = search.estimates == before
            if self.proved or budget.left() <= 0:
                return

    def _iterate(self, depth: int) -> None:
        """One depth. If it is broken off, the best so far stands; a loss stands only once every move was tried."""
        floor = -WIN
        for place, move in enumerate(self.moves):
            if floor <= -PROVED:
                self.best = move  # all before it lose
            if place:
                value = self.value_of(move, depth, floor, floor + 1)
                if value > floor:
                    value = self.value_of(move, depth, value - 1, WIN)
            else:
                value = self.value_of(move, depth, -WIN, WIN)
            if value > floor:
                floor = value
                best = move
                if value > -PROVED:
                    self.value = value
                    self.best = move
        self.value = floor
        self.best = best
        # The best goes to the front; the others keep their order.
        self.moves.remove(best)
        self.moves.insert(0, best)

    def value_of(self, move: Move, depth: int, alpha: int, beta: int) -> int:
        """The value of a move that does not win at once, for the side that makes it; ``depth`` counts it."""
        _, board, new, to, worth, _, x, o, closed = move
        if closed == ALL_CLOSED:
            return 0
        search = self.search
        state = search.boards[board]
        key = self.key + (new - state) * SHIFT[board]
        search.boards[board] = new
        ply = self.position.ply + 1
        value = -search.search(self.side ^ 1, to, depth - 1, -beta, -alpha, ply, key, worth, x, o, closed)
        search.boards[board] = state
        return value

    @property
    def proved(self) -> bool:
        return self.complete or abs(self.value) >= PROVED

    @property
    def plies(self) -> int:
        """Moves to the end of a proved win or loss."""
        return WIN - abs(self.value) - self.position.ply

    def verdict(self) -> Verdict:
        if not self.proved:
            return UNKNOWN
        if abs(self.value) < PROVED:
            return Verdict("draw", None, "exact")
        # The plies are right: the search to depth n sees every end within n plies and, since the table holds nothing
        # deeper but what is complete, none later; and no search before it saw one.
        return Verdict("win" if self.value > 0 else "loss", self.plies, "exact")

    def keeping(self, budget: Budget) -> tuple[int, ...]:
        """The moves proved to keep the value, in the order of their cells, as far as the budget goes."""
        if not self.proved:
            return ()
        if self.value <= -PROVED:
            return self.position.legal()
        if self.plies == 1:
            return tuple(cell for cell in self.position.legal() if self.position.play(cell).ended(cell))
        kept = [self.best]
        self.search.budget = budget
        goal = PROVED if self.value > 0 else 0
        try:
            for move in self.moves:
                if move is not self.best and self._reaches(move, goal):
                    kept.append(move)  # noqa: PERF401 - what was found before the budget ran out must stay
        except OutOfTimeError:
            self.search.boards[:] = self.boards
        return tuple(sorted(self.cell(move) for move in kept))

    def _reaches(self, move: Move, goal: int) -> bool:
        """Whether a search to the end proves at least ``goal`` for the move."""
        before = self.search.estimates
        value = self.value_of(move, MOST_PLIES, goal - 1, goal)
        return value >= goal and (value >= PROVED or self.search.estimates == before)

    def cell(self, move: Move) -> int:
        board, new = move[1], move[2]
        placed = new - self.boards[board]
        return CELLS_OF[board][POWER.index(placed // (self.side + 1))]


def fewest_plies(position: Position) -> int:
    """A bound from below: the plies until the boards could be full, or a line of boards complete if both sides only
    helped to complete it."""
    taken = position.x | position.o
    boards = position.boards or ()
    fewest = sum(not taken >> cell & 1 for board in range(9) if boards[board] is None for cell in CELLS_OF[board])
    for parity, mark, marks in ((0, "X", position.x), (1, "O", position.o)):
        needed = []
        for board in range(9):
            mine, all_marks = small_mask(marks, board), small_mask(taken, board)
            free = [(line & ~mine).bit_count() for line in SMALL_LINES if not line & all_marks & ~mine]
            needed.append(0 if boards[board] == mark else NEVER if boards[board] or not free else min(free))
        marks_left = min(sum(needed[board] for board in range(9) if line >> board & 1) for line in SMALL_LINES)
        # The side to move needs 2n - 1 plies for n marks, the other one 2n.
        fewest = min(fewest, 2 * marks_left - (position.ply & 1 == parity))
    return fewest
