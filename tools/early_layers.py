"""The keys of the early tables of four in a row: every undecided position, by its number of marks."""

from __future__ import annotations

from collections.abc import Iterator

from noughts.engine.four_in_a_row.board import COLUMN, Board, board_of_sum, mirrored
from noughts.engine.four_in_a_row.early import sign_at_once
from noughts.engine.four_in_a_row.masks import BOTTOM, FULL, winning


def undecided_keys(marks: int) -> Iterator[list[int]]:
    """Yield the keys of all undecided positions with 0 to ``marks`` marks: an ascending list for each number of marks."""
    reachable = {0}
    for ply in range(marks + 1):
        undecided, after = [], set[int]()
        for key in sorted(reachable):
            board = board_of_sum(key)
            if sign_at_once(board) is None:
                undecided.append(key)
            if ply < marks:
                after.update(_keys_after(board))
        yield undecided
        reachable = after


def even_layers(marks: int) -> list[list[int]]:
    """Return the keys of the undecided positions with each even number of marks up to ``marks``."""
    return list(undecided_keys(marks))[::2]


def _keys_after(board: Board) -> list[int]:
    """Return the keys of the positions after all moves that complete no line."""
    moves = (board.occupied + BOTTOM) & FULL
    moves ^= moves & winning(board.me, board.occupied)
    before = (board.me ^ board.occupied) + board.occupied
    sums = [before + (moves & column) for column in COLUMN if moves & column]
    return [min(after, mirrored(after)) for after in sums]
