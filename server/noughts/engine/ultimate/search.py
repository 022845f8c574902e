"""Ultimate: alpha-beta over tables of small boards.

Principal-variation search with a transposition table, moves ordered by the estimate of where they lead, and a last ply
that only looks up. A small board is one number (its state, see :mod:`noughts.engine.ultimate.tables`), so that a move
is a table lookup and an assignment.

Two numbers follow the nine boards along:

* ``key``: the sum of ``state * 19683**board``; with the forced board it is the position itself, not a hash of it, so
  that a proof never rests on a collision. It contains the side to move, by the number of marks.
* ``worth``: the sum of ``class << 8 * board``, what the evaluation depends on. Its results are remembered by it.

A value beyond ``PROVED`` is a win or a loss proved to the end: ``WIN`` less the ply of the last move. A search during
which ``estimates`` stood still has proved any value, a draw too.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from noughts.engine.budget import Budget
from noughts.engine.ultimate.tables import DRAWN, GAINS, MY_LINES, STATES, THEIR_LINES, X_WON, Judged, Tables, judge
from noughts.rules.ultimate import SMALL_LINES

WIN: Final = 1_000_000
PROVED: Final = WIN - 100
COMPLETE: Final = 99
"""The depth of what was searched to the end."""
FREE: Final = 9
"""In place of a forced board: any open one."""
ALL_CLOSED: Final = 511
SHIFT: Final = tuple(STATES**board for board in range(9))
HAS_LINE: Final = tuple(any(mask & line == line for line in SMALL_LINES) for mask in range(512))
OPEN: Final = tuple(tuple(board for board in range(9) if not closed >> board & 1) for closed in range(512))
"""For each mask of closed boards, the open ones."""
SENT: Final = tuple(tuple(FREE if closed >> place & 1 else place for place in range(9)) for closed in range(512))
"""For each mask of closed boards and each place, where a mark in that place sends the opponent."""

TABLE_LIMIT: Final = 25_000
"""Positions remembered for each forced board; ten times 8 MB at most."""
JUDGED_LIMIT: Final = 30_000
NODES_PER_CHECK: Final = 32

Move: TypeAlias = tuple[float, int, int, int, int, int, int, int, int]
"""Estimate, board, state after, forced board after, worth after, decision, X's, O's and closed boards after."""


class Search:
    """One position on its way: boards, tables, and the counters of one search."""

    def __init__(self, tables: Tables, nodes_per_check: int = NODES_PER_CHECK) -> None:
        self.successors = tables.successors
        self.chances = tables.chances
        self.classes = tables.classes
        self.class_at = tables.class_at
        self.remembered = tables.remembered
        self.table: list[dict[int, tuple[int, int, int, int]]] = [{} for _ in range(10)]
        """For each forced board, by key: depth, lowest and highest value, best move as ``board * STATES + state``."""
        self.boards = [0] * 9
        self.nodes = 0
        self.nodes_per_check = nodes_per_check
        self.estimates = 0
        self.budget: Budget | None = None
        """None while nothing may stop the search. Once it has, ``boards`` must be set up anew."""

    def judge(self, worth: int, side: int) -> Judged:
        if len(self.remembered) >= JUDGED_LIMIT:
            self.remembered.clear()
        judged = judge(self.classes, worth, side)
        self.remembered[2 * worth + side] = judged
        return judged

    def moves(self, side: int, forced: int, worth: int, won_x: int, won_o: int, closed: int) -> list[Move]:
        """Every move with where it leads and its estimate for the mover, best first. A move that wins the game or
        fills the last board has WIN or 0 there and FREE boards after."""
        found: list[Move] = []
        boards = self.boards
        successors = self.successors[side]
        judged = self.remembered.get(2 * worth + side) or self.judge(worth, side)
        base = judged[0]
        mine, theirs = self.chances[side], self.chances[side ^ 1]
        sent = SENT[closed]
        for board in (forced,) if forced != FREE else OPEN[closed]:
            state = boards[board]
            class_at = self.class_at[board]
            rest = worth - class_at[state]
            my_line, their_line = judged[MY_LINES + board], judged[THEIR_LINES + board]
            without = base - mine[state] * my_line + theirs[state] * their_line
            for place, new, decision in successors[state]:
                estimate = without + mine[new] * my_line - theirs[new] * their_line
                after = rest + class_at[new]
                if not decision:
                    to = sent[place]
                    found.append((estimate - judged[GAINS + to], board, new, to, after, 0, won_x, won_o, closed))
                    continue
                bit = 1 << board
                x, o, shut = won_x, won_o, closed | bit
                if decision != DRAWN:
                    if decision == X_WON:
                        x |= bit
                    else:
                        o |= bit
                    if HAS_LINE[o if side else x]:
                        return [(float(WIN), board, new, FREE, after, decision, x, o, ALL_CLOSED)]
                if shut == ALL_CLOSED:
                    found.append((0.0, board, new, FREE, after, decision, x, o, shut))
                    continue
                to = SENT[shut][place]
                found.append((estimate - judged[GAINS + to], board, new, to, after, decision, x, o, shut))
        found.sort(reverse=True)
        return found

    def search(
        self,
        side: int,
        forced: int,
        depth: int,
        alpha: int,
        beta: int,
        ply: int,
        key: int,
        worth: int,
        won_x: int,
        won_o: int,
        closed: int,
    ) -> int:
        """The value for the side to move; fail-soft. The game is not over here."""
        if depth == 1:
            return self.last(side, forced, beta, ply, worth, won_x, won_o, closed)
        self.nodes += 1
        if self.budget is not None and not self.nodes % self.nodes_per_check:
            self.budget.check()
        table = self.table[forced]
        entry = table.get(key)
        hint_board = hint = -1
        if entry is not None:
            entry_depth, low, high, hint = entry
            if entry_depth >= depth:
                if entry_depth < COMPLETE:
                    self.estimates += 1
                if low >= beta or low == high:
                    return low
                if high <= alpha:
                    return high
            hint_board, hint = divmod(hint, STATES)
        before = self.estimates
        moves = self.moves(side, forced, worth, won_x, won_o, closed)
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
            _, board, new, to, after, _, x, o, shut = move
            if shut == ALL_CLOSED:
                value = 0
            else:
                state = boards[board]
                boards[board] = new
                new_key = key + (new - state) * SHIFT[board]
                if place:
                    value = -self.search(other, to, depth - 1, -floor - 1, -floor, ply + 1, new_key, after, x, o, shut)
                    if floor < value < beta:
                        value = -self.search(other, to, depth - 1, -beta, -floor, ply + 1, new_key, after, x, o, shut)
                else:
                    value = -self.search(other, to, depth - 1, -beta, -floor, ply + 1, new_key, after, x, o, shut)
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

    def last(self, side: int, forced: int, beta: int, ply: int, worth: int, won_x: int, won_o: int, closed: int) -> int:
        """The last ply: estimates of where the moves lead, looked up, stopping at the first that reaches ``beta``."""
        best = -float(WIN)
        boards = self.boards
        successors = self.successors[side]
        judged = self.remembered.get(2 * worth + side) or self.judge(worth, side)
        base = judged[0]
        mine, theirs = self.chances[side], self.chances[side ^ 1]
        sent = SENT[closed]
        estimated = False
        for board in (forced,) if forced != FREE else OPEN[closed]:
            state = boards[board]
            my_line, their_line = judged[MY_LINES + board], judged[THEIR_LINES + board]
            without = base - mine[state] * my_line + theirs[state] * their_line
            for place, new, decision in successors[state]:
                if decision:
                    bit = 1 << board
                    if decision != DRAWN and HAS_LINE[(won_o if side else won_x) | bit]:
                        return WIN - ply - 1
                    shut = closed | bit
                    if shut == ALL_CLOSED:
                        best = max(best, 0.0)
                        continue
                    to = SENT[shut][place]
                else:
                    to = sent[place]
                estimated = True
                value = without + mine[new] * my_line - theirs[new] * their_line - judged[GAINS + to]
                if value > best:
                    best = value
                    if best >= beta:
                        self.estimates += 1
                        return int(best)
        if estimated:
            self.estimates += 1
        return int(best)
