"""A puzzle, the steps of its line, and the judgement of a try."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from noughts.engine.verdict import OPPOSITE, UNKNOWN, Proof, Verdict
from noughts.engine.verdict import Value as VerdictValue
from noughts.errors import Rejection
from noughts.rules.game import Game, new_game
from noughts.rules.variant import Variant
from noughts.values import Value

Kind: TypeAlias = Literal["win", "hold", "defend"]
"""What the one right move does: it wins, it alone draws, or it alone delays the loss longest."""
KINDS: Final[tuple[Kind, ...]] = ("win", "hold", "defend")
GRADES: Final = range(1, 6)
"""From the easiest to the hardest."""

_VALUES: Final[Mapping[Kind, VerdictValue]] = {"win": "win", "hold": "draw", "defend": "loss"}


class Punishment(NamedTuple):
    """What a wrong move leads to: the verdict for the opponent, and the opponent's best answer; None if it is not known."""

    verdict: Verdict
    reply: int | None


class Step(NamedTuple):
    """One move of the solver: the answer, the opponent's reply to it, and what is known of wrong moves.

    ``reply`` is None after the last answer. A wrong move that ends the game is judged by its end, whatever ``wrong`` says.
    """

    answer: int
    reply: int | None
    mistakes: Mapping[int, Punishment]


class Puzzle(Value):
    """A position in which one move keeps the value. ``moves`` led to it; cells are indices.

    ``plies`` is how long a win or loss takes from here with the best play of both, None for a draw. ``proof`` says how the
    values of the line are proved.
    """

    id: str
    variant: Variant
    kind: Kind
    grade: int
    moves: tuple[int, ...]
    plies: int | None
    proof: Proof
    steps: tuple[Step, ...]

    @property
    def game(self) -> Game:
        """The game that led to the position."""
        game = new_game(self.variant)
        for cell in self.moves:
            game = game.play(cell)
        return game

    @property
    def line(self) -> tuple[int, ...]:
        """The solver's answers and the replies in turn. It ends with an answer."""
        cells = []
        for step in self.steps:
            cells.append(step.answer)
            if step.reply is not None:
                cells.append(step.reply)
        return tuple(cells)


class Judgement(NamedTuple):
    """The answer to a try. ``line`` is shown once the puzzle is solved or given up, else it is None.

    ``verdict`` is None where a move ended the game.
    """

    right: bool
    reply: int | None
    done: bool
    line: tuple[int, ...] | None
    verdict: Verdict | None


def judge(puzzle: Puzzle, names: Sequence[str], *, give_up: bool = False) -> Judgement:
    """Judge the moves that a solver made: the first, the reply to it, the second, and so on.

    Raise ``bad_message`` for moves that leave the line before the last of them, or for none, and ``illegal_move`` for one
    that the rules forbid.
    """
    game, line = puzzle.game, puzzle.line
    for cell in names:
        game = game.play(cell)
    tried = game.moves[len(puzzle.moves) :]
    if give_up:
        return Judgement(False, None, True, line, _verdict(puzzle, 0))
    if not tried or len(tried) % 2 == 0:
        raise Rejection("bad_message", "Send your moves and the replies to them, your newest move last.")
    number = len(tried) // 2
    if number >= len(puzzle.steps) or tried[:-1] != line[: 2 * number]:
        raise Rejection("bad_message", "These moves leave the puzzle's line before the last of them.")
    step = puzzle.steps[number]
    if tried[-1] != step.answer:
        if game.outcome is not None:
            return Judgement(False, None, False, None, None)
        punishment = step.mistakes.get(tried[-1], Punishment(UNKNOWN, None))
        return Judgement(False, punishment.reply, False, None, punishment.verdict)
    done = number + 1 == len(puzzle.steps)
    if step.reply is not None:
        game = game.play(step.reply)
    verdict = None if game.outcome is not None else _verdict(puzzle, len(tried) + (step.reply is not None))
    return Judgement(True, step.reply, done, line if done else None, verdict)


def _verdict(puzzle: Puzzle, played: int) -> Verdict:
    """Return the verdict of the position after ``played`` moves of the line, for the side to move."""
    value = _VALUES[puzzle.kind]
    plies = None if puzzle.plies is None else puzzle.plies - played
    return Verdict(value if played % 2 == 0 else OPPOSITE[value], plies, puzzle.proof)
