"""The views of puzzles and of minimax: values of the floors below, with cells by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from noughts.engine.minimax import Child, Explained
from noughts.protocol.bodies import MinimaxAnswer, MinimaxChild, VisitedView
from noughts.protocol.messages import GameView, VerdictView
from noughts.protocol.puzzle_bodies import PuzzleJudgement, PuzzlePosition, PuzzleView
from noughts.protocol.views import game_view, outcome_view
from noughts.puzzles.puzzle import Judgement, Puzzle
from noughts.room.room import RoomGame
from noughts.room.seat import HumanSeat, Seat
from noughts.rules.by_mark import ByMark
from noughts.rules.game import Game

_NOBODY: Final[Seat] = HumanSeat("")
_NO_PLAYERS: Final = ByMark(_NOBODY, _NOBODY)


def puzzle_view(puzzle: Puzzle) -> PuzzleView:
    """Return a puzzle without its answer."""
    game = _view_of(puzzle.game)
    assert game.turn is not None
    return PuzzleView(
        puzzle.id,
        game.variant,
        puzzle.kind,
        puzzle.grade,
        game.moves,
        game.marks,
        game.turn,
        game.legal,
        puzzle.plies,
        game.boards,
        game.forced,
        game.fading,
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
    view = _view_of(game)
    return PuzzlePosition(
        view.moves, view.marks, view.turn, view.legal, view.outcome, view.boards, view.forced, view.fading
    )


def _view_of(game: Game) -> GameView:
    """Return the view of a game as a room would show it."""
    return game_view(RoomGame(1, game, _NO_PLAYERS, 0, 0, ByMark(0, 0), outcome=game.outcome), game.outcome is None)


def minimax_view(game: Game, explained: Explained) -> MinimaxAnswer:
    """Return what minimax does at a position, with cells by name."""
    names, over = game.variant.names, game.outcome is not None
    return MinimaxAnswer(
        None if over else game.turn,
        outcome_view(game.outcome, names),
        explained.score,
        VisitedView(*explained.visited),
        tuple([_child_view(child, names) for child in explained.children]),
    )


def _child_view(child: Child, names: tuple[str, ...]) -> MinimaxChild:
    return MinimaxChild(
        names[child.cell],
        child.score,
        VisitedView(*child.visited),
        child.alpha,
        child.beta,
        child.pruned,
        child.returned,
        outcome_view(child.outcome, names),
        tuple([_child_view(below, names) for below in child.children]),
    )
