"""Levels: how strong the computer opponent plays.

Each move of a weaker level is, by the stated odds, a slip (any legal move), a glance (completes its line, blocks the
other's, else plays at random) or the search's best within ``steps`` looks at the clock. A look comes every so many
nodes, so that a level is as strong on a slow machine as on a fast one.

=========  ====  ======  ======  =====
level      slip  glance  search  steps
=========  ====  ======  ======  =====
novice     0.95    0.05    0.00      0
casual     0.40    0.45    0.15      4
skilled    0.15    0.25    0.60     16
expert     0.05    0.05    0.90     64
the top    0.00    0.00    1.00  all that the deadline allows
=========  ====  ======  ======  =====

The top level is ``perfect`` where every position is solved in time and ``strongest`` elsewhere. Where the kernel is
exact, the search's best is perfect play at every level: there the slips and glances alone make the level.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final, NamedTuple


class Level(NamedTuple):
    """``slip`` and ``glance`` are the odds of such a move; the rest are searched with ``steps``, None for all."""

    name: str
    slip: float
    glance: float
    steps: int | None


_WEAKER: Final = (
    Level("novice", 0.95, 0.05, 0),
    Level("casual", 0.40, 0.45, 4),
    Level("skilled", 0.15, 0.25, 16),
    Level("expert", 0.05, 0.05, 64),
)
PERFECT: Final = "perfect"
STRONGEST: Final = "strongest"

LEVELS: Final[Mapping[str, Level]] = MappingProxyType(
    {level.name: level for level in (*_WEAKER, Level(PERFECT, 0.0, 0.0, None), Level(STRONGEST, 0.0, 0.0, None))}
)


def names(exact: bool) -> tuple[str, ...]:
    """The levels of a variant, weakest first."""
    return (*[level.name for level in _WEAKER], PERFECT if exact else STRONGEST)


class Strength(NamedTuple):
    """How a level fared, in shares of ``games``; ``against`` is ``random``, ``simple`` or a level."""

    level: str
    against: str
    win: float
    draw: float
    loss: float
    games: int


@lru_cache(maxsize=1)
def _measured() -> Mapping[str, Mapping[str, Mapping[str, list[int]]]]:
    """By variant, level and opponent: wins, draws and losses (``make strength`` writes them)."""
    path = files("noughts.engine") / "books" / "strength.json"
    measured: Mapping[str, Mapping[str, Mapping[str, list[int]]]] = json.loads(path.read_text("utf-8"))
    return measured


def strength(variant: str, opponents: tuple[str, ...] = ("random", "top")) -> tuple[Strength, ...]:
    """How strong each level of a variant was when it was measured, weakest first; nothing for an unmeasured variant."""
    rows = []
    levels = _measured().get(variant, {})
    for level, results in levels.items():
        for opponent in opponents:
            win, draw, loss = results[opponent]
            games = win + draw + loss
            against = list(levels)[-1] if opponent == "top" else opponent
            rows.append(Strength(level, against, win / games, draw / games, loss / games, games))
    return tuple(rows)
