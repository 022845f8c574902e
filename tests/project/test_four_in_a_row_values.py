"""The tools that make the tables of four in a row."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import pytest

from noughts.engine.four_in_a_row.board import board_of_sum
from noughts.engine.four_in_a_row.early import undecided_keys, value_at_once
from noughts.engine.four_in_a_row.early_scores import DIGITS, EarlyScores
from tools.books_four_in_a_row_scores import all_digits
from tools.books_four_in_a_row_values import all_numbers, in_order_of_the_state, is_forced, letters
from tools.values_four_in_a_row import summary

MARKS = 4


@pytest.fixture(scope="module")
def layers() -> list[list[int]]:
    return list(undecided_keys(MARKS))


@pytest.fixture(scope="module")
def later_keys() -> list[int]:
    """Return the keys of undecided positions of which some have a forced reply."""
    *_, keys = undecided_keys(6)
    return keys


def test_quiet_positions_come_before_forced_ones(later_keys: list[int]) -> None:
    keys = in_order_of_the_state(later_keys)
    forced = [is_forced(board_of_sum(key)) for key in keys]
    assert forced == sorted(forced)
    assert set(forced) == {False, True}
    assert keys[: forced.index(True)] == sorted(keys[: forced.index(True)])


def test_numbers_with_fewer_marks_follow_from_the_last(layers: list[list[int]]) -> None:
    """Those of the even numbers of marks: each is the best of the worst numbers after a move and a reply."""
    last = "".join(random.Random(1).choices("wdl", k=len(layers[MARKS])))
    even = layers[::2]
    numbers = all_numbers(even, last)
    assert len(numbers) == sum(map(len, even))
    for key, letter in zip(in_order_of_the_state(layers[MARKS]), last, strict=True):
        assert numbers[key] == "ldw".index(letter)
    for board in map(board_of_sum, layers[2]):
        replies = [[move.after(reply) for reply in move.columns()] for move in map(board.after, board.columns())]
        values = [[value_at_once(after) for after in afters] for afters in replies]
        worst = [
            min(
                numbers[after.canonical().sum] if value is None else value + 1
                for after, value in zip(afters, afters_values, strict=True)
            )
            for afters, afters_values in zip(replies, values, strict=True)
        ]
        assert numbers[board.sum] == max(worst)


def test_scores_with_fewer_marks_follow_from_the_last(layers: list[list[int]]) -> None:
    """Each is the best score after the moves, for the other side. A letter is a score above the letter of a draw."""
    last = "".join(random.Random(2).choices("/?@AQ", k=len(layers[MARKS])))
    digits = all_digits(layers[::2], last)
    assert len(digits) == DIGITS * sum(map(len, layers[::2]))
    scores = EarlyScores(digits)
    for key, letter in zip(in_order_of_the_state(layers[MARKS]), last, strict=True):
        assert scores.score(board_of_sum(key)) == ord(letter) - ord("@")
    for board in map(board_of_sum, layers[2]):
        assert scores.score(board) == max(scores.move_score(board, column) for column in board.columns())


def test_the_summary_counts_letters() -> None:
    assert summary(b"wwdl\0", "values") == "2 won, 1 drawn, 1 lost, 1 not solved yet"
    assert summary(b"A?/@P\0\0", "scores") == "2 won, 1 drawn, 2 lost, 2 not solved yet"


def test_an_incomplete_or_another_file_of_letters_is_rejected(tmp_path: Path) -> None:
    state = tmp_path / "some.scores"
    with pytest.raises(SystemExit, match="lacks 3 of 3 positions: run `make it` first"):
        letters(state, 3, "", "make it")
    state.write_bytes(b"w\0l")
    with pytest.raises(SystemExit, match="lacks 1 of 3 positions"):
        letters(state, 3, "", "make it")
    state.write_bytes(b"wdl")
    with pytest.raises(SystemExit, match="another one than that of the table"):
        letters(state, 3, "", "make it")
    assert letters(state, 3, hashlib.sha256(b"wdl").hexdigest(), "make it") == "wdl"
