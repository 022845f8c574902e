"""The fastest searches for threats are the compiled ones, and plain Python where those cannot run."""

from __future__ import annotations

import pytest

from noughts.engine.compiled import loading
from noughts.engine.threats.gomoku import GomokuKernel
from noughts.engine.threats.searches import FastSearches, PlainSearches, fastest_searches
from noughts.rules.variant import VARIANTS, Variant
from tests.support.budgets import endless
from tests.support.threats import marks_of, puzzles

GOMOKU = VARIANTS["gomoku"]


def test_the_fastest_searches_are_compiled() -> None:
    assert isinstance(fastest_searches(GOMOKU), FastSearches)
    assert isinstance(fastest_searches(VARIANTS["qubic"]), FastSearches)


def test_without_wasmtime_they_are_plain_python(plain: None) -> None:
    assert isinstance(fastest_searches(GOMOKU), PlainSearches)


def test_a_board_beyond_the_programs_is_searched_in_plain_python() -> None:
    assert isinstance(fastest_searches(Variant("19x19", "Nineteen", "Five wins.", (19, 19), 5)), PlainSearches)


def test_both_make_the_same_searches(each_way: str) -> None:
    searches = fastest_searches(GOMOKU)
    game = puzzles()[3][0]
    own, other = marks_of(game.position)
    assert searches.fours(endless()).solve(own, other, [], 0) is None
    assert searches.threes(endless()).solve(own, other)
    order, _ = searches.alpha_beta(1 << 112, 1 << 113, endless()).order(0, [0, 97], 10, 2)
    assert order == [97, 0]


def test_an_engine_with_a_damaged_program_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_code(name: str) -> bytes:
        raise ValueError(f"{name} is a damaged file")

    monkeypatch.setattr(loading, "read_code", read_code)
    with pytest.warns(UserWarning, match="plain Python, without .*damaged"):
        kernel = GomokuKernel(GOMOKU)
    game = puzzles()[3][0]
    assert kernel.analyse(game.position, endless()).verdict.value == "win"
