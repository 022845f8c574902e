"""The book of four in a row: every entry stands, each time another part of it is proved again."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from importlib.resources import files

import pytest

from noughts.engine import book
from noughts.engine.book import NotProvedError
from noughts.engine.four_in_a_row.book import (
    Board,
    BookMove,
    ShortSearch,
    board_of_sum,
    book_entry,
    book_move,
    prove_book,
    prove_entry,
)

EMPTY = Board(0, 0, 0)


@pytest.fixture(scope="module")
def entries() -> Mapping[int, int]:
    return book.load("four-in-a-row").entries


def test_it_is_a_small_file_that_is_read_at_once() -> None:
    data = (files("noughts.engine") / "books" / "four-in-a-row.book").read_bytes()
    assert len(data) < 50_000
    began = time.process_time()
    assert book.unpack(data).variant == "four-in-a-row"
    assert time.process_time() - began < 0.5  # 5 ms; the room is for a machine under load


def test_its_keys_are_positions_with_x_to_move_in_one_of_two_images(entries: Mapping[int, int]) -> None:
    for key, value in entries.items():
        board = board_of_sum(key)
        assert board.sum == key
        assert board.ply % 2 == 0
        assert board.me.bit_count() * 2 == board.taken.bit_count() == board.ply
        assert board.canonical() == board
        assert board.move(value & 7)


def test_it_opens_in_the_centre_and_speaks_for_the_mirror_image(entries: Mapping[int, int]) -> None:
    opening = book_move(entries, EMPTY)
    assert opening is not None
    assert opening.column == 3
    for column in (0, 1, 2):
        one = EMPTY.after(3).after(column)
        two = EMPTY.after(3).after(6 - column)
        first, second = book_move(entries, one), book_move(entries, two)
        assert first is not None
        assert second is not None
        assert first.column == 6 - second.column
        assert book_entry(one, first) == book_entry(two, second)


@pytest.mark.parametrize("ends_at", [None, 7, 9, 39, 41])
def test_an_entry_keeps_column_and_end(ends_at: int | None) -> None:
    board = EMPTY.after(3).after(5)
    key, value = book_entry(board, BookMove(6, ends_at))
    assert book_move({key: value}, board) == BookMove(6, ends_at)
    assert book_move({key: value}, board.mirrored()) == BookMove(0, ends_at)
    assert book_move({key: value}, board.after(1)) is None


def test_entries_taken_at_random_are_proved_again(entries: Mapping[int, int]) -> None:
    seed = random.randrange(1 << 30)
    search = ShortSearch()
    for key in random.Random(seed).sample(sorted(entries), 40):
        prove_entry(entries, key, search)  # an entry that fails is named
        if search.nodes > 400_000:
            break


def test_every_reply_of_the_first_moves_is_answered(entries: Mapping[int, int]) -> None:
    """All that O can do for three moves leads to entries, or to a line that X completes, or to a short proof."""
    search = ShortSearch()
    layer = {EMPTY}
    for _ in range(3):
        after = set()
        for board in layer:
            found = book_move(entries, board)
            if found is None:
                assert search.wins(board)
                continue
            reply = board.after(found.column)
            after |= {reply.after(column).canonical() for column in reply.columns()}
        layer = after
    assert len(layer) > 50


def shown(done: int, total: int) -> None:
    assert 0 <= done <= total


def hardest(entries: Mapping[int, int]) -> int:
    """The key of an entry with the most marks: its move is needed, and no entry follows it."""
    return max(entries, key=lambda key: board_of_sum(key).ply)


def test_a_book_with_another_move_does_not_stand(entries: Mapping[int, int]) -> None:
    key = hardest(entries)
    board = board_of_sum(key)
    search = ShortSearch()
    prove_entry(entries, key, search)
    refused = 0
    for column in board.columns():
        if column != entries[key] & 7:
            try:
                prove_entry({**entries, key: column}, key, search)
            except NotProvedError:
                refused += 1
    assert refused


def test_a_book_with_a_gap_does_not_stand(entries: Mapping[int, int]) -> None:
    last = hardest(entries)
    gap = {key: value for key, value in entries.items() if key != last}
    search = ShortSearch()
    assert search.wins(board_of_sum(last)) is None
    before = [key for key in gap if leads_to(gap, key, last)]
    assert before
    with pytest.raises(NotProvedError):
        prove_entry(gap, before[0], search)


def leads_to(entries: Mapping[int, int], key: int, wanted: int) -> bool:
    board = board_of_sum(key)
    after = board.after(entries[key] & 7)
    return any(after.after(column).canonical().sum == wanted for column in after.columns())


def test_a_book_without_the_empty_board_proves_nothing(entries: Mapping[int, int]) -> None:
    key = EMPTY.sum
    with pytest.raises(NotProvedError):
        prove_book({other: value for other, value in entries.items() if other != key}, shown)


def test_an_entry_that_is_no_position_or_no_move_does_not_stand(entries: Mapping[int, int]) -> None:
    o_to_move = EMPTY.after(3)
    with pytest.raises(NotProvedError):
        prove_entry({o_to_move.sum: 3}, o_to_move.sum, ShortSearch())
    full = EMPTY
    for _ in range(6):
        full = full.after(3)
    with pytest.raises(NotProvedError):
        prove_entry({full.sum: 3}, full.sum, ShortSearch())


def test_what_is_short_does_not_depend_on_what_was_searched_before(entries: Mapping[int, int]) -> None:
    search = ShortSearch()
    board = board_of_sum(hardest(entries))
    ends = [board.after(entries[board.sum] & 7).after(column) for column in board.columns()]
    counts = []
    for _ in range(2):
        for end in ends:
            before = search.nodes
            search.wins(end.mirrored() if len(counts) % 2 else end)
            counts.append(search.nodes - before)
    assert counts[: len(ends)] == counts[len(ends) :]


@pytest.mark.long
def test_the_whole_book_stands(entries: Mapping[int, int]) -> None:
    assert prove_book(entries, shown) > 1_000_000
