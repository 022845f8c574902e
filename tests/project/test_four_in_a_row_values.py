"""The tools that make the table of four in a row, and compare its values with those of another program."""

from __future__ import annotations

import random

import pytest

from noughts.engine.four_in_a_row.board import Board
from noughts.engine.four_in_a_row.early import undecided_positions, value_at_once
from tools.books_four_in_a_row_values import all_numbers, in_order_of_the_state, is_forced
from tools.values_against_reference import compare, read

MARKS = 4


@pytest.fixture(scope="module")
def layers() -> list[list[Board]]:
    return undecided_positions(MARKS)


def test_quiet_positions_come_before_forced_ones() -> None:
    boards = in_order_of_the_state(undecided_positions(6)[6])
    forced = [is_forced(board) for board in boards]
    assert forced == sorted(forced)
    assert set(forced) == {False, True}
    keys = [board.sum for board in boards]
    assert keys[: forced.index(True)] == sorted(keys[: forced.index(True)])


def test_numbers_with_fewer_marks_follow_from_the_last(layers: list[list[Board]]) -> None:
    letters = "".join(random.Random(1).choices("wdl", k=len(layers[MARKS])))
    numbers = all_numbers(layers, letters)
    assert len(numbers) == sum(map(len, layers))
    for board, letter in zip(in_order_of_the_state(layers[MARKS]), letters, strict=True):
        assert numbers[board.sum] == "ldw".index(letter)
    for board in layers[2]:
        after = [board.after(column) for column in board.columns()]
        values = [value_at_once(move) for move in after]
        least = min(
            numbers[move.canonical().sum] if value is None else value + 1
            for move, value in zip(after, values, strict=True)
        )
        assert numbers[board.sum] == 2 - least


def entry(bits: str, value: int) -> bytes:
    """Return an entry of the other program's book: 22 bits of marks and the end of each column, two of the value."""
    return (int(bits.ljust(22, "0"), 2) << 2 | value).to_bytes(3, "big")


def test_the_book_of_the_other_program_is_read_column_by_column() -> None:
    """The first column holds X, O, X from below, the last O."""
    board = Board(0b101, 0b111, 8)
    last = 1 << 42
    expected = Board(board.me, board.occupied | last, 8).canonical().sum
    assert read(entry("10" + "11" + "10" + "000000" + "11", 1)) == {expected: "l"}
    assert read(entry("10" + "11" + "10" + "000000" + "11", 0)) == {expected: "d"}


def test_solved_values_of_quiet_positions_are_compared(layers: list[list[Board]]) -> None:
    boards = in_order_of_the_state(layers[MARKS])
    letters = bytearray(len(boards))
    letters[:3] = b"wld"
    assert compare(bytes(letters), boards, {boards[1].sum: "l", boards[2].sum: "d", boards[3].sum: "l"}) == 3
    letters[3] = ord("w")
    with pytest.raises(ValueError, match="is w by the search and l by the book"):
        compare(bytes(letters), boards, {boards[1].sum: "l", boards[2].sum: "d", boards[3].sum: "l"})


def test_forced_positions_are_not_compared() -> None:
    boards = [board for board in undecided_positions(6)[6] if is_forced(board)]
    assert compare(b"l" * len(boards), boards, {}) == 0
