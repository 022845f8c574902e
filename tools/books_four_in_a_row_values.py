"""Make the table of four in a row's early positions: ``make books BOOK=four-in-a-row-values``.

The values with twelve marks come from ``build/four-in-a-row-12.values``, which ``python -m tools.values_four_in_a_row 12``
writes. The values with fewer marks follow from them.

The cells of the static function are set one by one. First a key is put aside that alone uses one of its cells, then such a
key of the rest, and so on. In reverse order each key sets the cell that it alone uses. If some keys remain, the next seed is
tried.
"""

from __future__ import annotations

import hashlib
import sys
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from noughts.engine.four_in_a_row.board import Board, board_of_sum
from noughts.engine.four_in_a_row.early import MARKS, NAME, EarlyValues, file, undecided_keys
from noughts.engine.four_in_a_row.masks import BOTTOM, winning
from noughts.engine.static_function import StaticFunction, cells_of
from tools.values_four_in_a_row import state_of

VALUES_SHA256: Final = "9a575cb0d4b82bcfbd186a5652b4b4ecd9902c8440e206461d6809daf8f34c20"
"""The hash of the complete file of values."""
LETTERS: Final = "ldw"
"""The letter of each number: a loss, a draw or a win of the side to move."""
CELLS_PER_KEY: Final = 1.23
SPARE_CELLS: Final = 32


def in_order_of_the_state(keys: list[int]) -> list[int]:
    """Return keys of positions with one number of marks in the order of their values' file: the quiet ones first."""
    return sorted(keys, key=lambda key: (is_forced(board_of_sum(key)), key))


def is_forced(board: Board) -> bool:
    """Return whether the opponent could complete a line with its next mark."""
    return winning(board.me ^ board.occupied, board.occupied) & (board.occupied + BOTTOM) != 0


class KnownNumbers(dict[int, int]):
    """Numbers by their keys."""

    def number(self, key: int) -> int:
        """Return the number of a key."""
        return self[key]


def all_numbers(layers: list[list[int]], letters_of_last: str) -> KnownNumbers:
    """Return the number of each undecided position by its key, from the letters of those with the most marks.

    The layers are those with an even number of marks.
    """
    numbers = KnownNumbers(zip(in_order_of_the_state(layers[-1]), map(LETTERS.index, letters_of_last), strict=True))
    values = EarlyValues(numbers)
    for layer in reversed(layers[:-1]):
        for board in map(board_of_sum, layer):
            numbers[board.sum] = 1 + max(values.move_value(board, column) for column in board.columns())
    return numbers


def static_function(name: str, numbers: Mapping[int, int]) -> StaticFunction:
    """Return a function of this name that has these numbers, the same one each time."""
    third = int(len(numbers) * CELLS_PER_KEY / 3) + SPARE_CELLS
    seed = 1
    while (order := _order(numbers, seed, third)) is None:
        seed += 1
    cells = bytearray(3 * third)
    for key, own in reversed(order):
        a, b, c = cells_of(key, seed, third)
        cells[own] = 0
        cells[own] = numbers[key] ^ cells[a] ^ cells[b] ^ cells[c]
    cells += bytes(-len(cells) % 4)
    packed = bytes(sum(cells[at + i] << 2 * i for i in range(4)) for at in range(0, len(cells), 4))
    return StaticFunction(name, seed, third, packed)


def _order(keys: Mapping[int, int], seed: int, third: int) -> list[tuple[int, int]] | None:
    """Return each key with a cell that no key after it uses, or None if there is no such order."""
    count, union = [0] * (3 * third), array("Q", bytes(24 * third))
    for key in keys:
        for cell in cells_of(key, seed, third):
            count[cell] += 1
            union[cell] ^= key
    order = []
    alone = [cell for cell, number in enumerate(count) if number == 1]
    for cell in alone:  # grows while it is read
        if count[cell] != 1:
            continue
        key = union[cell]
        order.append((key, cell))
        for other in cells_of(key, seed, third):
            count[other] -= 1
            union[other] ^= key
            if count[other] == 1:
                alone.append(other)
    return order if len(order) == len(keys) else None


def letters(state: Path, positions: int, sha256: str, command: str) -> str:
    """Return the letters of a complete file that ``command`` writes. Exit with a hint if letters are missing or others."""
    data = state.read_bytes() if state.exists() else b""
    missing = positions - len(data) + data.count(0)
    if missing:
        sys.exit(f"{state.name} lacks {missing} of {positions} positions: run `{command}` first.")
    digest = hashlib.sha256(data).hexdigest()
    if digest != sha256:
        sys.exit(
            f"{state.name} is another one than that of the table that comes with the program: its SHA-256 is {digest}."
        )
    return data.decode("ascii")


def main() -> None:
    """Write the table and print its size."""
    layers = [keys for marks, keys in enumerate(undecided_keys(MARKS)) if marks % 2 == 0]
    command = f"python -m tools.values_four_in_a_row {MARKS}"
    numbers = all_numbers(layers, letters(state_of(MARKS), len(layers[-1]), VALUES_SHA256, command))
    table = static_function(NAME, numbers)
    if any(table.number(key) != number for key, number in numbers.items()):
        sys.exit("the table does not give the values back")
    data = table.data
    file().write_bytes(data)
    bits = 8 * len(data) / len(numbers)
    sys.stdout.write(f"{NAME}: {len(numbers)} positions, {len(data)} bytes, {bits:.2f} bits each, seed {table.seed}\n")


if __name__ == "__main__":
    main()
