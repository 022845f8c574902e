"""The kernel of ultimate: iterative deepening above :mod:`noughts.engine.ultimate.search`."""

from __future__ import annotations

import random
from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.ultimate.search import FREE, NODES_PER_COUNTED_READING, PROVED, WIN, Move, Search
from noughts.engine.verdict import UNKNOWN, Analysis, Choice, Verdict
from noughts.rules.game import Game
from noughts.rules.position import Position
from noughts.rules.ultimate import CELLS_OF, SMALL_LINES, small_mask
from noughts.rules.variant import Variant

MOST_PLIES: Final = 81
ONLY_MOVE_DEPTH: Final = 4
UNCHECKED_DEPTH: Final = 2
"""Every search reaches this depth, also with a spent budget. It takes a few milliseconds."""
ALL_CLOSED: Final = 511
POWERS: Final = tuple(3**place for place in range(9))
"""By how much X's mark in each place of a small board raises its state. O's counts twice."""
UNREACHABLE: Final = 99
PROOF_HORIZON: Final = 14
"""With more :func:`plies_to_end` than this, an analysis does not search: a proof would take too long."""


class UltimateKernel:
    """The search for ultimate.

    It keeps its tables but no results between searches, so the same seed and the same number of nodes give the same
    move.
    """

    def __init__(self, variant: Variant, nodes_per_counted_reading: int = NODES_PER_COUNTED_READING) -> None:
        self.variant: Final = variant
        self._search = Search(nodes_per_counted_reading=nodes_per_counted_reading)
        self.nodes = 0
        """The nodes of the latest search, without those of its last ply."""

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """Return the verdict if the budget is enough to prove one, and the moves that it is enough to prove."""
        if plies_to_end(position) > PROOF_HORIZON:
            self.nodes = 0
            return Analysis(UNKNOWN, ())
        root = Root(self._search, position)
        root.deepen(budget, MOST_PLIES)
        self.nodes = root.search.nodes
        best, complete = root.keeping_moves(budget)
        return Analysis(root.verdict(), best, complete)

    def choose(self, game: Game, budget: Budget, rng: random.Random) -> Choice:
        """Return the move of the deepest search that the budget allows, with a verdict if that search is a proof."""
        root = Root(self._search, game.position)
        root.shuffle(rng)
        root.deepen(budget, MOST_PLIES if len(root.moves) > 1 else ONLY_MOVE_DEPTH)
        self.nodes = root.search.nodes
        return Choice(root.cell(root.best), root.verdict())


