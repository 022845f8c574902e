"""Levels: how strong the engine plays. Imports no kernel.

A weaker level errs as people do. It makes a share of its moves by a search and the others without: it completes its
line, else blocks the opponent's, else plays near the marks. The weakest levels search nothing, and they overlook a share
of the lines, their own less often than the opponent's. A level that searches overlooks no line in one cell. What it
overlooks, in its moves without a search, is everything deeper, such as two lines at once.

A search may read its clock ``clock_readings`` times, and it reads it once in a fixed number of nodes, so a level is as
strong on a slow machine as on a fast one. Where every position is solved the search plays perfectly, and the shares alone
make the level.

Each variant has a ladder of its own. A step on it is one that a person can take: the stronger of two neighbours scores 65
to 80 % against the other, less where most games are drawn. ``make strength`` measures it.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from noughts.engine.solvable import is_played_perfectly, needs_program
from noughts.rules.variant import Variant


class Level(NamedTuple):
    """The shares (0 to 1) of lines that a level overlooks and of moves that it searches, and its search's clock readings.

    ``clock_readings`` is None for a search that lasts until the deadline.
    """

    name: str
    own_misses: float
    line_misses: float
    search_share: float
    clock_readings: int | None

    @property
    def searches(self) -> bool:
        """Whether the level searches any move."""
        return self.search_share > 0.0


PERFECT: Final = "perfect"
STRONGEST: Final = "strongest"
LEVELS: Final = (
    "novice",
    "beginner",
    "casual",
    "regular",
    "skilled",
    "advanced",
    "veteran",
    "expert",
    "master",
    "grandmaster",
    "champion",
    PERFECT,
    STRONGEST,
)
"""The names of all levels, weakest first. A variant has some of them."""

DEFAULT_LEVEL: Final = "skilled"
"""The level of an engine for which nobody chose one. Every variant has it."""

STRENGTH_FILE: Final = Path(__file__).with_name("books") / "strength.json"
_Measurements: TypeAlias = dict[str, dict[str, dict[str, list[int]]]]

_LADDERS: Final[Mapping[str, tuple[Level, ...]]] = MappingProxyType(
    {
        "classic": (
            Level("novice", 0.25, 1.0, 0.0, 0),
            Level("casual", 0.1, 0.55, 0.0, 0),
            Level("skilled", 0.018, 0.16, 0.0, 0),
            Level("expert", 0.0, 0.0, 0.36, None),
        ),
        "misere": (
            Level("novice", 1.0, 1.0, 0.0, 0),
            Level("casual", 0.32, 0.47, 0.0, 0),
            Level("skilled", 0.0, 0.0, 0.27, None),
            Level("expert", 0.0, 0.0, 0.74, None),
        ),
        "vanishing": (
            Level("novice", 0.22, 0.7, 0.0, 0),
            Level("casual", 0.05, 0.25, 0.0, 0),
            Level("skilled", 0.0, 0.0, 0.06, None),
            Level("advanced", 0.0, 0.0, 0.33, None),
            Level("expert", 0.0, 0.0, 0.59, None),
            Level("master", 0.0, 0.0, 0.81, None),
        ),
        "4x4": (
            Level("novice", 0.25, 1.0, 0.0, 0),
            Level("casual", 0.1, 0.65, 0.0, 0),
            Level("skilled", 0.08, 0.36, 0.0, 0),
            Level("expert", 0.03, 0.1, 0.0, 0),
        ),
        "5x5": (
            Level("novice", 0.25, 0.85, 0.0, 0),
            Level("casual", 0.06, 0.25, 0.0, 0),
            Level("skilled", 0.0, 0.0, 0.12, None),
            Level("advanced", 0.0, 0.0, 0.35, None),
            Level("veteran", 0.0, 0.0, 0.54, None),
            Level("expert", 0.0, 0.0, 0.72, None),
            Level("master", 0.0, 0.0, 0.87, None),
        ),
        "four-in-a-row": (
            Level("novice", 0.25, 0.88, 0.0, 0),
            Level("casual", 0.06, 0.3, 0.0, 0),
            Level("regular", 0.0, 0.0, 0.08, 8),
            Level("skilled", 0.0, 0.0, 0.39, 8),
            Level("advanced", 0.0, 0.0, 0.62, 8),
            Level("expert", 0.0, 0.0, 0.8, 12),
            Level("master", 0.0, 0.0, 0.92, 24),
        ),
        "qubic": (
            Level("novice", 0.24, 0.75, 0.0, 0),
            Level("beginner", 0.08, 0.4, 0.0, 0),
            Level("casual", 0.02, 0.12, 0.0, 0),
            Level("regular", 0.0, 0.0, 0.06, 8),
            Level("skilled", 0.0, 0.0, 0.25, 8),
            Level("advanced", 0.0, 0.0, 0.51, 12),
            Level("expert", 0.0, 0.0, 0.73, 24),
            Level("master", 0.0, 0.0, 0.92, 48),
        ),
        "gomoku": (
            Level("novice", 0.22, 1.0, 0.0, 0),
            Level("beginner", 0.04, 0.4, 0.0, 0),
            Level("casual", 0.02, 0.27, 0.0, 0),
            Level("regular", 0.0, 0.0, 0.018, 8),
            Level("skilled", 0.0, 0.0, 0.11, 8),
            Level("advanced", 0.0, 0.0, 0.285, 18),
            Level("veteran", 0.0, 0.0, 0.47, 29),
            Level("expert", 0.0, 0.0, 0.645, 58),
            Level("master", 0.0, 0.0, 0.795, 118),
            Level("grandmaster", 0.0, 0.0, 0.895, 430),
            Level("champion", 0.0, 0.0, 0.95, 1560),
        ),
        "ultimate": (
            Level("novice", 0.25, 1.0, 0.0, 0),
            Level("casual", 0.1, 0.68, 0.0, 0),
            Level("regular", 0.04, 0.2, 0.0, 0),
            Level("skilled", 0.0, 0.0, 0.22, 8),
            Level("advanced", 0.0, 0.0, 0.48, 8),
            Level("expert", 0.0, 0.0, 0.7, 16),
            Level("master", 0.0, 0.0, 0.88, 32),
            Level("grandmaster", 0.0, 0.0, 0.965, 72),
            Level("champion", 0.0, 0.0, 0.98, 560),
        ),
    }
)
"""The levels below the top one, by variant, weakest first."""

_OTHER_VARIANTS: Final = (
    Level("novice", 0.22, 0.7, 0.0, 0),
    Level("casual", 0.06, 0.3, 0.0, 0),
    Level("skilled", 0.0, 0.0, 0.2, 8),
    Level("expert", 0.0, 0.0, 0.7, 24),
)


def ladder(variant: Variant) -> tuple[Level, ...]:
    """Return the variant's levels, weakest first."""
    top = PERFECT if is_played_perfectly(variant) else STRONGEST
    weaker = _LADDERS.get(variant.key, _OTHER_VARIANTS)
    return (*weaker, Level(top, 0.0, 0.0, 1.0, None))


