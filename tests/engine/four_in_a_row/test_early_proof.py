"""The proof of the table of early positions: it accepts the table, and refutes one with a single other value."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from typing import Final

import pytest

from noughts.engine import book
from noughts.engine.book import NotProvedError
from noughts.engine.four_in_a_row import early, early_proof
from noughts.engine.four_in_a_row.board import Board, board_of_sum
from noughts.engine.four_in_a_row.book import book_move
from noughts.engine.four_in_a_row.early import MARKS, EarlyValues, undecided_keys, value_at_once
from noughts.engine.four_in_a_row.early_proof import (
    EMPTY,
    prove_book_agrees,
    prove_by_search,
    prove_follows,
    prove_values,
    random_last,
)
from noughts.engine.four_in_a_row.masks import has_line
from noughts.engine.four_in_a_row.score_search import ScoreSearch


class OtherValues(EarlyValues):
    """The table with other values for some positions, by their keys."""

    def __init__(self, others: Mapping[int, int]) -> None:
        super().__init__(early.load_table())
        self._others = others

    def value(self, board: Board) -> int | None:
        return self._others.get(board.key, super().value(board))


def other_value(key: int) -> dict[int, int]:
    """Return a position with a value that the table does not have."""
    return {key: 0 if early.load().value(board_of_sum(key)) else 1}


SOON_DECIDED: Final = (7250673921, 4535758192793, 34907161610, 173140919562)
"""Sums of undecided positions with twelve marks that a few nodes decide: two wins and two losses."""


def no_progress(done: int, total: int) -> None:
    """Ignore the progress."""


@pytest.fixture(scope="module")
def entries() -> Mapping[int, int]:
    return book.load("four-in-a-row").entries


@pytest.fixture(scope="module")
def layers() -> list[list[int]]:
    """Return some undecided positions with each number of marks that the proof goes through."""
    rng = random.Random(1)
    layers = list(undecided_keys(4))
    while len(layers) < MARKS - 1:
        boards = [board.after(column) for board in map(board_of_sum, layers[-1]) for column in board.columns()]
        layers.append(rng.sample(sorted({board.key for board in boards if value_at_once(board) is None}), 40))
    return layers


@pytest.fixture
def some_positions(layers: list[list[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the proof go through few positions, and search those that little search decides."""
    soon_decided = itertools.cycle(SOON_DECIDED)
    monkeypatch.setattr(early_proof, "undecided_keys", lambda marks: layers)
    monkeypatch.setattr(early_proof, "random_last", lambda keys, rng: board_of_sum(next(soon_decided)))


@pytest.mark.long
@pytest.mark.search
def test_the_table_is_proved(entries: Mapping[int, int]) -> None:
    positions = prove_values(early.load(), entries, 3, random.Random(1), no_progress)
    assert positions == 3 + sum(len(keys) for marks, keys in enumerate(undecided_keys(MARKS - 2)) if marks % 2 == 0)


@pytest.mark.usefixtures("some_positions")
def test_a_part_of_the_table_is_proved(entries: Mapping[int, int], layers: list[list[int]]) -> None:
    """By every step of the proof of the whole table."""
    calls: list[tuple[int, int]] = []
    positions = prove_values(early.load(), entries, 4, random.Random(1), lambda done, all_: calls.append((done, all_)))
    assert positions == 4 + sum(map(len, layers[::2]))
    assert calls == [(done, positions) for done in range(positions + 1)]


def test_the_sample_is_of_undecided_positions_two_marks_later(layers: list[list[int]]) -> None:
    rng = random.Random(2)
    boards = {random_last(layers[-1], rng) for _ in range(50)}
    assert len(boards) > 40
    for board in boards:
        assert (board.ply, board.key, value_at_once(board)) == (MARKS, board.sum, None)
        assert not has_line(board.me)
        assert not has_line(board.me ^ board.occupied)


def test_a_value_that_does_not_follow_is_refuted(layers: list[list[int]]) -> None:
    for marks in range(MARKS - 1):
        key = random.Random(marks).choice(layers[marks])
        prove_follows(early.load(), board_of_sum(key))
        with pytest.raises(NotProvedError, match="than for the moves from it"):
            prove_follows(OtherValues(other_value(key)), board_of_sum(key))


def test_a_value_that_the_search_refutes_is_no_proof() -> None:
    search = ScoreSearch()
    search.allow(1 << 40, None)
    for key in SOON_DECIDED:
        prove_by_search(early.load(), board_of_sum(key), search)
        with pytest.raises(NotProvedError, match="search refutes"):
            prove_by_search(OtherValues(other_value(key)), board_of_sum(key), search)


@pytest.mark.usefixtures("some_positions")
def test_another_first_move_is_no_proof(entries: Mapping[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Here a table says so of which all else is consistent."""
    monkeypatch.setattr(early_proof, "prove_follows", lambda table, board: None)
    for columns, value in (([], 0), ([2], -1)):
        board = EMPTY
        for column in columns:
            board = board.after(column)
        with pytest.raises(NotProvedError, match="not won by the centre alone"):
            prove_values(OtherValues({board.key: value}), entries, 0, random.Random(1), no_progress)


@pytest.mark.usefixtures("some_positions")
def test_the_whole_proof_looks_at_every_part(
    entries: Mapping[int, int], layers: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values that follow from the moves, the book, and the sample that is searched."""

    def refuted_as(reason: str, *keys: int) -> None:
        others = OtherValues({other: value for key in keys for other, value in other_value(key).items()})
        with pytest.raises(NotProvedError, match=reason):
            prove_values(others, entries, 1, random.Random(1), no_progress)

    refuted_as("than for the moves from it", layers[6][0])
    monkeypatch.setattr(early_proof, "prove_follows", lambda table, board: None)
    refuted_as("the book's move", next(key for key in entries if board_of_sum(key).ply == MARKS))
    monkeypatch.setattr(early_proof, "prove_book_agrees", lambda table, entries: None)
    refuted_as("search refutes", *SOON_DECIDED)


def test_a_book_that_does_not_agree_is_no_proof(entries: Mapping[int, int]) -> None:
    prove_book_agrees(early.load(), entries)
    in_book = [[board for board in map(board_of_sum, entries) if board.ply == marks] for marks in range(MARKS + 1)]
    assert [len(boards) > 0 for boards in in_book] == [marks % 2 == 0 for marks in range(MARKS + 1)]
    for marks in (2, MARKS):
        with pytest.raises(NotProvedError, match="the book's move"):
            prove_book_agrees(OtherValues({in_book[marks][0].sum: 0}), entries)
    board = in_book[4][0]
    move = book_move(entries, board)
    assert move is not None
    with pytest.raises(NotProvedError, match="the book's move"):
        prove_book_agrees(OtherValues({board.after(move.column).key: 0}), entries)
