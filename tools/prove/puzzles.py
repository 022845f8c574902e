"""Prove puzzles again, with a search that shares nothing with the engine.

One question is asked over and over: can the side to move force a win within so many plies? With k moves of its own left,
only lines matter that a side can still complete: those without a mark of the other side, and with at most k cells free.
All other cells are alike, so one of them stands for all. That makes the search exact, and quick enough for gomoku.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

from noughts.engine.budget import Budget
from noughts.engine.verdict import UNKNOWN
from noughts.puzzles.puzzle import Punishment, Puzzle, Step
from noughts.rules.game import Game
from noughts.rules.position import Position, sides
from noughts.rules.variant import Variant
from tools.prove import NotProvedError

MAX_KNOWN: Final = 2_000_000
"""The most answers that a search remembers."""
LONGEST_VANISHING_WIN: Final = 17
"""The longest win in vanishing 3x3, which ``make prove ARGS=vanishing`` finds. A side that has not won by then draws."""


class Search(Protocol):
    """Answers whether the side to move in a position forces a win, or loses whatever it does, within ``plies``."""

    def wins(self, position: Position, plies: int) -> bool: ...
    def loses(self, position: Position, plies: int) -> bool: ...


class PlainSearch:
    """Tries every move, for games of few positions and for ultimate."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._memo: dict[tuple[object, int], bool] = {}

    def wins(self, position: Position, plies: int) -> bool:
        if plies < 1:
            return False
        key = (position.key, plies)
        answer = self._memo.get(key)
        if answer is None:
            self._budget.check()
            answer = any(self._wins_by(position, cell, plies) for cell in position.legal())
            if len(self._memo) >= MAX_KNOWN:
                self._memo.clear()
            self._memo[key] = answer
        return answer

    def _wins_by(self, position: Position, cell: int, plies: int) -> bool:
        after = position.play(cell)
        outcome = after.ended(cell)
        if outcome is not None:
            return outcome.winner == position.turn
        return self.loses(after, plies - 1)

    def loses(self, position: Position, plies: int) -> bool:
        """Return whether the side to move loses within ``plies``, whatever it does."""
        for cell in position.legal():
            after = position.play(cell)
            outcome = after.ended(cell)
            if outcome is not None:
                if outcome.winner is None or outcome.winner == position.turn:
                    return False
            elif not self.wins(after, plies - 1):
                return False
        return True