def level_names(variant: Variant, *, programs_run: bool = True) -> tuple[str, ...]:
    """Return the names of the variant's levels, weakest first.

    Where the compiled programs do not run, leave out the levels that need one.
    """
    without_search = not programs_run and needs_program(variant)
    return tuple(level.name for level in ladder(variant) if not (without_search and level.searches))


def default_level(levels: tuple[str, ...]) -> str:
    """Return the level of an engine for which nobody chose one: ``DEFAULT_LEVEL``, else the strongest of ``levels``."""
    return DEFAULT_LEVEL if DEFAULT_LEVEL in levels else levels[-1]


def strongest_without_search(variant: Variant) -> Level:
    """Return the variant's strongest level that does not search."""
    return [level for level in ladder(variant) if not level.searches][-1]


def level_of(variant: Variant, name: str) -> Level:
    """Return the variant's level of this name. Raise KeyError if it has none."""
    for level in ladder(variant):
        if level.name == name:
            return level
    raise KeyError(name)


class Strength(NamedTuple):
    """A level's measured results against one opponent, as shares of ``games``.

    ``against`` is ``random``, ``simple`` or the name of a level: the top one, or the one below.
    """

    level: str
    against: str
    win: float
    draw: float
    loss: float
    games: int


def digest(table: _Measurements) -> str:
    """Return the SHA-256 of the figures, which their file holds beside them."""
    return sha256(json.dumps(table).encode()).hexdigest()


@lru_cache(maxsize=1)
def measurements() -> _Measurements:
    """Return wins, draws and losses by variant, level and opponent, as ``make strength`` wrote them.

    Warn and return nothing if the file is missing or damaged.
    """
    try:
        document = json.loads(STRENGTH_FILE.read_bytes())
        table: _Measurements = document["levels"]
        if document["digest"] != digest(table):
            raise ValueError("the digest does not belong to these figures")
        for results in (results for levels in table.values() for results in levels.values()):
            for wins, draws, losses in results.values():
                if min(wins, draws, losses) < 0 or wins + draws + losses == 0:
                    raise ValueError("a match without a game")
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        warnings.warn(
            f"The strength of the levels is not shown, because {STRENGTH_FILE} cannot be read: {error}. "
            "Install Noughts again, or measure again with `make strength`.",
            stacklevel=2,
        )
        return {}
    return table


def strength(variant: str, opponents: tuple[str, ...] = ("random", "top", "below")) -> tuple[Strength, ...]:
    """Return the measured strength of each level of a variant (its key), weakest first; nothing if it has none.

    The weakest level has no result against a level ``below``, and the top one none against itself.
    """
    rows = []
    levels = measurements().get(variant, {})
    names = list(levels)
    for number, (level, results) in enumerate(levels.items()):
        for opponent in opponents:
            against = {"top": names[-1], "below": names[number - 1]}.get(opponent, opponent)
            if opponent not in results or against == level:
                continue
            win, draw, loss = results[opponent]
            games = win + draw + loss
            rows.append(Strength(level, against, win / games, draw / games, loss / games, games))
    return tuple(rows)
