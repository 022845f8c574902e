"""The engine for programs: a move, a verdict and an analysis of a game, without a server, a network or a task.

``from noughts import Game, analyse, choose, variants`` exports these functions. They speak of cells by their names, as the
server does. They supply what the engine takes as arguments: a clock and random numbers.

Any thread may call them. A search keeps its tables for the next one, so one thread searches at a time and the others wait.
The seconds of a search begin when it does. To search in parallel, use processes.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping
from typing import Final, NamedTuple

from noughts.engine import engine
from noughts.engine.budget import Budget
from noughts.engine.kernels import fault
from noughts.engine.levels import level_names
from noughts.engine.solvable import needs_program
from noughts.engine.verdict import Verdict
from noughts.errors import Rejection
from noughts.rules.game import Game
from noughts.rules.outcome import Mark
from noughts.rules.variant import VARIANTS, Variant, variant_named

variants: Final[Mapping[str, Variant]] = VARIANTS
"""Each variant by its key, such as ``variants["classic"]``."""
MOVE_S: Final = 1.0
"""Seconds that :func:`choose` may search if the caller does not say: as many as the server's engine has."""
ANALYSIS_S: Final = 8.0
"""Seconds that :func:`analyse` may search if the caller does not say."""


_searching: Final = threading.Lock()
"""Held by the thread that searches: neither the tables nor a compiled program may be used by two threads at once."""


class AnalysedPly(NamedTuple):
    """One position of a game: its ply, the mark to move, the verdict, and the cells proved to keep the value.

    ``best`` holds names in the order of the legal moves: in a won position the moves that the engine has proved to win, in a
    drawn one those that it has proved to draw, in a lost one every legal move. It is empty if the value is unknown.
    ``complete`` says whether no other move keeps the value. After the end of the game ``turn`` and ``verdict`` are None.
    """

    ply: int
    turn: Mark | None
    verdict: Verdict | None
    best: tuple[str, ...]
    complete: bool = False


def levels(variant: Variant | str) -> tuple[str, ...]:
    """Return the names of the engine's levels for a variant or its key, weakest first.

    Where the compiled programs do not run, four variants have only the levels that do not search. Raise
    :class:`~noughts.errors.Rejection` with the code ``bad_message`` for an unknown key.

    >>> levels("classic")
    ('novice', 'casual', 'skilled', 'expert', 'perfect')
    """
    if isinstance(variant, str):
        variant = variant_named(variant)
    return level_names(variant, programs_run=not needs_program(variant) or fault() is None)


def choose(game: Game, level: str | None = None, *, seconds: float = MOVE_S, seed: int | None = None) -> str:
    """Return the name of the cell that the engine plays at this level, by default at the strongest.

    A level that needs a program which does not run on this machine warns, and plays without a search. The search ends after
    ``seconds``; most end sooner. With a ``seed``, equal searches choose equal moves. Raise
    :class:`~noughts.errors.Rejection`: ``game_over`` after the end, ``bad_message`` for a level that the variant lacks.

    >>> from noughts import Game
    >>> choose(Game.of("classic", "a1 b2 b1"))
    'c1'
    """
    if game.outcome is not None:
        raise Rejection("game_over", "The game is over.")
    with _searching:
        level = level or levels(game.variant)[-1]
        choice = engine.choose(game, level, _budget(seconds), random.Random(seed))
    return game.variant.names[choice.cell]


def verdict(game: Game, *, seconds: float = ANALYSIS_S) -> Verdict:
    """Return the proved value of the current position for the side to move.

    The value is ``unknown`` if no proof is found within ``seconds``. Raise :class:`~noughts.errors.Rejection` with the
    code ``game_over`` after the end.

    >>> from noughts import Game
    >>> verdict(Game.of("classic", "b2 b1"))
    Verdict(value='win', plies=5, proof='exact')
    """
    if game.outcome is not None:
        raise Rejection("game_over", "The game is over.")
    with _searching:
        return engine.analyse(game.position, _budget(seconds)).verdict


def analyse(game: Game, *, seconds: float = ANALYSIS_S) -> tuple[AnalysedPly, ...]:
    """Return the verdict and the best moves of each position of a game, from the empty board to the current position.

    All positions together take at most about ``seconds``. What is not proved by then is ``unknown``.

    >>> from noughts import Game
    >>> for ply in analyse(Game.of("classic", "a1 b1")):
    ...     print(ply.turn, ply.verdict.value, ply.verdict.plies, *ply.best)
    X draw None a1 b1 c1 a2 b2 c2 a3 b3 c3
    O draw None b2
    X win 5 a2 b2 a3
    """
    names = game.variant.names
    with _searching:
        plies = engine.analyse_game(game.variant, game.moves, _budget(seconds))
    return tuple(
        AnalysedPly(ply.ply, ply.turn, ply.verdict, tuple(names[cell] for cell in ply.best), ply.complete)
        for ply in plies
    )


def _budget(seconds: float) -> Budget:
    return Budget(time.monotonic() + seconds, time.monotonic)
