"""The fastest searches for threats that this installation has: compiled where the extra ``noughts[fast]`` is installed."""

from __future__ import annotations

from typing import Protocol

from noughts.engine.budget import Budget
from noughts.engine.compiled.loading import load
from noughts.engine.threats import compiled_patterns, compiled_shapes, compiled_threats
from noughts.engine.threats.compiled_patterns import CompiledPatternSearch, PatternProgram
from noughts.engine.threats.compiled_shapes import CompiledShapeSearch, ShapeProgram
from noughts.engine.threats.compiled_threats import CompiledFourSearch, CompiledSearches, CompiledThreeSearch, fits
from noughts.engine.threats.deepening import DeepeningSearch
from noughts.engine.threats.fours import FourSearch, WinsByFours, board_of
from noughts.engine.threats.patterns import PatternSearch
from noughts.engine.threats.shape_search import ShapeSearch
from noughts.engine.threats.shape_search import fits as fits_shapes
from noughts.engine.threats.threes import FOUR_LIMIT, Scope, ThreeSearch, WinsByThrees
from noughts.rules.variant import Variant


class Searches(Protocol):
    """A maker of searches for one variant, each with empty tables."""

    def fours(self, budget: Budget) -> WinsByFours:
        """Return a search for wins by fours."""
        ...

    def threes(self, budget: Budget, four_limit: int = FOUR_LIMIT, scope: Scope = Scope.FULL) -> WinsByThrees:
        """Return a search for wins by threes."""
        ...

    def alpha_beta(self, x: int, o: int, budget: Budget) -> DeepeningSearch:
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

    def threes(self, budget: Budget, four_limit: int = FOUR_LIMIT, scope: Scope = Scope.FULL) -> ThreeSearch:
        """Return a search for wins by threes."""
        return ThreeSearch(self._variant, budget, four_limit, scope)

    def alpha_beta(self, x: int, o: int, budget: Budget) -> DeepeningSearch:
        """Return an alpha-beta search of one position."""
        if fits_shapes(self._variant):
            return ShapeSearch(self._variant, x, o, budget)
        return PatternSearch(self._variant, x, o, budget)


class FastSearches:
    """Compiled searches."""

    def __init__(self, variant: Variant, threats: CompiledSearches, program: PatternProgram | ShapeProgram) -> None:
        self._variant = variant
        self._threats = threats
        self._program = program

    def fours(self, budget: Budget) -> CompiledFourSearch:
        """Return a search for wins by fours."""
        return self._threats.fours(budget)

    def threes(self, budget: Budget, four_limit: int = FOUR_LIMIT, scope: Scope = Scope.FULL) -> CompiledThreeSearch:
        """Return a search for wins by threes."""
        return self._threats.threes(budget, four_limit, scope)

    def alpha_beta(self, x: int, o: int, budget: Budget) -> DeepeningSearch:
        """Return an alpha-beta search of one position. It ends the one before."""
        if isinstance(self._program, ShapeProgram):
            return CompiledShapeSearch(self._program, self._variant, x, o, budget)
        return CompiledPatternSearch(self._program, self._variant, x, o, budget)


def fastest_searches(variant: Variant) -> Searches:
    """Return the compiled searches if they can run here and the board is not too large for them, else plain Python."""
    board = board_of(variant)
    threats = load(compiled_threats.PROGRAM) if fits(board) else None
    by_shapes = fits_shapes(variant)
    program = None if threats is None else load(compiled_shapes.PROGRAM if by_shapes else compiled_patterns.PROGRAM)
    if threats is None or program is None:
        return PlainSearches(variant)
    searches = CompiledSearches(threats, board)
    if by_shapes:
        return FastSearches(variant, searches, ShapeProgram(program, variant))
    return FastSearches(variant, searches, PatternProgram(program, variant, board))
