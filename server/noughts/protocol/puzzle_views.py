"""The views of puzzles and of minimax: values of the floors below, with cells by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from noughts.engine.minimax import Explained, Visited
from noughts.protocol.bodies import (
    MinimaxAnswer,
    MinimaxChild,
    PuzzleJudgement,
    PuzzlePosition,
    PuzzleView,
    VisitedView,
)
from noughts.protocol.messages import VerdictView
from noughts.protocol.views import outcome_view
from noughts.puzzles.puzzle import Judgement, Puzzle
from noughts.rules.game import Game
from noughts.rules.outcome import MARKS, Mark


def puzzle_view(puzzle: Puzzle) -> PuzzleView:
    """Return a puzzle without its answer."""
    game = puzzle.game
    return PuzzleView(
        puzzle.id,
        puzzle.variant.key,
        puzzle.kind,
        puzzle.grade,
        game.move_names,
        _marks(game),
        game.turn,
        game.legal_names(),
        puzzle.plies,
        **_special(game),
    )


def judgement_view(puzzle: Puzzle, judgement: Judgement, tried: Sequence[str]) -> PuzzleJudgement:
    """Return a judgement of the moves ``tried`` with cells by name, and the position that the solver sees next."""
    names, game = puzzle.variant.names, puzzle.game
    line = None if judgement.line is None else tuple([names[cell] for cell in judgement.line])
    for name in line if line is not None else tried:
        game = game.play(name)
    if line is None and judgement.reply is not None:
        game = game.play(judgement.reply)
    return PuzzleJudgement(
        judgement.right,
        None if judgement.reply is None else names[judgement.reply],
        judgement.done,
        line,
        None if judgement.verdict is None else VerdictView(*judgement.verdict),
        judged_position(game),
    )


def judged_position(game: Game) -> PuzzlePosition:
    """Return the position after a try."""
    return PuzzlePosition(
        game.move_names,
        _marks(game),
        None if game.outcome is not None else game.turn,
        game.legal_names(),
        outcome_view(game.outcome, game.variant.names),
        **_special(game),
    )


def _marks(game: Game) -> dict[str, Mark]:
    position, names = game.position, game.variant.names
    on_board = position.x | position.o
    return {names[cell]: MARKS[position.o >> cell & 1] for cell in game.moves if on_board >> cell & 1}


def _special(game: Game) -> dict[str, Any]:
    """Return the fields that only some variants have."""
    position, over = game.position, game.outcome is not None
    if game.variant.marks_kept is not None:
        fading = None if over or position.fading is None else game.variant.names[position.fading]
        return {"fading": fading}
    if game.variant.nested:
        return {"boards": position.boards, "forced": None if over else position.forced}
    return {}


def minimax_view(game: Game, explained: Explained) -> MinimaxAnswer:
    """Return what minimax does at a position, with cells by name."""
    names, over = game.variant.names, game.outcome is not None
    children = [
        MinimaxChild(names[child.cell], child.score, _visited(child.visited), child.alpha, child.beta, child.pruned)
        for child in explained.children
    ]
    outcome = outcome_view(game.outcome, names)
    return MinimaxAnswer(
        None if over else game.turn, outcome, explained.score, _visited(explained.visited), tuple(children)
    )


def _visited(visited: Visited) -> VisitedView:
    return VisitedView(*visited)
