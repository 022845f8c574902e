"""The engine as others see it: levels, a move, an analysis. Picks the kernel, plays at the level asked for."""

from __future__ import annotations

import random
from collections import Counter
from typing import Final, NamedTuple

from noughts.engine.budget import Budget
from noughts.engine.kernels import START_VALUES, is_exact, kernel_for
from noughts.engine.levels import LEVELS, names
from noughts.engine.one_ply import at_a_glance, at_random
from noughts.engine.retrograde import VanishingKernel
from noughts.engine.verdict import UNKNOWN, Analysis, Choice, Verdict
from noughts.errors import Rejection
from noughts.rules.game import Game, new_game, start
from noughts.rules.outcome import Mark
from noughts.rules.position import Position
from noughts.rules.variant import Variant

STEP_S: Final = 0.02
"""What a step of a weaker level's budget counts as, in seconds, for a kernel that plans ahead."""


class AnalysedPly(NamedTuple):
    """One position of a game: who is to move and what is proved; nobody and None once the game is over."""

    ply: int
    turn: Mark | None
    verdict: Verdict | None
    best: tuple[int, ...]


def levels(variant: Variant) -> tuple[str, ...]:
    """The variant's levels, weakest first."""
    return names(is_exact(variant))


def choose(game: Game, level: str, budget: Budget, rng: random.Random) -> Choice:
    """The engine's move in a game that goes on, at this level. Raises ``bad_message`` for a level that the variant
    lacks."""
    if level not in levels(game.variant):
        raise Rejection("bad_message", f"Levels of {game.variant.name}: {', '.join(levels(game.variant))}.")
    if game.outcome is not None:
        raise ValueError("the game is over")
    how = LEVELS[level]
    dice = rng.random()
    if dice < how.slip:
        return Choice(at_random(game.position, rng), UNKNOWN)
    if dice < how.slip + how.glance:
        return Choice(at_a_glance(game.position, rng), UNKNOWN)
    if how.steps is not None and not is_exact(game.variant):
        budget = budget.steps(how.steps, STEP_S)
    kernel = kernel_for(game.variant)
    if isinstance(kernel, VanishingKernel):
        twice = {key for key, times in Counter(game.seen).items() if times >= 2}
        return kernel.choose_after(game.position, twice, budget, rng)
    return kernel.choose(game.position, budget, rng)


def analyse(position: Position, budget: Budget) -> Analysis:
    """The verdict of a position in play, and the moves proved to keep it."""
    return kernel_for(position.variant).analyse(position, budget)


def analyse_game(variant: Variant, cells: tuple[int, ...], budget: Budget) -> list[AnalysedPly]:
    """Every position of a game from ply 0, within one budget. Raises ``illegal_move`` with its ply.

    The last positions are the cheapest to prove and fill the tables for those before, so they come first.
    """
    games = [new_game(variant)]
    for cell in cells:
        games.append(games[-1].play(cell))
    told = []
    for left, game in zip(range(len(games), 0, -1), reversed(games), strict=True):
        if game.outcome is not None:
            told.append(AnalysedPly(game.ply, None, None, ()))
        else:
            verdict, best = analyse(game.position, budget.share(max(0.2, 1.0 / left)))
            told.append(AnalysedPly(game.ply, game.position.turn, verdict, best))
    return told[::-1]


def start_value(variant: Variant) -> Verdict:
    """What this project has proved of the empty board; at once, from a table."""
    return START_VALUES.get(variant.key, UNKNOWN)


def warm(variant: Variant, budget: Budget) -> None:
    """Load or fill the variant's tables, so that the first move asked for comes at once."""
    kernel_for(variant).analyse(start(variant), budget)
