"""The fastest searches for threats that this installation has: compiled where the extra ``noughts[fast]`` is installed."""

from __future__ import annotations

from typing import Protocol

from noughts.engine.budget import Budget
from noughts.engine.compiled.loading import load
from noughts.engine.threats import compiled_patterns, compiled_threats
from noughts.engine.threats.compiled_patterns import CompiledPatternSearch, PatternProgram
from noughts.engine.threats.compiled_threats import CompiledFourSearch, CompiledSearches, CompiledThreeSearch, fits
from noughts.engine.threats.fours import FourSearch, WinsByFours, board_of
from noughts.engine.threats.patterns import PatternSearch
from noughts.engine.threats.threes import FOUR_LIMIT, ThreeSearch, WinsByThrees
from noughts.rules.variant import Variant


class Searches(Protocol):
    """A maker of searches for one variant, each with empty tables."""

    def fours(self, budget: Budget) -> WinsByFours:
        """Return a search for wins by fours."""
        ...

    def threes(self, budget: Budget, four_limit: int = FOUR_LIMIT, *, wide: bool = False) -> WinsByThrees:
        """Return a search for wins by threes."""
        ...

    def patterns(self, x: int, o: int, budget: Budget) -> PatternSearch:
        """Return an alpha-beta search of one position. It ends the one before."""
        ...


class PlainSearches:
    """Searches in plain Python."""

    def __init__(self, variant: Variant) -> None:
        self._variant = variant
        self._board = board_of(variant)

    def fours(self, budget: Budget) -> FourSearch:
        """Return a search for wins by fours."""
        return FourSearch(self._board, budget)

    def threes(self, budget: Budget, four_limit: int = FOUR_LIMIT, *, wide: bool = False) -> ThreeSearch:
        """Return a search for wins by threes."""
        return ThreeSearch(self._board, FourSearch(self._board, budget), budget, four_limit, wide=wide)

    def patterns(self, x: int, o: int, budget: Budget) -> PatternSearch:
        """Return an alpha-beta search of one position."""
        return PatternSearch(self._variant, x, o, budget)


class FastSearches:
    """Compiled searches."""

    def __init__(self, variant: Variant, threats: CompiledSearches, patterns: PatternProgram) -> None:
        self._variant = variant
        self._threats = threats
        self._patterns = patterns

    def fours(self, budget: Budget) -> CompiledFourSearch:
        """Return a search for wins by fours."""
        return self._threats.fours(budget)

    def threes(self, budget: Budget, four_limit: int = FOUR_LIMIT, *, wide: bool = False) -> CompiledThreeSearch:
        """Return a search for wins by threes."""
        return self._threats.threes(budget, four_limit, wide=wide)

    def patterns(self, x: int, o: int, budget: Budget) -> CompiledPatternSearch:
        """Return an alpha-beta search of one position. It ends the one before."""
        return CompiledPatternSearch(self._patterns, self._variant, x, o, budget)


def fastest_searches(variant: Variant) -> Searches:
    """Return the compiled searches if they can run here and the board is not too large for them, else plain Python."""
    board = board_of(variant)
    threats = load(compiled_threats.PROGRAM) if fits(board) else None
    patterns = None if threats is None else load(compiled_patterns.PROGRAM)
    if threats is None or patterns is None:
        return PlainSearches(variant)
    return FastSearches(variant, CompiledSearches(threats, board), PatternProgram(patterns, variant, board))
