"""A finished game in words: the verdict of each ply, and the move that lost the game or gave a win away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from noughts.engine.verdict import OPPOSITE, Value
from noughts.library import AnalysedPly
from noughts.rules.game import Game
from noughts.rules.outcome import MARKS, Mark, other

_WORTH: Final[dict[Value, int]] = {"loss": 0, "draw": 1, "win": 2}
_MISTAKES: Final[dict[tuple[Value, Value], str]] = {
    ("win", "draw"): "throws the win away",
    ("win", "loss"): "turns a win into a loss",
    ("draw", "loss"): "throws the draw away",
}
_CELLS_NAMED: Final = 6
"""How many better moves a line names at most."""

Plies: TypeAlias = Sequence[AnalysedPly]


class _Move(NamedTuple):
    """One move: the value before it and after it for the side that made it, and the moves that kept the value."""

    ply: int
    mark: Mark
    cell: str
    before: Value
    after: Value
    plies: int | None
    best: tuple[str, ...]

    @property
    def is_mistake(self) -> bool:
        """Whether the move is proved to have made the position worse."""
        return "unknown" not in (self.before, self.after) and _WORTH[self.after] < _WORTH[self.before]


def review(game: Game, plies: Plies) -> list[str]:
    """Return the lines of a review of a game: one for each move, and a last one that names the move that decided it.

    ``plies`` is the analysis of the game, from ply 0.
    """
    moves = list(_moves(game, plies))
    return [*(f"{move.ply:>3}. {move.mark} {move.cell}: {_comment(move)}" for move in moves), _decision(game, moves)]


def _moves(game: Game, plies: Plies) -> Iterator[_Move]:
    for ply, cell in enumerate(game.move_names):
        mark = MARKS[ply & 1]
        before, after = plies[ply], plies[ply + 1]
        value: Value = before.verdict.value if before.verdict else "unknown"
        if after.verdict is not None:
            yield _Move(ply + 1, mark, cell, value, OPPOSITE[after.verdict.value], after.verdict.plies, before.best)
        else:
            winner = game.outcome.winner if game.outcome else None
            end: Value = "draw" if winner is None else "win" if winner == mark else "loss"
            yield _Move(ply + 1, mark, cell, value, end, 0, before.best)


def _comment(move: _Move) -> str:
    if move.is_mistake:
        return f"{_MISTAKES[move.before, move.after]}.{_better(move.best)}"
    if move.after == "unknown":
        return "not proved."
    if move.plies == 0:
        return {"win": "wins.", "draw": "ends in a draw.", "loss": "loses."}[move.after]
    plies = "" if move.plies is None else " in 1 ply" if move.plies == 1 else f" in {move.plies} plies"
    return {"win": f"wins{plies} with perfect play.", "draw": "a draw with perfect play.", "loss": f"loses{plies}."}[
        move.after
    ]


def _decision(game: Game, moves: Sequence[_Move]) -> str:
    """Return the sentence about the last mistake of the loser, or about the last win that was given away in a draw."""
    if game.outcome is None:
        return "The game was not finished."
    winner = game.outcome.winner
    worst: Value = "draw" if winner is None else "loss"
    mistakes = [move for move in moves if move.is_mistake and move.mark != winner and move.after == worst]
    if mistakes:
        move = mistakes[-1]
        verb = "gave a win away" if winner is None else "lost the game"
        return f"{move.mark} {verb} with move {move.ply}, {move.cell}.{_better(move.best)}"
    if not moves or any("unknown" in (move.before, move.after) for move in moves):
        return "The engine has not proved which move decided the game."
    if winner is None:
        return "Neither side made a mistake."
    loser = other(winner)
    if game.outcome.reason == "resignation":
        return f"{loser} resigned without a mistake on the board."
    return f"{loser} made no mistake: {winner} wins from the start with perfect play."


def _better(cells: Sequence[str]) -> str:
    """Return a sentence that names the better moves, empty if none is proved."""
    return f" Better: {_some(cells)}." if cells else ""


def _some(cells: Sequence[str]) -> str:
    """Return names of cells as a list in words."""
    if len(cells) > _CELLS_NAMED:
        return f"{', '.join(cells[:_CELLS_NAMED])} or {len(cells) - _CELLS_NAMED} more"
    return " or ".join(filter(None, [", ".join(cells[:-1]), *cells[-1:]]))
