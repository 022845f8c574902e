"""The compiled alpha-beta: the same moves, values, nodes and looks at the clock as in plain Python."""

from __future__ import annotations

import random
from functools import partial

import pytest

from noughts.engine.budget import Budget
from noughts.engine.threats.compiled_patterns import NODES_PER_LOOK, PROGRAM, CompiledPatternSearch, PatternProgram
from noughts.engine.threats.fours import board_of
from noughts.engine.threats.patterns import PatternSearch
from noughts.rules.game import replay_names
from noughts.rules.variant import VARIANTS, Variant
from tests.support.budgets import TOLERANCE_S, endless, no_time, overrun_s
from tests.support.compiled_programs import WithoutMemory, loaded
from tests.support.deepening import assert_same_search

LONG_LINE = Variant("10x9", "Ten by nine", "Six in a line wins.", (10, 9), 6)


def program_of(variant: Variant) -> PatternProgram:
    """Return a program with the variant's board."""
    return PatternProgram(loaded(PROGRAM), variant, board_of(variant))


@pytest.mark.parametrize("variant", [VARIANTS["gomoku"], VARIANTS["qubic"], LONG_LINE], ids=lambda variant: variant.key)
@pytest.mark.parametrize("ticks", [3, 100])
def test_moves_and_values_are_those_of_plain_python(variant: Variant, ticks: int) -> None:
    program = program_of(variant)
    assert_same_search(variant, ticks, PatternSearch, partial(CompiledPatternSearch, program))


def test_a_spent_budget_stops_it_and_leaves_the_position() -> None:
    gomoku = VARIANTS["gomoku"]
    game = replay_names(gomoku, "h8 g9 i9 i7 g7 j10".split())
    x, o = game.position.x, game.position.o
    fast = CompiledPatternSearch(program_of(gomoku), gomoku, x, o, no_time())
    cells = fast.ranked((1 << gomoku.cells) - 1, random.Random(1))[:8]
    fast.order(0, cells, 10, 20)
    assert fast.nodes_searched() == NODES_PER_LOOK
    assert fast.order(0, cells, 10, 1) == PatternSearch(gomoku, x, o, endless()).order(0, cells, 10, 1)


@pytest.mark.search
def test_no_search_outlives_its_budget_by_50_ms() -> None:
    """In processor time, so a busy machine does not count."""
    gomoku = VARIANTS["gomoku"]
    game = replay_names(gomoku, "h8 g9 i9 i7 g7 j10".split())
    program = program_of(gomoku)

    def search(budget: Budget) -> None:
        fast = CompiledPatternSearch(program, gomoku, game.position.x, game.position.o, budget)
        fast.order(0, fast.ranked((1 << gomoku.cells) - 1, random.Random(1)), 10, 40)

    search(no_time())  # the memory is in place after it
    assert overrun_s(search, 0.1) <= TOLERANCE_S


def test_without_memory_for_its_table_no_search_begins() -> None:
    qubic = VARIANTS["qubic"]
    program = PatternProgram(WithoutMemory(loaded(PROGRAM)), qubic, board_of(qubic))
    with pytest.raises(MemoryError, match="table of a pattern search"):
        CompiledPatternSearch(program, qubic, 0, 0, endless())
