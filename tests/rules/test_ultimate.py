"""Ultimate: nine small boards in one large."""

from __future__ import annotations

from typing import Literal

import pytest

from noughts.rules.game import replay_names
from noughts.rules.outcome import Mark, Outcome
from noughts.rules.ultimate import BOARD_OF, CELLS_OF, PLACE_OF, SMALL_LINES, UltimatePosition
from noughts.rules.variant import VARIANTS

ULTIMATE = VARIANTS["ultimate"]
NAMES = ULTIMATE.names


def position(
    x: str, o: str, turn: Mark = "X", forced: int | None = None, **decided: Mark | Literal["draw"]
) -> UltimatePosition:
    """Return a position with marks on named cells; ``b0="X"`` says that X has won board 0."""
    boards: list[Mark | Literal["draw"] | None] = [None] * 9
    for name, decision in decided.items():
        boards[int(name[1:])] = decision
    return UltimatePosition(ULTIMATE, mask(x), mask(o), 20 if turn == "X" else 21, tuple(boards), forced)


def mask(names: str) -> int:
    """Return the mask of the cells with these names."""
    return sum(1 << NAMES.index(name) for name in names.split())


def test_boards_and_the_places_in_them_are_numbered_row_by_row() -> None:
    assert [BOARD_OF[NAMES.index(name)] for name in ("a1", "c3", "d1", "i3", "a4", "e5", "i9")] == [0, 0, 1, 2, 3, 4, 8]
    assert [PLACE_OF[NAMES.index(name)] for name in ("a1", "c3", "d1", "i3", "a4", "e5", "i8")] == [0, 8, 0, 8, 0, 4, 5]
    for board in range(9):
        assert [(BOARD_OF[cell], PLACE_OF[cell]) for cell in CELLS_OF[board]] == [(board, place) for place in range(9)]


def test_a_move_sends_the_opponent_to_the_board_in_its_place() -> None:
    game = replay_names(ULTIMATE, ["b3"])  # place 7: the board below the middle
    assert game.position.forced == 7
    assert set(game.legal_names()) == {column + row for column in "def" for row in "789"}


@pytest.mark.parametrize("line", SMALL_LINES)
@pytest.mark.parametrize("mover", ["X", "O"])
def test_each_small_line_decides_its_board(line: int, mover: Mark) -> None:
    cells = [NAMES[CELLS_OF[4][place]] for place in range(9) if line >> place & 1]
    for last in cells:
        marks = " ".join(name for name in cells if name != last)
        before = position(marks, "", "X", 4) if mover == "X" else position("", marks, "O", 4)
        assert before.play(NAMES.index(last)).boards == (None, None, None, None, mover, None, None, None, None)


def test_a_small_board_that_fills_up_without_a_line_is_drawn() -> None:
    #  X O X
    #  X O O
    #  O X .
    after = position("a1 c1 a2 b3", "b1 b2 c2 a3", forced=0).play(NAMES.index("c3"))
    assert after.boards[0] == "draw"
    assert after.forced == 8


@pytest.mark.parametrize(
    ("x", "cell", "decided", "cells"),
    [
        # Two large lines at once, through boards 0, 4, 8 and 2, 5, 8.
        (
            "a1 b1 c1 d4 e4 f4 g1 h1 i1 g4 h4 i4 g7 h7",
            "i7",
            {"b0": "X", "b2": "X", "b4": "X", "b5": "X"},
            "a1 b1 c1 g1 h1 i1 d4 e4 f4 g4 h4 i4 g7 h7 i7",
        ),
        # Two small lines in the last board; board 3 is X's, but not on the large line.
        (
            "a1 b1 c1 d4 e4 f4 a4 b4 c4 g7 h7 i8 i9",
            "i7",
            {"b0": "X", "b3": "X", "b4": "X"},
            "a1 b1 c1 d4 e4 f4 g7 h7 i7 i8 i9",
        ),
    ],
)
def test_every_small_line_of_the_large_lines_is_in_the_outcome(
    x: str, cell: str, decided: dict[str, Mark], cells: str
) -> None:
    after = position(x, "", "X", 8, **decided).play(NAMES.index(cell))
    assert after.ended(NAMES.index(cell)) == Outcome("X", "line", tuple(NAMES.index(name) for name in cells.split()))


def test_the_key_holds_marks_and_the_forced_board() -> None:
    assert position("a1", "b1", forced=0).key == position("a1", "b1", forced=0).key
    assert position("a1", "b1", forced=0).key != position("a1", "b1", forced=1).key
    assert position("a1", "b1", forced=0).key != position("b1", "a1", forced=0).key
