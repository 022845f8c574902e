"""How the kernel of threats divides its time between alpha-beta and looks for wins by threes. Both are scripted here."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

import pytest

from noughts.engine.budget import Budget
from noughts.engine.threats.deepening import DeepeningSearch
from noughts.engine.threats.fours import FourSearch, board_of
from noughts.engine.threats.kernel import DEEPER_SEARCH, FIRST_SEARCH, LAST_LOOK, LOOK, NEXT_SEARCH, ThreatKernel
from noughts.engine.threats.threes import FOUR_LIMIT, Scope
from noughts.rules.game import replay_names
from noughts.rules.variant import VARIANTS

GOMOKU = VARIANTS["gomoku"]
GAME = replay_names(GOMOKU, ["h8", "h9", "c3"])
A, B, C = (GOMOKU.names.index(name) for name in ("g7", "g8", "g9"))
SECONDS: Final = 2.0  # half of them are for the analysis, which finds nothing here and takes no time
STAGES: Final = len(Scope)  # of a look, each with more moves than the one before


class Clock:
    """A clock that the scripted searches set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class ScriptedAlphaBeta(DeepeningSearch):
    """Prefers the cells of the script one after the other. A search takes its whole time, or none after the script."""

    def __init__(self, script: Sequence[int], clock: Clock, budget: Budget) -> None:
        super().__init__(budget)
        self.script = list(script)
        self.clock = clock
        self.seconds: list[float] = []

    def ranked(self, allowed: int, rng: random.Random) -> list[int]:
        return [A, B, C]

    def order(self, side: int, cells: list[int], width: int, max_depth: int) -> tuple[list[int], int]:
        if not self.script:
            return cells, 0
        self.seconds.append(self._budget.left())
        self.clock.now += self._budget.left()
        first = self.script.pop(0)
        assert first in cells, "a move that was left out is not searched again"
        return [first, *(cell for cell in cells if cell != first)], 0


class ScriptedThrees:
    """Finds a win of the opponent after some cells, in a hundredth of a second. Without one it takes its whole time."""

    def __init__(self, losing: set[int], clock: Clock, budget: Budget, looks: list[float]) -> None:
        self.losing = losing
        self.clock = clock
        self.budget = budget
        self.looks = looks

    def solve(self, own: int, other: int, limit: int = 60_000) -> list[int]:
        if not any(other >> cell & 1 for cell in (A, B, C)):
            return []  # the engine's own win, before its move
        self.looks.append(self.budget.left())
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
        self.looks: list[float] = []
        self.alpha = ScriptedAlphaBeta(script, self.clock, Budget(SECONDS, self.clock))

    def fours(self, budget: Budget) -> FourSearch:
        return FourSearch(board_of(GOMOKU), budget)

    def threes(self, budget: Budget, four_limit: int = FOUR_LIMIT, scope: Scope = Scope.FULL) -> ScriptedThrees:
        return ScriptedThrees(self.losing, self.clock, budget, self.looks)

    def alpha_beta(self, x: int, o: int, budget: Budget) -> DeepeningSearch:
        return self.alpha


def chosen(monkeypatch: pytest.MonkeyPatch, script: Sequence[int], losing: set[int]) -> tuple[int, ScriptedSearches]:
    """Return the kernel's choice with scripted searches."""
    searches = ScriptedSearches(script, losing)
    monkeypatch.setattr("noughts.engine.threats.kernel.fastest_searches", lambda _: searches)
    choice = ThreatKernel(GOMOKU).choose(GAME, Budget(SECONDS, searches.clock), random.Random(1))
    return choice.cell, searches


def test_alpha_beta_and_looks_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """A move that is safe is searched deeper, and no time is kept for another look at it."""
    cell, searches = chosen(monkeypatch, [A, A], set())
    assert cell == A
    assert searches.alpha.seconds[0] == pytest.approx(FIRST_SEARCH * SECONDS)
    assert sum(searches.looks) == pytest.approx(LOOK * SECONDS)
    left_s = SECONDS * (1.0 - FIRST_SEARCH - LOOK)
    assert searches.alpha.seconds[1] == pytest.approx(DEEPER_SEARCH * left_s)


def test_a_move_that_loses_to_threes_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next best one has its look too, and the search in between is short."""
    cell, searches = chosen(monkeypatch, [A, B, C], {A, B})
    assert cell == C
    assert searches.alpha.seconds[1:] == pytest.approx([NEXT_SEARCH * SECONDS] * 2)


def test_the_last_safe_move_is_played_when_no_time_is_left_for_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alpha-beta prefers A and B in turn, which are safe, and at the end C, about which nothing is known."""
    cell, searches = chosen(monkeypatch, [A, B, A, B, A, C], set())
    assert len(searches.looks) == 2 * STAGES, "each safe move had one look"
    assert not searches.alpha.script
    assert cell == A
    assert searches.clock.now > (1.0 - LAST_LOOK) * SECONDS


def test_where_every_move_loses_the_one_that_was_best_at_first_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    cell, searches = chosen(monkeypatch, [B, A, C], {A, B, C})
    assert cell == B
    assert len(searches.looks) == 3


def test_a_search_that_ends_by_itself_ends_the_move(monkeypatch: pytest.MonkeyPatch) -> None:
    cell, searches = chosen(monkeypatch, [], set())
    assert cell == A
    assert searches.clock.now < SECONDS