class LineSearch:
    """Searches games in which the first complete line wins, on masks of marks."""

    def __init__(self, variant: Variant, budget: Budget) -> None:
        self._variant = variant
        self._budget = budget
        self._memo: dict[tuple[int, int, int], bool] = {}

    def wins(self, position: Position, plies: int) -> bool:
        return self._wins(*sides(position), plies)

    def loses(self, position: Position, plies: int) -> bool:
        return self._loses(*sides(position), plies)

    def _wins(self, own: int, other: int, plies: int) -> bool:
        playable = self._playable(own | other)
        if plies < 1 or not playable:
            return False
        mine, relevant = self._lines(own, other, (plies + 1) // 2)
        if mine & playable:
            return True
        if plies < 3 or not relevant:
            return False
        key = (own, other, plies)
        answer = self._memo.get(key)
        if answer is None:
            self._budget.check()
            threats = self._lines(other, own, 1)[0] & playable
            if threats & (threats - 1):
                answer = False  # one move cannot stop two lines
            else:
                moves = threats or playable & (relevant | self._lines(other, own, (plies + 1) // 2)[1])
                answer = any(self._loses(other, own | move, plies - 1) for move in _bits(moves))
            if len(self._memo) >= MAX_KNOWN:
                self._memo.clear()
            self._memo[key] = answer
        return answer

    def _loses(self, own: int, other: int, plies: int) -> bool:
        playable = self._playable(own | other)
        if plies < 2 or not playable or self._lines(own, other, 1)[0] & playable:
            return False
        threats, relevant = self._lines(other, own, plies // 2)
        replies = threats & playable
        if not replies:
            replies = playable & (relevant | self._lines(own, other, plies // 2)[1]) or playable & -playable
        return all(self._wins(other, own | reply, plies - 1) for reply in _bits(replies))

    def _playable(self, taken: int) -> int:
        variant = self._variant
        free = variant.full ^ taken
        return free & (taken >> variant.columns | variant.bottom) if variant.gravity else free

    def _lines(self, own: int, other: int, moves: int) -> tuple[int, int]:
        """Return the cells that complete a line, and the free cells of all lines that take at most ``moves`` moves.

        With gravity every cell matters, because a mark makes the cell above it playable.
        """
        completing = relevant = 0
        for line in self._variant.lines:
            if not line & other:
                free = line & ~own
                count = free.bit_count()
                if count == 1:
                    completing |= free
                if count <= moves:
                    relevant |= free
        return completing, self._variant.full if self._variant.gravity and relevant else relevant


def _bits(mask: int) -> Iterable[int]:
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit


def prove_puzzle(puzzle: Puzzle, budget: Budget) -> None:
    """Prove that each step of a puzzle has one answer and the best reply.

    Raise :class:`NotProvedError` for a false claim, and :class:`~noughts.engine.budget.OutOfTimeError`.
    """
    variant = puzzle.variant
    is_line_game = not (variant.nested or variant.misere or variant.marks_kept is not None)
    search: Search = LineSearch(variant, budget) if is_line_game else PlainSearch(budget)
    game, plies = puzzle.game, puzzle.plies
    for step in puzzle.steps:
        _Claim(puzzle, game, step, plies, search).prove()
        if step.reply is not None:
            game = game.play(step.answer).play(step.reply)
            plies = None if plies is None else plies - 2
    if puzzle.kind == "win" and game.play(puzzle.steps[-1].answer).outcome is None:
        raise NotProvedError(f"{puzzle.id}: the line ends before the win")


class _Claim:
    """What a puzzle says of one step: the game before it, and how long its win or loss takes."""

    def __init__(self, puzzle: Puzzle, game: Game, step: Step, plies: int | None, search: Search) -> None:
        self._puzzle = puzzle
        self._game = game
        self._step = step
        self._plies = plies or 0
        self._search = search
        limit = puzzle.variant.ply_limit - game.ply
        self._rest = LONGEST_VANISHING_WIN if puzzle.variant.marks_kept is not None else limit

    def prove(self) -> None:
        """Raise :class:`NotProvedError` if the step is not as the puzzle says."""
        for cell in self._game.legal():
            if cell != self._step.answer:
                self._check(self._fails(cell), f"{self._puzzle.variant.names[cell]} may keep the value too")
        kind, position, plies = self._puzzle.kind, self._game.position, self._plies
        if kind == "win":
            self._check(self._search.wins(position, plies), "the answer does not win in time")
            self._check(not self._search.wins(position, plies - 2), "there is a quicker win")
            if self._step.reply is not None:
                before = self._game.play(self._step.answer).play(self._step.reply).position
                self._check(not self._search.wins(before, plies - 4), "the reply is not the longest defence")
            return
        after = self._game.play(self._step.answer)
        if kind == "hold":
            self._check(not self._search.wins(position, self._rest), "the position is won")
            won = after.outcome is None and self._search.wins(after.position, self._rest - 1)
            self._check(not won, "the answer does not hold")
        else:
            self._check(self._search.wins(after.position, plies - 1), "the position is not lost in time")
            self._check(not self._search.wins(after.position, plies - 3), "the answer does not last so long")

    def _fails(self, cell: int) -> bool:
        """Return whether a wrong move loses the value: the win, the draw, or the time until the loss."""
        after, kind = self._game.play(cell), self._puzzle.kind
        if after.outcome is not None:
            winner = after.outcome.winner
            return winner != self._game.turn and (kind == "win" or winner is not None)
        if kind == "defend":
            return self._search.wins(after.position, self._plies - 3)
        answer = self._step.mistakes.get(cell, Punishment(UNKNOWN, None)).verdict
        if answer.value == "win" and self._search.wins(after.position, answer.plies or self._rest - 1):
            return True
        return kind == "win" and not self._search.loses(after.position, self._rest - 1)

    def _check(self, holds: bool, reason: str) -> None:
        if not holds:
            raise NotProvedError(f"{self._puzzle.id} after {' '.join(self._game.move_names)}: {reason}")
