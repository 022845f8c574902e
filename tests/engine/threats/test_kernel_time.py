"""How the kernel of threats divides its time between alpha-beta and probes for wins by threes. Both are scripted here."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final, cast

import pytest

from noughts.engine.budget import Budget
from noughts.engine.threats.kernel import (
    FIRST_SEARCH_SHARE,
    LEAST_PROBE_SHARE,
    NEXT_SEARCH_SHARE,
    PROBE_SHARE,
    SAFE_SEARCH_SHARE,
    ThreatKernel,
)
from noughts.engine.threats.lines import board_of
from noughts.engine.threats.searches import FOUR_LIMIT, FourSearch, Scope, Searches
from noughts.rules.game import replay_names
from noughts.rules.variant import VARIANTS
from tests.support.engine_games import game_at
from tests.support.threats import four_search, gomoku_position

GOMOKU = VARIANTS["gomoku"]
GAME = replay_names(GOMOKU, ["h8", "h9", "c3"])
A, B, C = CELLS = tuple(GOMOKU.names.index(name) for name in ("g7", "g8", "g9"))
LOST_GAME = game_at(gomoku_position(". . . . . . .", ". . O O O . .", ". . . . . . .", ". . O O O . ."))
SECONDS: Final = 2.0
"""The scripted analysis takes no time, so all of them are left for the move."""
STAGES: Final = 3
"""The searches of one probe, each with more moves than the one before."""


class Clock:
    """A clock that the scripted searches set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class ScriptedAlphaBeta:
    """Prefers the cells of the script one after the other. A search takes its whole time, or none after the script."""

    def __init__(self, script: Sequence[int], clock: Clock, budget: Budget) -> None:
        self.budget = budget
        self.script = list(script)
        self.clock = clock
        self.seconds: list[float] = []

    def continue_until(self, budget: Budget) -> None:
        self.budget = budget

    def ranked(self, allowed: int, rng: random.Random) -> list[int]:
        return list(CELLS)

    def order(self, side: int, cells: list[int], max_depth: int) -> tuple[list[int], int]:
        if not self.script:
            return cells, 0
        self.seconds.append(self.budget.left())
        self.clock.now += self.budget.left()
        first = self.script.pop(0)
        assert first in cells, "a move that was left out is not searched again"
        return [first, *(cell for cell in cells if cell != first)], 0


class ScriptedThrees:
    """Finds a win of the opponent after some cells, in a hundredth of a second. Without one it takes its whole time."""

    def __init__(self, losing: set[int], clock: Clock, budget: Budget, probes: list[float]) -> None:
        self.losing = losing
        self.clock = clock
        self.budget = budget
        self.probes = probes

    def solve(self, own: int, other: int, limit: int = 60_000) -> list[int]:
        if not any(other >> cell & 1 for cell in CELLS):
            return []  # the engine's own win, before its move
        self.probes.append(self.budget.left())
        if any(other >> cell & 1 for cell in self.losing):
            self.clock.now += 0.01
            return [1]
        self.clock.now += self.budget.left()
        return []


class ScriptedSearches:
    """The searches of a kernel."""

    def __init__(self, script: Sequence[int], losing: set[int]) -> None:
        self.clock = Clock()
        self.losing = losing
        self.board = board_of(GOMOKU)
        self.probes: list[float] = []
        self.alpha = ScriptedAlphaBeta(script, self.clock, Budget(SECONDS, self.clock))

    def fours(self, budget: Budget) -> FourSearch:
        return four_search(GOMOKU, budget)

    def threes(self, budget: Budget, four_limit: int = FOUR_LIMIT, scope: Scope = Scope.FULL) -> ScriptedThrees:
        return ScriptedThrees(self.losing, self.clock, budget, self.probes)

    def alpha_beta(self, x: int, o: int, budget: Budget) -> ScriptedAlphaBeta:
        return self.alpha


def chosen(script: Sequence[int], losing: set[int], seconds: float = SECONDS) -> tuple[int, ScriptedSearches]:
    """Return the kernel's choice with scripted searches."""
    searches = ScriptedSearches(script, losing)
    choice = ThreatKernel(GOMOKU, cast(Searches, searches)).choose(
        GAME, Budget(seconds, searches.clock), random.Random(1)
    )
    return choice.cell, searches


def test_alpha_beta_and_probes_take_turns() -> None:
    """A move that is safe is searched deeper, and no time is kept for another probe of it."""
    cell, searches = chosen([A, A], set())
    assert cell == A
    assert searches.alpha.seconds[0] == pytest.approx(FIRST_SEARCH_SHARE * SECONDS)
    assert sum(searches.probes) == pytest.approx(PROBE_SHARE * SECONDS)
    left_s = SECONDS * (1.0 - FIRST_SEARCH_SHARE - PROBE_SHARE)
    assert searches.alpha.seconds[1] == pytest.approx(SAFE_SEARCH_SHARE * left_s)


def test_a_move_that_loses_to_threes_is_left_out() -> None:
    """The next best one has its probe too, and the search in between is short."""
    cell, searches = chosen([A, B, C], {A, B})
    assert cell == C
    assert searches.alpha.seconds[1:] == pytest.approx([NEXT_SEARCH_SHARE * SECONDS] * 2)


def test_the_last_safe_move_is_played_when_no_time_is_left_for_a_probe() -> None:
    """Alpha-beta prefers A and B in turn, which are safe, and at the end C, about which nothing is known."""
    cell, searches = chosen([A, B, A, C], set())
    assert len(searches.probes) == 2 * STAGES, "each safe move had one probe"
    assert not searches.alpha.script
    assert cell == A
    assert searches.clock.now > (1.0 - LEAST_PROBE_SHARE) * SECONDS


def test_no_search_is_begun_that_could_not_change_a_safe_move() -> None:
    """A search of the last few milliseconds would end at its first depth, and prefer the move of the best estimate."""
    cell, searches = chosen([A, A, A, A, A, B], set())
    assert cell == A
    assert searches.alpha.script == [B]


def test_a_decided_position_has_no_probes() -> None:
    """X cannot stop O's wins by fours: alpha-beta chooses among the defences."""
    searches = ScriptedSearches([A], set())
    choice = ThreatKernel(GOMOKU, cast(Searches, searches)).choose(
        LOST_GAME, Budget(SECONDS, searches.clock), random.Random(1)
    )
    assert choice.verdict.value == "loss"
    assert choice.cell == A
    assert not searches.probes
    assert searches.alpha.seconds == pytest.approx([FIRST_SEARCH_SHARE * SECONDS])
