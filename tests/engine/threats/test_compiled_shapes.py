"""The compiled alpha-beta on shapes: the same moves, values, nodes and looks at the clock as in plain Python."""

from __future__ import annotations

import random
from functools import partial

import pytest

from noughts.engine.budget import Budget
from noughts.engine.threats.compiled_patterns import NODES_PER_LOOK
from noughts.engine.threats.compiled_shapes import PROGRAM, CompiledShapeSearch, ShapeProgram
from noughts.engine.threats.shape_search import ShapeSearch
from noughts.rules.game import replay_names
from noughts.rules.variant import VARIANTS, Variant
from tests.support.budgets import TOLERANCE_S, no_time, overrun_s
from tests.support.compiled_programs import WithoutMemory, loaded
from tests.support.deepening import assert_same_search

GOMOKU = VARIANTS["gomoku"]
SMALL = Variant("9x8", "Nine by eight", "Five in a line wins.", (9, 8), 5)


@pytest.mark.parametrize("variant", [GOMOKU, SMALL], ids=lambda variant: variant.key)
@pytest.mark.parametrize("ticks", [3, 100])
def test_moves_and_values_are_those_of_plain_python(variant: Variant, ticks: int) -> None:
    program = ShapeProgram(loaded(PROGRAM), variant)
    assert_same_search(variant, ticks, ShapeSearch, partial(CompiledShapeSearch, program))


def test_a_spent_budget_stops_it() -> None:
    game = replay_names(GOMOKU, "h8 g9 i9 i7 g7 j10".split())
    fast = CompiledShapeSearch(
        ShapeProgram(loaded(PROGRAM), GOMOKU), GOMOKU, game.position.x, game.position.o, no_time()
    )
    fast.order(0, fast.ranked((1 << GOMOKU.cells) - 1, random.Random(1))[:8], 10, 20)
    assert fast.nodes_searched() == NODES_PER_LOOK


@pytest.mark.search
def test_no_search_outlives_its_budget_by_50_ms() -> None:
    """In processor time, so a busy machine does not count."""
    game = replay_names(GOMOKU, "h8 g9 i9 i7 g7 j10".split())
    program = ShapeProgram(loaded(PROGRAM), GOMOKU)

    def search(budget: Budget) -> None:
        fast = CompiledShapeSearch(program, GOMOKU, game.position.x, game.position.o, budget)
        fast.order(0, fast.ranked((1 << GOMOKU.cells) - 1, random.Random(1)), 10, 40)

    search(no_time())  # the memory is in place after it
    assert overrun_s(search, 0.1) <= TOLERANCE_S


def test_without_memory_for_its_tables_no_search_begins() -> None:
    program = ShapeProgram(WithoutMemory(loaded(PROGRAM)), GOMOKU)
    with pytest.raises(MemoryError, match="tables of a shape search"):
        CompiledShapeSearch(program, GOMOKU, 0, 0, no_time())
