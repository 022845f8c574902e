"""The fastest search is the compiled one, and plain Python where that cannot run."""

from __future__ import annotations

import random

import pytest

from noughts.engine.compiled import loading
from noughts.engine.four_in_a_row.board import board_of
from noughts.engine.four_in_a_row.compiled_search import CompiledSearch
from noughts.engine.four_in_a_row.kernel import FourInARowKernel
from noughts.engine.four_in_a_row.score_search import TABLE_SIZE, fastest_search
from noughts.engine.four_in_a_row.search import NullWindowSearch
from tests.support.budgets import endless
from tests.support.engine_games import random_game
from tests.support.four_in_a_row import VARIANT


def test_the_fastest_search_is_compiled() -> None:
    search = fastest_search(10, 1_021)
    assert isinstance(search, CompiledSearch)
    assert search.size == 1_021


def test_without_wasmtime_it_is_plain_python(plain: None) -> None:
    search = fastest_search(10, 1_021)
    assert isinstance(search, NullWindowSearch)
    assert search.size == 10


def test_an_engine_with_a_damaged_program_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_code(name: str) -> bytes:
        raise ValueError(f"{name} is a damaged file")

    position = random_game(VARIANT, 24, random.Random(1)).position
    expected = FourInARowKernel(VARIANT).analyse(position, endless())
    monkeypatch.setattr(loading, "read_code", read_code)
    with pytest.warns(UserWarning, match="plain Python, without .*damaged"):
        kernel = FourInARowKernel(VARIANT)
    assert kernel.analyse(position, endless()) == expected


def test_both_have_one_interface(each_way: str) -> None:
    search = fastest_search(1_021, 1_021)
    board = board_of(random_game(VARIANT, 16, random.Random(11)).position)
    search.allow(100_000, None)
    answer = search.score_reaches(*board, 0)
    nodes = search.nodes
    assert nodes > 0
    assert search.stored_answer(board.me, board.occupied, 0) is answer
    search.clear()
    assert search.stored_answer(board.me, board.occupied, 0) is None
    assert search.score_reaches(*board, 0) is answer
    assert search.nodes == 2 * nodes
    assert TABLE_SIZE > 0
    assert search.proof_nodes > 0
