"""Make the tables of four in a row's early positions: ``make books BOOK=four-in-a-row-values``, or ``...-scores``.

The compiled search solves the positions with most marks. The numbers of those with fewer marks follow from them. What is
solved lies in ``build/``: stop the program at any moment, and it goes on there.

The cells of a static function are set one by one. First a key is put aside that alone uses one of its cells, then such a key
of the rest, and so on. In reverse order each key sets the cell that it alone uses. If some keys remain, the next seed is
tried.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from array import array
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from noughts.engine.four_in_a_row.board import Board, board_of_sum
from noughts.engine.four_in_a_row.early import (
    DIGITS,
    OFFSET,
    EarlyScores,
    EarlyTable,
    EarlyValues,
    digit_key,
    sign_at_once,
)
from noughts.engine.four_in_a_row.proofs import UNLIMITED_NODES
from noughts.engine.four_in_a_row.score_search import ScoreSearch
from noughts.engine.static_function import StaticFunction, cells_of
from tools.early_layers import even_layers

BUILD: Final = Path(__file__).resolve().parent.parent / "build"
TABLE_SIZE: Final = 67_108_859
"""Entries of the search's table, eight bytes each, in each of the processes."""
CHUNK: Final = 256
"""Neighbours that one process solves: their searches meet the same positions."""
CELLS_PER_KEY: Final = 1.23
SPARE_CELLS: Final = 32


# --- the positions with most marks ------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def compiled_search() -> ScoreSearch:
    """Return the search of this process."""
    search = ScoreSearch(TABLE_SIZE)
    search.allow(UNLIMITED_NODES, None)
    return search


@lru_cache(maxsize=1)
def early_values() -> EarlyValues:
    """Return the table of values, which the search for scores needs."""
    return EarlyValues.load()


def solved_value(key: int) -> int:
    """Return the number of a position's value: 0 for a loss, 1 for a draw, 2 for a win."""
    search, board = compiled_search(), board_of_sum(key)
    if search.score_reaches(*board, 1):
        return 2
    return 1 if search.score_reaches(*board, 0) else 0


def solved_score(key: int) -> int:
    """Return the number of a position's score. The shortest games come first, because their proofs are the cheapest."""
    board = board_of_sum(key)
    value = early_values().value(board)
    if not value:
        return OFFSET
    soonest = (43 - board.ply) >> 1 if value > 0 else -((42 - board.ply) >> 1)
    if value > 0:
        return OFFSET + next((goal for goal in range(soonest, 1, -1) if score_reaches(board.canonical(), goal)), 1)
    return OFFSET + next((end for end in range(soonest, -1) if not score_reaches(board.canonical(), end + 1)), -1)


@lru_cache(maxsize=1_000_000)
def score_reaches(board: Board, goal: int) -> bool:
    """Return whether the score of a position is at least ``goal``. The table of values answers where nobody wins."""
    sign = sign_at_once(board)
    if sign is not None:
        return goal <= EarlyScores.decided(board, sign)
    value = early_values().value(board) or 0
    if not value or (goal <= 1 if value > 0 else goal >= 0):
        return goal <= value
    if board.ply == EarlyValues.marks:
        return compiled_search().score_reaches(*board, goal)
    return any(not score_reaches(board.after(column).canonical(), 1 - goal) for column in board.columns())


def solve(name: str, keys: list[int], solver: Callable[[int], int]) -> bytes:
    """Return the numbers that the solver returns for the keys. Continue where an earlier run has stopped."""
    BUILD.mkdir(exist_ok=True)
    state = BUILD / f"{name}.solved"
    done = len(state.read_bytes()) if state.exists() else 0
    began, before = time.monotonic(), done
    # A forked process would keep this one's handlers of signals, and could not be ended if SIGTERM has one.
    processes = multiprocessing.get_context("spawn").Pool()
    with state.open("ab") as file, processes as pool:
        for done, number in enumerate(pool.imap(solver, keys[before:], CHUNK), before + 1):
            file.write(bytes([number]))
            if done % CHUNK == 0 or done == len(keys):
                hours = (time.monotonic() - began) / (done - before) * (len(keys) - done) / 3600
                sys.stdout.write(f"\r{name}: {done} of {len(keys)} positions, about {hours:.1f} h left ")
                sys.stdout.flush()
    return state.read_bytes()


# --- those with fewer marks -------------------------------------------------------------------------------------------


class KnownNumbers(dict[int, int]):
    """Numbers by their keys."""

    def number(self, key: int) -> int:
        """Return the number of a key."""
        return self[key]


def all_numbers(layers: list[list[int]], last: Iterable[int]) -> KnownNumbers:
    """Return the number of each undecided position's value by its key, from those of the positions with the most marks."""
    numbers = KnownNumbers(zip(layers[-1], last, strict=True))
    values = EarlyValues(numbers)
    for layer in reversed(layers[:-1]):
        for board in map(board_of_sum, layer):
            numbers[board.sum] = 1 + max(values.move_value(board, column) for column in board.columns())
    return numbers


def all_digits(layers: list[list[int]], last: Iterable[int]) -> KnownNumbers:
    """Return the digits of each undecided position's score, from the numbers of the positions with the most marks."""
    digits = KnownNumbers()
    scores = EarlyScores(digits)
    for key, number in zip(layers[-1], last, strict=True):
        digits.update(digits_of(key, number))
    for layer in reversed(layers[:-1]):
        for board in map(board_of_sum, layer):
            digits.update(digits_of(board.sum, scores.best_value(board) + OFFSET))
    return digits


def digits_of(key: int, number: int) -> dict[int, int]:
    """Return the digits of the number of a position by their keys."""
    return {digit_key(key, digit): number >> 2 * digit & 3 for digit in range(DIGITS)}


# --- the table --------------------------------------------------------------------------------------------------------


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


def write(kind: type[EarlyTable], numbers: Mapping[int, int]) -> None:
    """Write the table and print its size."""
    table = static_function(kind.name, numbers)
    if any(table.number(key) != number for key, number in numbers.items()):
        sys.exit("the table does not give the numbers back")
    kind.file().write_bytes(table.data)
    sys.stdout.write(f"\n{kind.name}: {len(numbers)} numbers, {len(table.data)} bytes, seed {table.seed}\n")


def make_values() -> None:
    """Make the table of values."""
    layers = even_layers(EarlyValues.marks)
    write(EarlyValues, all_numbers(layers, solve(EarlyValues.name, layers[-1], solved_value)))


def make_scores() -> None:
    """Make the table of scores, which needs the table of values."""
    layers = even_layers(EarlyScores.marks)
    write(EarlyScores, all_digits(layers, solve(EarlyScores.name, layers[-1], solved_score)))
