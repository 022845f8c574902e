"""Make the table of four in a row's early scores: ``make books BOOK=four-in-a-row-scores``.

The scores with eight marks come from ``build/four-in-a-row-8.scores``. The command ``python -m tools.values_four_in_a_row 8
--scores`` writes that file. The scores with fewer marks follow from them. The table has those with an even number of marks.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Final

from noughts.engine.four_in_a_row.board import board_of_sum
from noughts.engine.four_in_a_row.early import undecided_keys
from noughts.engine.four_in_a_row.early_scores import DIGITS, MARKS, NAME, OFFSET, EarlyScores, digit_key, file
from tools.books_four_in_a_row_values import KnownNumbers, in_order_of_the_state, letters, static_function
from tools.values_four_in_a_row import state_of

SCORES_SHA256: Final = "842fa40d3ad8b13ae93911725a3a648befb7e1c1857da4c2239cc59ca82a889d"
"""The hash of the complete file of scores."""
DRAW_LETTER: Final = ord("@")


def all_digits(layers: list[list[int]], letters_of_last: str) -> KnownNumbers:
    """Return the digits of the score of each undecided position, from the letters of those with the most marks.

    The layers are those with an even number of marks.
    """
    numbers = KnownNumbers()
    scores = EarlyScores(numbers)
    for key, letter in zip(in_order_of_the_state(layers[-1]), letters_of_last, strict=True):
        numbers.update(digits_of(key, ord(letter) - DRAW_LETTER))
    for layer in reversed(layers[:-1]):
        for board in map(board_of_sum, layer):
            numbers.update(digits_of(board.sum, scores.best_score(board)))
    return numbers


def digits_of(key: int, score: int) -> Mapping[int, int]:
    """Return the digits of the score of a position by their keys."""
    return {digit_key(key, digit): (score + OFFSET) >> 2 * digit & 3 for digit in range(DIGITS)}


def main() -> None:
    """Write the table and print its size."""
    layers = [keys for marks, keys in enumerate(undecided_keys(MARKS)) if marks % 2 == 0]
    command = f"python -m tools.values_four_in_a_row {MARKS} --scores"
    numbers = all_digits(layers, letters(state_of(MARKS, "scores"), len(layers[-1]), SCORES_SHA256, command))
    table = static_function(NAME, numbers)
    if any(table.number(key) != number for key, number in numbers.items()):
        sys.exit("the table does not give the scores back")
    data = table.data
    file().write_bytes(data)
    sys.stdout.write(f"{NAME}: {len(numbers) // DIGITS} scores, {len(data)} bytes, seed {table.seed}\n")


if __name__ == "__main__":
    main()
