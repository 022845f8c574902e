"""Levels: how strong the engine plays. Imports no kernel.

A move of a weaker level is one of three kinds, drawn by the shares in this table:

- *random*: any legal move,
- *one ply*: completes its own line, else blocks the opponent's, else any legal move,
- *search*: the search's best move. The search may read its clock ``steps`` times, and it reads it once in a fixed
  number of nodes, so a level is as strong on a slow machine as on a fast one.

=========  ======  =======  ======  =====
level      random  one ply  search  steps
=========  ======  =======  ======  =====
novice     0.95    0.05     0.00    0
casual     0.40    0.45     0.15    4
skilled    0.15    0.25     0.60    16
expert     0.05    0.05     0.90    64
the top    0.00    0.00     1.00    until the deadline
=========  ======  =======  ======  =====

The top level is ``perfect`` where every position is solved in time, and ``strongest`` elsewhere. Where every position
is solved, the search plays perfectly at every level: there the shares alone make the level.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from noughts.engine.solvable import is_exact
from noughts.rules.variant import Variant


class Level(NamedTuple):
    """The shares (0 to 1) of random and of one-ply moves, and the clock readings of a search, None for no limit."""

    name: str
    random_share: float
    one_ply_share: float
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

_STRENGTH_FILE: Final = Path(__file__).with_name("books") / "strength.json"


def names(exact: bool) -> tuple[str, ...]:
    """Return the names of the levels, weakest first, of a variant that is solved from every position or not."""
    return (*[level.name for level in _WEAKER], PERFECT if exact else STRONGEST)


def level_names(variant: Variant) -> tuple[str, ...]:
    """Return the names of the variant's levels, weakest first."""
    return names(is_exact(variant))


class Strength(NamedTuple):
    """A level's measured results against one opponent, as shares of ``games``.

    ``against`` is ``random``, ``simple`` or the name of a level.
    """

    level: str
    against: str
    win: float
    draw: float
    loss: float
    games: int


@lru_cache(maxsize=1)
def _measurements() -> Mapping[str, Mapping[str, Mapping[str, list[int]]]]:
    """Return wins, draws and losses by variant, level and opponent, as ``make strength`` wrote them."""
    table: Mapping[str, Mapping[str, Mapping[str, list[int]]]] = json.loads(_STRENGTH_FILE.read_text("utf-8"))
    return table


def strength(variant: str, opponents: tuple[str, ...] = ("random", "top")) -> tuple[Strength, ...]:
    """Return the measured strength of each level of a variant (its key), weakest first; nothing if it has none."""
    rows = []
    levels = _measurements().get(variant, {})
    for level, results in levels.items():
        for opponent in opponents:
            win, draw, loss = results[opponent]
            games = win + draw + loss
            against = list(levels)[-1] if opponent == "top" else opponent
            rows.append(Strength(level, against, win / games, draw / games, loss / games, games))
    return tuple(rows)
