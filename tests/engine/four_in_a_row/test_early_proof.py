"""The proof of the table of early positions: it accepts the table, and refutes one with a single other value."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

import pytest

from noughts.engine import book
from noughts.engine.book import NotProvedError
from noughts.engine.four_in_a_row import early, early_proof
from noughts.engine.four_in_a_row.board import Board, board_of_sum
from noughts.engine.four_in_a_row.book import book_move
from noughts.engine.four_in_a_row.early import MARKS, EarlyValues, undecided_positions, value_at_once
from noughts.engine.four_in_a_row.early_proof import (
    EMPTY,
    prove_book_agrees,
    prove_by_search,
    prove_follows,
    prove_values,
)


class OtherValues(EarlyValues):
    """The table with other values for some positions."""

    def __init__(self, others: Mapping[Board, int]) -> None:
        super().__init__(early.load_table())
        self._others = others

    def value(self, board: Board) -> int | None:
        return self._others.get(board.canonical(), super().value(board))


SOON_DECIDED: Final = (12651392, 279085186, 551584258, 68734353664)
"""Sums of undecided positions with eight marks that a few nodes decide: two wins and two losses."""


def no_progress(done: int, total: int) -> None:
    """Ignore the progress."""


@pytest.fixture(scope="module")
def entries() -> Mapping[int, int]:
    return book.load("four-in-a-row").entries


@pytest.fixture(scope="module")
def layers() -> list[list[Board]]:
    """Return some undecided positions with each number of marks. Those with most marks take little search."""
    rng = random.Random(1)
    layers = undecided_positions(4)
    while len(layers) < MARKS:
        after = {board.after(column).canonical() for board in layers[-1] for column in board.columns()}
        layers.append(rng.sample(sorted(board for board in after if value_at_once(board) is None), 40))
    return [*layers, [board_of_sum(key) for key in SOON_DECIDED]]


@pytest.mark.search
def test_the_table_is_proved(entries: Mapping[int, int]) -> None:
    calls: list[tuple[int, int]] = []
    positions = prove_values(early.load(), entries, 3, random.Random(1), lambda done, all_: calls.append((done, all_)))
    assert positions == sum(map(len, undecided_positions(MARKS)))
    assert calls == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_a_part_of_the_table_is_proved(
    entries: Mapping[int, int], layers: list[list[Board]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By every step of the proof of the whole table."""
    monkeypatch.setattr(early_proof, "undecided_positions", lambda marks: layers)
    calls: list[tuple[int, int]] = []
    positions = prove_values(early.load(), entries, 99, random.Random(1), lambda done, all_: calls.append((done, all_)))
    assert positions == sum(map(len, layers))
    assert calls == [(done, len(SOON_DECIDED)) for done in range(len(SOON_DECIDED) + 1)]


def test_a_value_that_does_not_follow_is_refuted(layers: list[list[Board]]) -> None:
    for marks in range(MARKS):
        board = random.Random(marks).choice(layers[marks])
        prove_follows(early.load(), [board])
        other = OtherValues({board: 0 if early.load().value(board) else 1})
        with pytest.raises(NotProvedError, match="than for the moves from it"):
            prove_follows(other, [board])


def test_a_value_that_the_search_refutes_is_no_proof(layers: list[list[Board]]) -> None:
    boards = random.Random(3).sample(layers[MARKS], 2)
    prove_by_search(early.load(), boards, no_progress)
    other = OtherValues({boards[1]: 0 if early.load().value(boards[1]) else 1})
    with pytest.raises(NotProvedError, match="search refutes"):
        prove_by_search(other, boards, no_progress)


def test_another_first_move_is_no_proof(
    entries: Mapping[int, int], layers: list[list[Board]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here a table says so of which all else is consistent."""
    monkeypatch.setattr(early_proof, "undecided_positions", lambda marks: layers)
    monkeypatch.setattr(early_proof, "prove_follows", lambda table, boards: None)
    for columns, value in (([], 0), ([2], -1)):
        board = EMPTY
        for column in columns:
            board = board.after(column)
        with pytest.raises(NotProvedError, match="not won by the centre alone"):
            prove_values(OtherValues({board: value}), entries, 0, random.Random(1), no_progress)


def test_the_whole_proof_looks_at_every_part(
    entries: Mapping[int, int], layers: list[list[Board]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values that follow from the moves, the book, and the sample that is searched."""

    def refuted_as(reason: str, *boards: Board) -> None:
        with pytest.raises(NotProvedError, match=reason):
            prove_values(OtherValues(dict.fromkeys(boards, -1)), entries, 1, random.Random(1), no_progress)

    lost = -1
    monkeypatch.setattr(early_proof, "undecided_positions", lambda marks: layers)
    refuted_as("than for the moves from it", next(board for board in layers[5] if early.load().value(board) != lost))
    monkeypatch.setattr(early_proof, "prove_follows", lambda table, boards: None)
    refuted_as("the book's move", next(board for board in map(board_of_sum, entries) if board.ply == MARKS))
    monkeypatch.setattr(early_proof, "prove_book_agrees", lambda table, entries: None)
    refuted_as("search refutes", *(board for board in layers[MARKS] if early.load().value(board) != lost))


def test_a_book_that_does_not_agree_is_no_proof(entries: Mapping[int, int]) -> None:
    prove_book_agrees(early.load(), entries)
    in_book = [[board for board in map(board_of_sum, entries) if board.ply == marks] for marks in range(MARKS + 1)]
    assert [len(boards) > 0 for boards in in_book] == [marks % 2 == 0 for marks in range(MARKS + 1)]
    for marks in (2, MARKS):
        with pytest.raises(NotProvedError, match="the book's move"):
            prove_book_agrees(OtherValues({in_book[marks][0]: 0}), entries)
    board = in_book[4][0]
    move = book_move(entries, board)
    assert move is not None
    with pytest.raises(NotProvedError, match="the book's move"):
        prove_book_agrees(OtherValues({board.after(move.column).canonical(): 0}), entries)
