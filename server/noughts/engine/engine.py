"""The engine's interface for processes that search: a move, an analysis."""

from __future__ import annotations

import random
import warnings
from typing import Final

from noughts.engine.budget import Budget
from noughts.engine.compiled.program import ProgramError
from noughts.engine.kernels import kernel_for
from noughts.engine.levels import level_of, strongest_without_search
from noughts.engine.one_ply import choose_at_once, hasty_move
from noughts.engine.solvable import is_played_perfectly
from noughts.engine.verdict import UNKNOWN, AnalysedPly, Analysis, Choice
from noughts.rules.game import Game, new_game
from noughts.rules.position import Position
from noughts.rules.variant import Variant

READING_S: Final = 0.02
"""The seconds by which a weaker level's clock advances at each reading, for kernels that divide their time."""
FIRST_SHARE: Final = 0.2
"""The least share of the time left that a position of a game gets in its first search."""
LOOKUP_S: Final = 0.01
"""Seconds reserved for each earlier position still to search. To ask the tables about one takes a few milliseconds."""
LATE_S: Final = 0.02
"""A position whose turn comes this many seconds after the end of the budget stays unknown."""


def choose(game: Game, level: str, budget: Budget, rng: random.Random) -> Choice:
    """Return the engine's move at this level, in a game that goes on.

    A level that searches fills the cell in which the opponent would complete a line, without a search and whatever the
    budget.

    Where the program of the variant does not run, the engine plays at the strongest level that does not search, and warns.
    Raise ``bad_message`` for a level that the variant does not have, and ValueError if the game is over.
    """
    choice = choose_at_once(game, level, rng)
    if choice is not None:
        return choice
    readings = level_of(game.variant, level).clock_readings
    if readings is not None and not is_played_perfectly(game.variant):
        budget = budget.clock_readings(readings, READING_S)
    try:
        return kernel_for(game.variant).choose(game, budget, rng)
    except ProgramError as error:
        unsearched = strongest_without_search(game.variant)
        _warn_of(error, game.variant, f"plays at the level {unsearched.name}, which does not search")
        return Choice(hasty_move(game.position, unsearched.own_misses, unsearched.line_misses, rng), UNKNOWN)


def analyse(position: Position, budget: Budget) -> Analysis:
    """Return the verdict of a position in play and the moves proved to keep its value.

    Where the program of the variant does not run, nothing is proved.
    """
    try:
        return kernel_for(position.variant).analyse(position, budget)
    except ProgramError as error:
        _warn_of(error, position.variant, "proves nothing")
        return Analysis(UNKNOWN, ())


def analyse_game(variant: Variant, cells: tuple[int, ...], budget: Budget) -> list[AnalysedPly]:
    """Return the analysis of every position of a game, from ply 0 on. All share one budget.

    Raise ``illegal_move`` with its ply. The search goes backwards from the last position: the last positions are the
    cheapest to prove, and their results fill the tables for the earlier ones. A position whose search ran out of its
    share of the time is searched again while time is left. No search that ended by itself is repeated. Each search past the
    end of the budget asks the tables only, and the positions that remain ``LATE_S`` after it stay unknown.
    """
    games = [new_game(variant)]
    for cell in cells:
        games.append(games[-1].play(cell))
    analyses = {game.ply: Analysis(UNKNOWN, ()) for game in games if game.outcome is None}
    searched = [game for game in reversed(games) if game.ply in analyses]
    least_share = FIRST_SHARE
    while searched:
        broken_off = []
        for left, game in zip(range(len(searched), 0, -1), searched, strict=True):
            left_s = budget.left()
            if left_s < -LATE_S:
                break
            share = budget.share(_part(left_s, left, least_share))
            analysis = analyse(game.position, share)
            if share.left() <= 0.0 and not _is_whole(analysis):
                broken_off.append(game)
            analyses[game.ply] = max(analysis, analyses[game.ply], key=_proved)
        searched = broken_off if budget.left() > 0.0 else []
        least_share = 0.0
    return [
        AnalysedPly(game.ply, game.position.turn, *analyses[game.ply])
        if game.ply in analyses
        else AnalysedPly(game.ply, None, None, ())
        for game in games
    ]


def _warn_of(error: ProgramError, variant: Variant, consequence: str) -> None:
    warnings.warn(f"In {variant.name} the engine {consequence}: {error}", stacklevel=3)


def _part(left_s: float, positions: int, least_share: float) -> float:
    """Return the part of the time left for the search of the first of ``positions``.

    It is an equal part or ``least_share`` of the time that the others do not need to ask the tables.
    """
    reserved_s = LOOKUP_S * (positions - 1)
    return max(1.0 / positions, least_share * (1.0 - reserved_s / left_s) if left_s > 0.0 else 0.0)


def _proved(analysis: Analysis) -> tuple[bool, bool, bool, int]:
    """Return how much is proved about a position, as a key to compare two analyses of it."""
    value, plies, _ = analysis.verdict
    return value != "unknown", plies is not None, analysis.complete, len(analysis.best)


def _is_whole(analysis: Analysis) -> bool:
    """Return whether more time can add nothing to an analysis."""
    verdict = analysis.verdict
    return analysis.complete and (verdict.value == "draw" or verdict.plies is not None)
