"""The book of four in a row: its entries are complete, and every time other ones are proved again."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from noughts.engine.four_in_a_row.board import Board, board_of_sum
from tools.prove import NotProvedError, strategy
from tools.prove.null_window import NullWindowSearch
from tools.prove.strategy import is_won, prove_book, prove_entry

EMPTY = Board(0, 0, 0)
FEW_NODES = 1_000


@pytest.fixture(scope="module")
def entries() -> Mapping[int, int]:
    return strategy.load().entries


@pytest.mark.search
def test_random_entries_are_proved_again(entries: Mapping[int, int]) -> None:
    seed = random.randrange(1 << 30)
    search = NullWindowSearch()
    for key in random.Random(seed).sample(sorted(entries), 10):
        prove_entry(entries, key, search)
        if search.nodes > 100_000:
            break


def check_progress(done: int, total: int) -> None:
    """Accept a valid progress."""
    assert 0 <= done <= total


def deepest_entry(entries: Mapping[int, int]) -> int:
    """Return the key of an entry with the most marks: the proof needs its move, and no entry follows it."""
    return max(entries, key=lambda key: board_of_sum(key).ply)


def test_a_book_with_another_move_is_not_proved(entries: Mapping[int, int]) -> None:
    key = deepest_entry(entries)
    board = board_of_sum(key)
    search = NullWindowSearch()
    prove_entry(entries, key, search)
    rejections = 0
    for column in board.columns():
        if column != entries[key]:
            try:
                prove_entry({**entries, key: column}, key, search)
            except NotProvedError:
                rejections += 1
    assert rejections


def test_a_book_with_a_gap_is_not_proved(entries: Mapping[int, int]) -> None:
    last = deepest_entry(entries)
    entries_with_gap = {key: value for key, value in entries.items() if key != last}
    search = NullWindowSearch()
    assert not is_won(board_of_sum(last), search, FEW_NODES)
    before = [key for key in entries_with_gap if leads_to(entries_with_gap, key, last)]
    assert before
    with pytest.raises(NotProvedError):
        prove_entry(entries_with_gap, before[0], search, FEW_NODES)


def leads_to(entries: Mapping[int, int], key: int, target: int) -> bool:
    board = board_of_sum(key)
    after = board.after(entries[key])
    return any(after.after(column).canonical().sum == target for column in after.columns())


def test_a_book_without_the_empty_board_proves_nothing(entries: Mapping[int, int]) -> None:
    key = EMPTY.sum
    with pytest.raises(NotProvedError):
        prove_book({other: value for other, value in entries.items() if other != key}, check_progress)


def test_an_entry_that_lets_o_complete_a_line_is_not_proved() -> None:
    """O has three in column a, and X moves elsewhere."""
    board = EMPTY
    for column in (3, 0, 4, 0, 6, 0):
        board = board.after(column)
    key = board.key
    with pytest.raises(NotProvedError, match="O wins"):
        prove_entry({key: 1 if board.sum == key else 5}, key, NullWindowSearch())


def test_a_proof_of_the_book_proves_every_entry(entries: Mapping[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof of one entry is replaced, because all together take minutes."""
    keys: list[int] = []
    monkeypatch.setattr("tools.prove.strategy.prove_entry", lambda entries, key, search: keys.append(key))
    calls: list[tuple[int, int]] = []
    assert prove_book(entries, lambda done, total: calls.append((done, total))) == 0
    assert keys == list(entries)
    assert calls == [(done, len(entries)) for done in range(len(entries) + 1)]
