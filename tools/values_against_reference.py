"""Compare the values of four in a row with those of another program.

``python -m tools.values_against_reference book.dat`` reads the opening book of Markus Thill's Connect Four (MIT licence,
github.com/MarkusThill/Connect-Four, file CFour/src/openingBook/book.dat). It has the draws and the losses of X with eight
marks, three bytes each; a quiet position that it lacks is a win. No code and no value of it is used: its values are compared
with those of the table, which follow from the values with twelve marks that ``tools.values_four_in_a_row`` has solved.

Only quiet positions are compared. The book lacks 69 of the 561 positions that are lost to two lines at once, and 160 of
those with a forced reply that are drawn or lost.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from noughts.engine.four_in_a_row import early
from noughts.engine.four_in_a_row.board import Board, board_of_sum
from noughts.engine.four_in_a_row.early import EarlyValues, undecided_keys
from tools.books_four_in_a_row_values import LETTERS, is_forced

MARKS: Final = 8
ENTRY_BYTES: Final = 3
BOOK_LETTERS: Final = {0: "d", 1: "l"}
"""The letter of each value of the book, for X, who is to move."""


def read(data: bytes) -> dict[int, str]:
    """Return the letter of each position of the book, by the smaller sum of the position and its mirror image."""
    letters = {}
    for at in range(0, len(data), ENTRY_BYTES):
        number = int.from_bytes(data[at : at + ENTRY_BYTES], "big")
        letters[_board(f"{number >> 2:022b}").key] = BOOK_LETTERS[number & 3]
    return letters


def _board(bits: str) -> Board:
    """Return the position: from the left column on, from below, ``10`` is an X, ``11`` an O, and ``0`` ends a column."""
    x = occupied = column = height = at = 0
    while at < len(bits):
        if bits[at] == "0":
            column, height, at = column + 1, 0, at + 1
            continue
        cell = 1 << 7 * column + height
        occupied |= cell
        x |= cell if bits[at + 1] == "0" else 0
        height, at = height + 1, at + 2
    return Board(x, occupied, MARKS)


def compare(letters: Mapping[int, str], reference: Mapping[int, str]) -> int:
    """Return how many values agree: those of quiet positions by their keys. Raise ValueError if one differs."""
    for key, letter in letters.items():
        other = reference.get(key, "w")
        if letter != other:
            raise ValueError(f"{board_of_sum(key)} is {letter} by the table and {other} by the book")
    return len(letters)


def letters_of(table: EarlyValues, keys: list[int]) -> dict[int, str]:
    """Return the letters of those of the positions that are quiet, by their keys."""
    letters = {}
    for board in map(board_of_sum, keys):
        value = table.value(board)
        if value is not None and not is_forced(board):
            letters[board.sum] = LETTERS[value + 1]
    return letters


def main() -> int:
    """Compare. Return 1 if two values differ."""
    parser = argparse.ArgumentParser(description="Compare the values of four in a row with eight marks.")
    parser.add_argument("book", type=Path, help="the book of the other program")
    reference = read(parser.parse_args().book.read_bytes())
    *_, keys = undecided_keys(MARKS)
    try:
        agree = compare(letters_of(early.load(), keys), reference)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{agree} values agree\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
