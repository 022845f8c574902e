"""Ultimate: principal-variation search (an alpha-beta) over tables of small boards.

It has a transposition table, orders moves by the estimates of the positions after them, and does not search the last
ply: it reads the estimates from tables. A small board is one number (its state, see
:mod:`noughts.engine.ultimate.tables`), so a move is a table lookup and an assignment.

Two numbers are updated with every move:

* ``key``: the sum of ``state * 19683**board``. With the forced board it is the position itself, not a hash, so a proof
  never rests on a collision. The number of marks in it determines the side to move.
* ``class_key``: the sum of ``class << 8 * board``. The evaluation depends on it alone, and its cache is keyed by it.

A value beyond ``PROVED`` is a proved win or loss: ``WIN`` minus the ply of the last move. Any value, a draw too, is
proved if ``estimates`` did not change during the search.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from noughts.engine.budget import Budget
from noughts.engine.ultimate.tables import (
    DRAWN,
    GAINS,
    MY_LINES,
    STATES,
    THEIR_LINES,
    X_WON,
    Evaluation,
    Tables,
    evaluate,
)
from noughts.rules.ultimate import SMALL_LINES

WIN: Final = 1_000_000
PROVED: Final = WIN - 100
COMPLETE: Final = 99
"""The stored depth of a position that was searched to the end of the game."""
FREE: Final = 9
"""The forced board of a side that may choose any open one."""
ALL_CLOSED: Final = 511
SHIFT: Final = tuple(STATES**board for board in range(9))
HAS_LINE: Final = tuple(any(mask & line == line for line in SMALL_LINES) for mask in range(512))
OPEN: Final = tuple(tuple(board for board in range(9) if not closed >> board & 1) for closed in range(512))
"""For each mask of closed boards, the open ones."""
SENT: Final = tuple(tuple(FREE if closed >> place & 1 else place for place in range(9)) for closed in range(512))
"""For each mask of closed boards and each place, the forced board after a mark in that place."""

TABLE_LIMIT: Final = 25_000
"""Table entries for each forced board; ten times 8 MB at most."""
CACHE_LIMIT: Final = 30_000
NODES_PER_LOOK: Final = 32

Move: TypeAlias = tuple[float, int, int, int, int, int, int, int, int]
"""Estimate, board, state after, forced board after, class key after, decision, X's, O's and closed boards after."""


class Search:
    """The current position, the tables and the counters of one search."""

    def __init__(self, tables: Tables, nodes_per_look: int = NODES_PER_LOOK) -> None:
        self.tables = tables
        self.successors = tables.successors
        self.chances = tables.chances
        self.classes = tables.classes
        self.class_at = tables.class_at
        self.cache = tables.cache
        self.table: list[dict[int, tuple[int, int, int, int]]] = [{} for _ in range(10)]
        """By forced board and key: depth, lower and upper bound, best move as ``board * STATES + state``."""
        self.boards = [0] * 9
        self.nodes = 0
        self.nodes_per_look = nodes_per_look
        self.estimates = 0
        self.budget: Budget | None = None
        """None if nothing may stop the search. After it was stopped, the caller must set ``boards`` again."""

    def _evaluate(self, class_key: int, side: int) -> Evaluation:
        if len(self.cache) >= CACHE_LIMIT:
            self.cache.clear()
        evaluation = evaluate(self.classes, class_key, side)
        self.cache[2 * class_key + side] = evaluation
        return evaluation

    def moves(self, side: int, forced: int, class_key: int, won_x: int, won_o: int, closed: int) -> list[Move]:
        """Return every move with its estimate for the side to move, best first.

        A move that wins the game has WIN as its estimate and is returned alone. A move that closes the last board
        without a win has 0. Both have FREE as the forced board.
        """
        moves: list[Move] = []
        boards = self.boards
        successors = self.successors[side]
        evaluation = self.cache.get(2 * class_key + side) or self._evaluate(class_key, side)
        base = evaluation[0]
        mine, theirs = self.chances[side], self.chances[side ^ 1]
        sent = SENT[closed]
        for board in (forced,) if forced != FREE else OPEN[closed]:
            state = boards[board]
            class_at = self.class_at[board]
            rest = class_key - class_at[state]
            my_line, their_line = evaluation[MY_LINES + board], evaluation[THEIR_LINES + board]
            base_elsewhere = base - mine[state] * my_line + theirs[state] * their_line
            for place, new, decision in successors[state]:
                estimate = base_elsewhere + mine[new] * my_line - theirs[new] * their_line
                after = rest + class_at[new]
                if not decision:
                    to = sent[place]
                    moves.append((estimate - evaluation[GAINS + to], board, new, to, after, 0, won_x, won_o, closed))
                    continue
                bit = 1 << board
                x, o, closed_after = won_x, won_o, closed | bit
                if decision != DRAWN:
                    if decision == X_WON:
                        x |= bit
                    else:
                        o |= bit
                    if HAS_LINE[o if side else x]:
                        return [(float(WIN), board, new, FREE, after, decision, x, o, ALL_CLOSED)]
                if closed_after == ALL_CLOSED:
                    moves.append((0.0, board, new, FREE, after, decision, x, o, closed_after))
                    continue
                to = SENT[closed_after][place]
                moves.append((estimate - evaluation[GAINS + to], board, new, to, after, decision, x, o, closed_after))
        moves.sort(reverse=True)
        return moves

    def search(
        self,
        side: int,
        forced: int,
        depth: int,
        alpha: int,
        beta: int,
        ply: int,
        key: int,
        class_key: int,
        won_x: int,
        won_o: int,
        closed: int,
    ) -> int:
        """Return the value of a position in play for the side to move, fail-soft. Raise OutOfTimeError."""
        if depth == 1:
            return self.last_ply(side, forced, beta, ply, class_key, won_x, won_o, closed)
        self.nodes += 1
        if self.budget is not None and not self.nodes % self.nodes_per_look:
            self.budget.check()
        table = self.table[forced]
        entry = table.get(key)
        hint_board = hint = -1
        if entry is not None:
            stored_depth, low, high, hint = entry
            if stored_depth >= depth:
                if stored_depth < COMPLETE:
                    self.estimates += 1
                if low >= beta or low == high:
                    return low
                if high <= alpha:
                    return high
            hint_board, hint = divmod(hint, STATES)
        before = self.estimates
        moves = self.moves(side, forced, class_key, won_x, won_o, closed)
        if moves[0][0] == WIN:
            return WIN - ply - 1
        if hint_board >= 0:
            for place, move in enumerate(moves):
                if move[2] == hint and move[1] == hint_board:
                    if place:
                        del moves[place]
                        moves.insert(0, move)
                    break
        boards = self.boards
        best = -WIN
        best_move = moves[0]
        floor = alpha
        other = side ^ 1
        for place, move in enumerate(moves):
            _, board, new, to, after, _, x, o, closed_after = move
            if closed_after == ALL_CLOSED:
                value = 0
            else:
                state = boards[board]
                boards[board] = new
                new_key = key + (new - state) * SHIFT[board]
                if place:
                    value = -self.search(
                        other, to, depth - 1, -floor - 1, -floor, ply + 1, new_key, after, x, o, closed_after
                    )
                    if floor < value < beta:
                        value = -self.search(
                            other, to, depth - 1, -beta, -floor, ply + 1, new_key, after, x, o, closed_after
                        )
                else:
                    value = -self.search(
                        other, to, depth - 1, -beta, -floor, ply + 1, new_key, after, x, o, closed_after
                    )
                boards[board] = state
            if value > best:
                best = value
                best_move = move
                if value > floor:
                    floor = value
                    if value >= beta:
                        break
        reached = depth if self.estimates != before else COMPLETE
        low, high = (best, best) if alpha < best < beta else (best, WIN) if best >= beta else (-WIN, best)
        if len(table) >= TABLE_LIMIT:
            table.clear()
        table[key] = (reached, low, high, best_move[1] * STATES + best_move[2])
        return best

    def last_ply(
        self, side: int, forced: int, beta: int, ply: int, class_key: int, won_x: int, won_o: int, closed: int
    ) -> int:
        """Return the best estimate of the positions one ply later, or the first that reaches ``beta``."""
        best = -float(WIN)
        boards = self.boards
        successors = self.successors[side]
        evaluation = self.cache.get(2 * class_key + side) or self._evaluate(class_key, side)
        base = evaluation[0]
        mine, theirs = self.chances[side], self.chances[side ^ 1]
        sent = SENT[closed]
        estimated = False
        for board in (forced,) if forced != FREE else OPEN[closed]:
            state = boards[board]
            my_line, their_line = evaluation[MY_LINES + board], evaluation[THEIR_LINES + board]
            base_elsewhere = base - mine[state] * my_line + theirs[state] * their_line
            for place, new, decision in successors[state]:
                if decision:
                    bit = 1 << board
                    if decision != DRAWN and HAS_LINE[(won_o if side else won_x) | bit]:
                        return WIN - ply - 1
                    closed_after = closed | bit
                    if closed_after == ALL_CLOSED:
                        best = max(best, 0.0)
                        continue
                    to = SENT[closed_after][place]
                else:
                    to = sent[place]
                estimated = True
                value = base_elsewhere + mine[new] * my_line - theirs[new] * their_line - evaluation[GAINS + to]
                if value > best:
                    best = value
                    if best >= beta:
                        self.estimates += 1
                        return int(best)
        if estimated:
            self.estimates += 1
        return int(best)
