"""The fastest search of ultimate is the compiled one, and plain Python where that cannot run."""

from __future__ import annotations

import random

import pytest

from noughts.engine.compiled import loading
from noughts.engine.ultimate.compiled_search import CompiledSearch
from noughts.engine.ultimate.fastest_search import fastest_search
from noughts.engine.ultimate.kernel import UltimateKernel
from noughts.engine.ultimate.search import Search
from noughts.engine.ultimate.tables import Tables
from noughts.rules.game import replay
from tests.support.budgets import readings
from tests.support.ultimate import VARIANT


def test_the_fastest_search_is_compiled() -> None:
    assert isinstance(fastest_search(Tables(), 32)(), CompiledSearch)


def test_without_wasmtime_it_is_plain_python(plain: None) -> None:
    assert type(fastest_search(Tables(), 32)()) is Search


def test_it_looks_at_a_counting_clock_as_often_as_it_is_made_to(each_way: str) -> None:
    kernel = UltimateKernel(VARIANT, nodes_per_look=8)
    kernel.choose(replay(VARIANT, (40, 39, 28, 3)), readings(20), random.Random(1))
    assert kernel.nodes <= 8 * 22


def test_an_engine_with_a_damaged_program_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_code(name: str) -> bytes:
        raise ValueError(f"{name} is a damaged file")

    monkeypatch.setattr(loading, "read_code", read_code)
    with pytest.warns(UserWarning, match="plain Python, without .*damaged"):
        kernel = UltimateKernel(VARIANT)
    game = replay(VARIANT, (40, 39, 28, 3))
    assert kernel.choose(game, readings(20), random.Random(1)).cell in game.legal()
