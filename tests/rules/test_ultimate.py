"""Ultimate: nine small boards in one large."""

from __future__ import annotations

import random

from noughts.rules.game import Game, new_game, replay_names
from noughts.rules.notation import cell_names
from noughts.rules.outcome import Outcome
from noughts.rules.ultimate import BOARD_OF, CELLS_OF, PLACE_OF, UltimatePosition
from noughts.rules.variant import VARIANTS

ULTIMATE = VARIANTS["ultimate"]
NAMES = cell_names((9, 9))


def named(game: Game) -> set[str]:
    return {NAMES[cell] for cell in game.legal()}


def test_boards_are_numbered_row_by_row_and_so_are_places_within() -> None:
    assert [BOARD_OF[NAMES.index(name)] for name in ("a1", "c3", "d1", "i3", "a4", "e5", "i9")] == [0, 0, 1, 2, 3, 4, 8]
    assert [PLACE_OF[NAMES.index(name)] for name in ("a1", "c3", "d1", "i3", "a4", "e5", "i8")] == [0, 8, 0, 8, 0, 4, 5]
    for board in range(9):
        assert [(BOARD_OF[cell], PLACE_OF[cell]) for cell in CELLS_OF[board]] == [(board, place) for place in range(9)]


def test_the_first_move_is_free_and_sends_the_opponent_to_the_board_in_the_same_place() -> None:
    game = new_game(ULTIMATE)
    assert len(game.legal()) == 81
    game = replay_names(ULTIMATE, ["b3"])  # place 7: the board below the middle
    assert game.position.forced == 7
    assert named(game) == {column + row for column in "def" for row in "789"}


def test_a_taken_cell_is_not_legal_in_the_board_one_is_sent_to() -> None:
    game = replay_names(ULTIMATE, ["e5", "d4", "a1"])
    assert game.position.forced == 0
    assert named(game) == {column + row for column in "abc" for row in "123"} - {"a1"}


def position(x: str, o: str, to_move: str = "X", sent: int | None = None, **decided: str) -> UltimatePosition:
    """Marks on named cells; ``b0="X"`` says who has board 0."""
    boards = [None] * 9
    for name, who in decided.items():
        boards[int(name[1:])] = who  # type: ignore[call-overload]
    ply = 20 if to_move == "X" else 21
    return UltimatePosition(ULTIMATE, mask(x), mask(o), ply, tuple(boards), sent)


def mask(names: str) -> int:
    return sum(1 << NAMES.index(name) for name in names.split())


def test_a_small_line_decides_its_board_which_takes_no_more_marks() -> None:
    before = position("a1 b1", "a2 b2", sent=0)
    after = before.play(NAMES.index("c1"))
    assert after.boards[0] == "X"
    assert after.forced == 2
    free_again = after.play(NAMES.index("g1"))  # O would send X to board 0, which is decided
    assert free_again.forced is None
    assert not set(CELLS_OF[0]) & set(free_again.legal())
    assert NAMES.index("e5") in free_again.legal()
    assert len(free_again.legal()) == 81 - 9 - 1  # board 0 is closed, and O's g1 is taken


def test_completing_a_line_of_the_other_side_decides_nothing() -> None:
    after = position("a1 b1", "a2 b2", to_move="O", sent=0).play(NAMES.index("c1"))
    assert after.boards[0] is None


def test_a_small_board_that_fills_up_without_a_line_is_nobodys() -> None:
    #  X O X
    #  X O O
    #  O X .
    after = position("a1 c1 a2 b3", "b1 b2 c2 a3", sent=0).play(NAMES.index("c3"))
    assert after.boards[0] == "draw"
    assert after.forced == 8


def test_a_line_on_the_last_cell_of_a_small_board_takes_it() -> None:
    #  X O X
    #  O X O
    #  O X .
    after = position("a1 c1 b2 b3", "b1 a2 c2 a3", sent=0).play(NAMES.index("c3"))
    assert after.boards[0] == "X"


def test_three_boards_in_a_line_win_and_their_small_lines_are_shown() -> None:
    before = position("a1 b1 c1 d4 e5 f6 g7 h7", "a5 b6", sent=8, b0="X", b4="X")
    cell = NAMES.index("i7")
    outcome = before.play(cell).ended(cell)
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == ("X", "line")
    assert {NAMES[cell] for cell in outcome.cells} == {"a1", "b1", "c1", "d4", "e5", "f6", "g7", "h7", "i7"}


def test_drawn_boards_make_no_line() -> None:
    before = position("g7 h7", "", sent=8, b0="draw", b4="X")
    cell = NAMES.index("i7")
    assert before.play(cell).ended(cell) is None


def test_when_no_cell_is_left_nobody_wins() -> None:
    decided = {"b0": "X", "b1": "O", "b2": "X", "b3": "X", "b4": "O", "b5": "O", "b6": "O", "b7": "X"}
    before = position("g7 h7", "g8", sent=8, **decided)
    cell = NAMES.index("i7")  # completes the last board, for X: 2, 5 and 8 are X, O, X
    assert before.play(cell).ended(cell) == Outcome(None, "full_board")


def test_random_games_end_and_never_leave_the_side_to_move_without_a_cell() -> None:
    rng = random.Random(9)
    ends = set()
    for _ in range(60):
        game = new_game(ULTIMATE)
        while game.outcome is None:
            assert game.legal()
            game = game.play(rng.choice(game.legal()))
        ends.add(game.outcome.reason)
    assert ends == {"line", "full_board"}
