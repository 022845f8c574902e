"""Compares a compiled alpha-beta for gomoku and Qubic with the same search in plain Python."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Protocol

from noughts.engine.budget import Budget
from noughts.rules.variant import Variant
from tests.support.budgets import CountingClock
from tests.support.engine_games import random_game


class _Search(Protocol):
    def ranked(self, allowed: int, rng: random.Random) -> list[int]: ...

    def order(self, side: int, cells: list[int], width: int, max_depth: int) -> tuple[list[int], int]: ...


class _Plain(_Search, Protocol):
    nodes: int


class _Compiled(_Search, Protocol):
    def nodes_searched(self) -> int: ...


def assert_same_search(
    variant: Variant,
    ticks: int,
    plain_search: Callable[[Variant, int, int, Budget], _Plain],
    compiled_search: Callable[[Variant, int, int, Budget], _Compiled],
) -> None:
    """Compare moves, values, nodes and looks at the clock in random positions, with a budget of so many looks."""
    rng = random.Random(ticks)
    for plies in (1, 4, 9, 16, 30):
        game = random_game(variant, plies, rng)
        if game.outcome is not None:
            continue
        x, o = game.position.x, game.position.o
        clocks = CountingClock(), CountingClock()
        budgets = [Budget(ticks, clock, counts_readings=True) for clock in clocks]
        plain = plain_search(variant, x, o, budgets[0])
        fast = compiled_search(variant, x, o, budgets[1])
        cells = plain.ranked((1 << variant.cells) - 1, random.Random(1))
        assert fast.ranked((1 << variant.cells) - 1, random.Random(1)) == cells
        assert fast.order(plies & 1, cells[:12], 10, 5) == plain.order(plies & 1, cells[:12], 10, 5)
        assert fast.nodes_searched() == plain.nodes
        assert clocks[0].readings == clocks[1].readings
