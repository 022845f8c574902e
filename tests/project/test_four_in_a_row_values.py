"""The tool that makes the tables of four in a row."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from noughts.engine.four_in_a_row.board import board_of_sum
from noughts.engine.four_in_a_row.early import DIGITS, OFFSET, EarlyScores, EarlyValues, sign_at_once
from tools import books_early
from tools.books_early import all_digits, all_numbers, solve, solved_score, solved_value
from tools.early_layers import even_layers

MARKS = 4
VALUES = (7250673921, 34907161610, 4055793401987)
"""A won, a lost and a drawn position with twelve marks that need little search."""
SCORES = (69015208065, 35165051648, 25231492)
"""The same with eight."""


@pytest.fixture(scope="module")
def layers() -> list[list[int]]:
    return even_layers(MARKS)


def test_numbers_with_fewer_marks_follow_from_the_last(layers: list[list[int]]) -> None:
    """Those of the even numbers of marks: each is the best of the worst numbers after a move and a reply."""
    last = random.Random(1).choices(range(3), k=len(layers[-1]))
    numbers = all_numbers(layers, last)
    assert len(numbers) == sum(map(len, layers))
    assert [numbers[key] for key in layers[-1]] == last
    for board in map(board_of_sum, layers[1]):
        replies = [[move.after(reply) for reply in move.columns()] for move in map(board.after, board.columns())]
        signs = [[sign_at_once(after) for after in afters] for afters in replies]
        worst = [
            min(
                numbers[after.canonical().sum] if sign is None else sign + 1
                for after, sign in zip(afters, afters_signs, strict=True)
            )
            for afters, afters_signs in zip(replies, signs, strict=True)
        ]
        assert numbers[board.sum] == max(worst)


def test_scores_with_fewer_marks_follow_from_the_last(layers: list[list[int]]) -> None:
    """Each is the best score after the moves, for the other side."""
    last = random.Random(2).choices(range(OFFSET - 17, OFFSET + 18), k=len(layers[-1]))
    digits = all_digits(layers, last)
    assert len(digits) == DIGITS * sum(map(len, layers))
    scores = EarlyScores(digits)
    assert [(scores.value(board_of_sum(key)) or 0) + OFFSET for key in layers[-1]] == last
    for board in map(board_of_sum, layers[1]):
        assert scores.value(board) == max(scores.move_value(board, column) for column in board.columns())


def test_positions_are_solved_where_an_earlier_run_has_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte is the number of a key. Those that are there are not solved again."""
    monkeypatch.setattr(books_early, "BUILD", tmp_path)
    (tmp_path / "some.solved").write_bytes(bytes([7, 7]))
    assert solve("some", [3, 5, 8, 10], int.bit_count) == bytes([7, 7, 1, 2])


def test_the_search_finds_what_the_tables_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(books_early, "TABLE_SIZE", 1_000_003)
    values, scores = EarlyValues.load(), EarlyScores.load()
    books_early.compiled_search.cache_clear()
    for key in VALUES:
        assert solved_value(key) == (values.value(board_of_sum(key)) or 0) + 1
    for key in SCORES:
        assert solved_score(key) == (scores.value(board_of_sum(key)) or 0) + OFFSET
