"""The proof of the tables of early positions: it accepts the tables, and refutes one with a single other value."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from typing import Final

import pytest

from noughts.engine.four_in_a_row.board import Board, board_of_sum
from noughts.engine.four_in_a_row.early import (
    EarlyScores,
    EarlyTable,
    EarlyValues,
    sign_at_once,
)
from noughts.engine.four_in_a_row.score_search import ScoreSearch
from tools.early_layers import undecided_keys
from tools.prove import NotProvedError, early_positions, strategy
from tools.prove.early_positions import (
    EMPTY,
    prove_book_agrees,
    prove_by_search,
    prove_follows,
    prove_scores_agree,
    prove_start,
    prove_table,
)
from tools.prove.strategy import book_move

KINDS: Final[tuple[type[EarlyTable], ...]] = (EarlyValues, EarlyScores)
MARKS: Final = EarlyValues.marks
SOON_DECIDED: Final = {
    EarlyValues: (7250673921, 4535758192793, 34907161610, 173140919562),
    EarlyScores: (2688550273,),
}
"""Sums of undecided positions with the most marks that a few nodes decide: two wins and two losses, and a win."""


def with_others(kind: type[EarlyTable], others: Mapping[int, int]) -> EarlyTable:
    """Return the table with other values for some positions, by their keys."""

    class Other(kind):  # type: ignore[misc, valid-type]
        def value(self, board: Board) -> int | None:
            value: int | None = others.get(board.key, super().value(board))
            return value

    table: EarlyTable = Other.load()
    return table


def other_values(kind: type[EarlyTable], *keys: int) -> dict[int, int]:
    """Return positions with values that the table does not have."""
    values = [kind.load().value(board_of_sum(key)) or 0 for key in keys]
    return {key: value + 1 if value < 1 else value - 1 for key, value in zip(keys, values, strict=True)}


def no_progress(done: int, total: int) -> None:
    """Ignore the progress."""


@pytest.fixture(scope="module")
def entries() -> Mapping[int, int]:
    return strategy.load().entries


@pytest.fixture(scope="module")
def layers() -> list[list[int]]:
    """Return some undecided positions with each even number of marks up to ten."""
    rng = random.Random(1)
    layers = list(undecided_keys(4))
    while len(layers) < MARKS - 1:
        boards = [board.after(column) for board in map(board_of_sum, layers[-1]) for column in board.columns()]
        layers.append(rng.sample(sorted({board.key for board in boards if sign_at_once(board) is None}), 40))
    return layers[::2]


@pytest.fixture
def some_positions(layers: list[list[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the proof go through few positions, and search those that little search decides."""
    decided = {id(layers[kind.marks // 2 - 1]): itertools.cycle(SOON_DECIDED[kind]) for kind in KINDS}
    monkeypatch.setattr(early_positions, "even_layers", lambda marks: layers[: marks // 2 + 1])
    monkeypatch.setattr(early_positions, "random_last", lambda keys, rng: board_of_sum(next(decided[id(keys)])))


@pytest.mark.usefixtures("some_positions")
@pytest.mark.parametrize("kind", KINDS)
def test_a_part_of_the_table_is_proved(kind: type[EarlyTable], layers: list[list[int]]) -> None:
    """By every step of the proof of the whole table."""
    calls: list[tuple[int, int]] = []
    positions = prove_table(kind.load(), 4, random.Random(1), lambda done, all_: calls.append((done, all_)))
    assert positions == 4 + sum(map(len, layers[: kind.marks // 2]))
    assert calls == [(done, positions) for done in range(positions + 1)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_that_does_not_follow_is_refuted(kind: type[EarlyTable], layers: list[list[int]]) -> None:
    for keys in layers[: kind.marks // 2]:
        key = random.Random(len(keys)).choice(keys)
        prove_follows(kind.load(), board_of_sum(key))
        with pytest.raises(NotProvedError, match="than for the moves from it"):
            prove_follows(with_others(kind, other_values(kind, key)), board_of_sum(key))


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_that_the_search_refutes_is_no_proof(kind: type[EarlyTable]) -> None:
    search = ScoreSearch()
    search.allow(1 << 40, None)
    for key in SOON_DECIDED[kind]:
        board = board_of_sum(key)
        prove_by_search(kind.load(), board, search)
        value = kind.load().value(board) or 0
        for other in {value + 1, value - 1, -value, 0} - {value}:
            if kind is EarlyScores or abs(other) <= 1:
                with pytest.raises(NotProvedError, match="search refutes"):
                    prove_by_search(with_others(kind, {key: other}), board, search)


@pytest.mark.parametrize(("columns", "value"), [([], 0), ([2], -1)])
def test_another_first_move_is_no_proof(columns: list[int], value: int) -> None:
    board = EMPTY
    for column in columns:
        board = board.after(column)
    other = with_others(EarlyValues, {board.key: value})
    assert isinstance(other, EarlyValues)
    with pytest.raises(NotProvedError, match="not won by the centre alone"):
        prove_start(other)


def test_a_score_that_the_value_refutes_is_no_proof() -> None:
    layers = [list(SOON_DECIDED[EarlyScores])]
    prove_scores_agree(EarlyScores.load(), EarlyValues.load(), layers)
    for score in (0, -3):
        other = with_others(EarlyScores, {layers[0][0]: score})
        assert isinstance(other, EarlyScores)
        with pytest.raises(NotProvedError, match="its value refutes"):
            prove_scores_agree(other, EarlyValues.load(), layers)


def test_a_book_that_does_not_agree_is_no_proof(entries: Mapping[int, int]) -> None:
    prove_book_agrees(EarlyValues.load(), entries)
    in_book = [[board for board in map(board_of_sum, entries) if board.ply == marks] for marks in range(MARKS + 1)]
    assert [len(boards) > 0 for boards in in_book] == [marks % 2 == 0 for marks in range(MARKS + 1)]
    board = in_book[4][0]
    move = book_move(entries, board)
    assert move is not None
    for key in (in_book[2][0].sum, in_book[MARKS][0].sum, board.after(move).key):
        other = with_others(EarlyValues, {key: 0})
        assert isinstance(other, EarlyValues)
        with pytest.raises(NotProvedError, match="the book's move"):
            prove_book_agrees(other, entries)