class Root:
    """The root of a search: a position, its moves in order, and the best move and value so far."""

    def __init__(self, search: Search, position: Position) -> None:
        """Begin a search of the position. An earlier one of the same program has ended."""
        search.begin()
        self.search = search
        self.position = position
        self.side = position.ply & 1
        self.forced = FREE if position.forced is None else position.forced
        won = {"X": 0, "O": 0}
        self.closed = 0
        for board, decision in enumerate(position.boards or ()):
            search.boards[board] = state_of(small_mask(position.x, board), small_mask(position.o, board))
            self.closed |= (decision is not None) << board
            if decision in won:
                won[decision] |= 1 << board
        self.won = won["X"], won["O"]
        self.boards = tuple(search.boards)
        self.moves = search.moves(self.side, self.forced, self.won, self.closed)
        self.best = self.moves[0]
        self.value = 0
        self.losing: set[Move] = set()
        """The moves proved to lose."""
        self.complete = False
        """Whether the search behind the value reached the end of the game everywhere."""

    def shuffle(self, rng: random.Random) -> None:
        """Put moves with equal estimates into random order."""
        rng.shuffle(self.moves)
        self.moves.sort(key=lambda move: -move.estimate)
        self.best = self.moves[0]

    def deepen(self, budget: Budget, limit: int) -> None:
        """Search one ply deeper at a time, up to ``limit``, until the value is proved or the budget is spent."""
        search = self.search
        if self.best.estimate == WIN:
            self.value = WIN - self.position.ply - 1
            return
        for depth in range(2, limit + 1):
            search.budget = budget if depth > UNCHECKED_DEPTH else None
            before = search.estimates
            try:
                self._iterate(depth)
            except OutOfTimeError:
                return
            self.complete = search.estimates == before
            if self.proved or budget.left() <= 0:
                return

    def _iterate(self, depth: int) -> None:
        """Search all moves to one depth. Raise OutOfTimeError: the best move so far then stays.

        A loss becomes the root's value only after every move was tried.
        """
        floor = -WIN
        for place, move in enumerate(self.moves):
            if floor <= -PROVED and self._may_hold(move):
                self.best = move  # all moves before it lose
            if place:
                value = self.move_value(move, depth, floor, floor + 1)
                if value > floor:
                    value = self.move_value(move, depth, value - 1, WIN)
            else:
                value = self.move_value(move, depth, -WIN, WIN)
            if value <= -PROVED:
                self.losing.add(move)
            if value > floor:
                floor = value
                best = move
                if value > -PROVED:
                    self.value = value
                    self.best = move
        self.value = floor
        self.best = best
        # The best move goes to the front. The others keep their order.
        self.moves.remove(best)
        self.moves.insert(0, best)

    def _may_hold(self, move: Move) -> bool:
        """Return whether a move is not proved to lose, and the opponent cannot answer it with a win at once."""
        if move in self.losing:
            return False
        estimates = self.search.estimates
        value = self.move_value(move, 2, -WIN, WIN)
        self.search.estimates = estimates  # this search belongs to no iteration
        return value > -PROVED

    def move_value(self, move: Move, depth: int, alpha: int, beta: int) -> int:
        """Return the value, for the side that makes it, of a move that does not win at once. ``depth`` includes it."""
        if move.closed == ALL_CLOSED:
            return 0
        search, side = self.search, self.side
        won = (self.won[0], move.won) if side else (move.won, self.won[1])
        search.boards[move.board] = move.state
        ply = self.position.ply + 1
        try:
            return -search.value(side ^ 1, move.forced, depth - 1, -beta, -alpha, ply, won, move.closed)
        finally:
            search.boards[move.board] = self.boards[move.board]

    @property
    def proved(self) -> bool:
        """Whether the value is proved."""
        return self.complete or abs(self.value) >= PROVED

    @property
    def plies(self) -> int:
        """The plies to the end of a proved win or loss."""
        return WIN - abs(self.value) - self.position.ply

    def verdict(self) -> Verdict:
        """Return the verdict, ``UNKNOWN`` unless the value is proved."""
        if not self.proved:
            return UNKNOWN
        if abs(self.value) < PROVED:
            return Verdict("draw", None, "exact")
        # The plies are exact. A search to depth n finds exactly the games that end within n plies, because deeper table
        # entries are complete ones. No search to a smaller depth found one.
        return Verdict("win" if self.value > 0 else "loss", self.plies, "exact")

    def keeping_moves(self, budget: Budget) -> tuple[tuple[int, ...], bool]:
        """Return the moves proved to keep the value, in the order of their cells, and whether no other move keeps it."""
        if not self.proved:
            return (), False
        if self.value <= -PROVED:
            return self.position.legal(), True
        if self.plies == 1:
            return tuple(cell for cell in self.position.legal() if self.position.play(cell).ended(cell)), False
        keeping = [self.best]
        complete = False
        estimates = self.search.estimates
        self.search.budget = budget
        goal = PROVED if self.value > 0 else 0
        try:
            for move in self.moves:
                if move is not self.best and self._reaches(move, goal):
                    keeping.append(move)  # noqa: PERF401 - an exception must not lose the moves before it
            complete = self.search.estimates == estimates
        except OutOfTimeError:
            pass
        return tuple(sorted(self.cell(move) for move in keeping)), complete

    def _reaches(self, move: Move, goal: int) -> bool:
        """Return whether a search to the end of the game proves at least ``goal`` for the move. Raise OutOfTimeError."""
        before = self.search.estimates
        value = self.move_value(move, MOST_PLIES, goal - 1, goal)
        return value >= goal and (value >= PROVED or self.search.estimates == before)

    def cell(self, move: Move) -> int:
        """Return the cell that a move fills."""
        difference = move.state - self.boards[move.board]
        return CELLS_OF[move.board][POWERS.index(difference // (self.side + 1))]


def state_of(x: int, o: int) -> int:
    """Return the state of a small board with these marks, given as masks of places."""
    return sum(power * ((x >> place & 1) + 2 * (o >> place & 1)) for place, power in enumerate(POWERS))


def plies_to_end(position: Position) -> int:
    """Return an estimate of the fewest plies to the end.

    These are the plies until all open boards are full, or until one side has a line of boards if both sides help to
    complete it. No win comes sooner. A draw can, because a board also closes with a line.
    """
    occupied = position.x | position.o
    boards = position.boards or ()
    fewest = sum(not occupied >> cell & 1 for board in range(9) if boards[board] is None for cell in CELLS_OF[board])
    for parity, mark, marks in ((0, "X", position.x), (1, "O", position.o)):
        marks_needed = []
        for board in range(9):
            mine, all_marks = small_mask(marks, board), small_mask(occupied, board)
            free = [(line & ~mine).bit_count() for line in SMALL_LINES if not line & all_marks & ~mine]
            marks_needed.append(0 if boards[board] == mark else UNREACHABLE if boards[board] or not free else min(free))
        marks_left = min(sum(marks_needed[board] for board in range(9) if line >> board & 1) for line in SMALL_LINES)
        # The side to move needs 2n - 1 plies for n marks, the other one 2n.
        fewest = min(fewest, 2 * marks_left - (position.ply & 1 == parity))
    return fewest
