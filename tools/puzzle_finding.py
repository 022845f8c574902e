"""Puzzles in positions: the line of a position, if exactly one move keeps the value at each of its steps.

Only what the engine proves counts. A line that wins goes to the end of the game. One that holds or defends ends where a
second move would do as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from noughts.engine.verdict import Analysis, Proof, Verdict
from noughts.puzzles.puzzle import Kind, Punishment, Step
from noughts.rules.game import Game

Analyse: TypeAlias = Callable[[Game], Analysis]
"""Returns the verdict of a game in play, and the moves that are proved to keep its value."""

MAX_STEPS: Final = 12
"""The most moves of the solver in a line."""
_KINDS: Final[Mapping[str, Kind]] = MappingProxyType({"win": "win", "draw": "hold", "loss": "defend"})


class Line(NamedTuple):
    """What a puzzle asks, how long its win or loss takes, how that is proved, and its steps without wrong moves."""

    kind: Kind
    plies: int | None
    proof: Proof
    steps: tuple[Step, ...]


def find_line(game: Game, analyse: Analyse) -> Line | None:
    """Return the line of a game in play; None if a second move keeps the value, or if that is not proved."""
    verdict = analyse(game).verdict
    kind = _KINDS.get(verdict.value)
    if kind is None or (kind != "hold" and verdict.plies is None):
        return None
    steps = _steps(game, kind, analyse, MAX_STEPS)
    return None if not steps else Line(kind, verdict.plies, verdict.proof, steps)


def _steps(game: Game, kind: Kind, analyse: Analyse, most: int) -> tuple[Step, ...]:
    """Return the steps from here; none if more than one move keeps the value, or if a win cannot be followed to its end."""
    answer = only_answer(game, kind, analyse) if most else None
    if answer is None:
        return ()
    after = game.play(answer)
    if after.outcome is not None:
        return (Step(answer, None, {}),)
    for reply in _replies(after, kind, analyse):
        before = after.play(reply)
        rest = _steps(before, kind, analyse, most - 1) if before.outcome is None else ()
        if rest:
            return (Step(answer, reply, {}), *rest)
    return () if kind == "win" else (Step(answer, None, {}),)


def only_answer(game: Game, kind: Kind, analyse: Analyse) -> int | None:
    """Return the one move that wins, holds, or delays the loss longest; None if there are two, or if that is not proved."""
    legal = game.legal()
    if len(legal) < 2:
        return None
    if kind != "defend":
        analysis = analyse(game)
        if len(analysis.best) != 1:
            return None
        cell = analysis.best[0]
        return cell if analysis.complete or _all_others_fail(game, cell, kind, analyse) else None
    lengths = []
    for cell in legal:
        plies = _plies_to_win(game.play(cell), analyse)
        if plies is None:
            return None
        lengths.append((plies, cell))
    (longest, cell), (second, _) = sorted(lengths, reverse=True)[:2]
    return cell if longest > second else None


def _all_others_fail(game: Game, answer: int, kind: Kind, analyse: Analyse) -> bool:
    """Return whether every other move is proved not to keep the value, although no single search has proved it."""
    for cell in game.legal():
        after = game.play(cell)
        if cell == answer:
            continue
        if after.outcome is not None:
            failed = after.outcome.winner != game.turn and (kind == "win" or after.outcome.winner is not None)
        else:
            value = analyse(after).verdict.value
            failed = value == "win" or (value == "draw" and kind == "win")
        if not failed:
            return False
    return True


def _plies_to_win(after: Game, analyse: Analyse) -> int | None:
    """Return how soon the opponent wins after a move; None if that is not proved."""
    if after.outcome is not None:
        return 0 if after.outcome.winner is not None else None
    verdict = analyse(after).verdict
    return verdict.plies if verdict.value == "win" else None


def _replies(game: Game, kind: Kind, analyse: Analyse) -> list[int]:
    """Return the opponent's best replies: the longest defences, the moves that hold, or the quickest wins."""
    if kind == "hold":
        return list(analyse(game).best)
    lengths: dict[int, int] = {}
    for cell in game.legal() if kind == "win" else analyse(game).best:
        after = game.play(cell)
        if after.outcome is None:
            verdict = analyse(after).verdict
            if verdict.value != ("win" if kind == "win" else "loss") or verdict.plies is None:
                if kind == "win":
                    return []
                continue
            lengths[cell] = verdict.plies
        elif kind == "defend":
            lengths[cell] = 0
    if not lengths:
        return []
    best = max(lengths.values()) if kind == "win" else min(lengths.values())
    return [cell for cell, plies in lengths.items() if plies == best]


def punishments(game: Game, answer: int, analyse: Analyse) -> dict[int, Punishment]:
    """Return what each other move leads to, as far as it is proved. A move that ends the game is left out."""
    answers = {}
    for cell in game.legal():
        after = game.play(cell)
        if cell == answer or after.outcome is not None:
            continue
        analysis = analyse(after)
        if analysis.verdict.value != "unknown":
            answers[cell] = Punishment(Verdict(*analysis.verdict), punishing_move(after, analysis, analyse))
    return answers


def punishing_move(game: Game, analysis: Analysis, analyse: Analyse) -> int | None:
    """Return the opponent's best move: the quickest win, or one that keeps the value."""
    if not analysis.best:
        return None
    if analysis.verdict.value != "win" or analysis.verdict.plies is None:
        return analysis.best[0]
    for cell in analysis.best:
        after = game.play(cell)
        if after.outcome is not None or analyse(after).verdict.plies == analysis.verdict.plies - 1:
            return cell
    return analysis.best[0]
