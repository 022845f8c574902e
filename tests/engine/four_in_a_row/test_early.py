"""The table of early positions: searches prove its values, and it has the counts that are known."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from noughts.engine import book
from noughts.engine.four_in_a_row import early
from noughts.engine.four_in_a_row.board import Board, board_of, board_of_sum
from noughts.engine.four_in_a_row.early import MARKS, EarlyValues, undecided_keys, value_at_once
from noughts.engine.four_in_a_row.early_proof import value_by_search
from noughts.engine.four_in_a_row.score_search import ScoreSearch
from noughts.engine.static_function import unpack
from noughts.rules.game import Game
from tests.support.books import damage_books
from tests.support.engine_games import random_game
from tests.support.four_in_a_row import VARIANT
from tools.books_four_in_a_row_values import is_forced

EMPTY = Board(0, 0, 0)
COUNTED_MARKS = 8


@pytest.fixture(scope="module")
def table() -> EarlyValues:
    return early.load()


@pytest.fixture(scope="module")
def layers() -> list[list[int]]:
    """Return the keys of all undecided positions with up to eight marks."""
    return list(undecided_keys(COUNTED_MARKS))


def undecided_board(rng: random.Random) -> Board:
    """Return an undecided position with as many marks as the table has."""
    while True:
        board = board_of(random_game(VARIANT, MARKS, rng).position)
        if value_at_once(board) is None:
            return board


def test_its_file_is_small() -> None:
    assert len(early.file().read_bytes()) < 1_600_000
    assert unpack(early.file().read_bytes()).name == early.NAME


def test_the_counts_are_those_of_another_table(table: EarlyValues, layers: list[list[int]]) -> None:
    """The data set "Connect-4" of the UCI repository (J. Tromp, CC BY 4.0) has those with eight marks and no forced reply.

    Here their values follow from searches of the positions two marks later.
    """
    counts = Counter(table.value(board) for board in map(board_of_sum, layers[8]) if not is_forced(board))
    assert counts == {1: 44_473, 0: 6_449, -1: 16_635}


@pytest.mark.search
def test_a_search_proves_random_values(table: EarlyValues, whole: bool) -> None:
    search = ScoreSearch()
    search.allow(1 << 40, None)
    seed = random.randrange(1 << 30)
    rng = random.Random(seed)
    for _ in range(400 if whole else 12):
        board = undecided_board(rng)
        assert table.value(board) == value_by_search(board, search), (seed, board)


def test_only_the_centre_wins(table: EarlyValues) -> None:
    """The values of the seven first moves are known from the literature (V. Allis, 1988)."""
    assert [table.move_value(EMPTY, column) for column in range(7)] == [-1, -1, 0, 1, 0, -1, -1]
    assert table.value(EMPTY) == 1
    assert table.keeping(EMPTY, 1) == [3]


def test_a_value_is_the_best_of_the_values_after_the_moves(table: EarlyValues) -> None:
    rng = random.Random(1)
    for _ in range(300):
        board = board_of(random_game(VARIANT, rng.randrange(MARKS), rng).position)
        value = table.value(board)
        assert value == max(table.move_value(board, column) for column in board.columns())
        assert value is not None
        assert table.keeping(board, value)
        assert table.value(board.mirrored()) == value


def test_more_marks_than_it_has_are_unknown(table: EarlyValues) -> None:
    rng = random.Random(2)
    last, beyond = (board_of(random_game(VARIANT, plies, rng).position) for plies in (MARKS, MARKS + 1))
    value = table.value(last)
    assert value is not None
    assert table.keeping(last, value) is None
    assert table.value(beyond) is None


def test_a_position_is_decided_at_once_by_its_next_two_marks() -> None:
    """A position that is lost although no line of the opponent is in one cell is undecided all the same."""
    rng = random.Random(4)
    values = Counter[int | None]()
    for _ in range(400):
        game = random_game(VARIANT, rng.randrange(24), rng)
        moves = [game.play(cell) for cell in game.legal()]
        threatened = {reply for move in moves if move.outcome is None for reply in move.legal() if wins(move, reply)}
        expected = None
        if any(move.outcome is not None for move in moves):
            expected = 1
        elif threatened & set(game.legal()) and all(any(wins(move, reply) for reply in move.legal()) for move in moves):
            expected = -1
        assert value_at_once(board_of(game.position)) == expected, game.moves
        values[expected] += 1
    assert min(values[None], values[1], values[-1]) > 5


def wins(game: Game, cell: int) -> bool:
    return game.play(cell).outcome is not None


def test_each_undecided_position_is_listed_once(layers: list[list[int]]) -> None:
    assert [len(layer) for layer in layers[:4]] == [1, 4, 25, 121]
    for marks, keys in enumerate(layers):
        assert keys == sorted(set(keys))
        for board in map(board_of_sum, keys[::97]):
            assert (board.ply, board.canonical(), value_at_once(board)) == (marks, board, None)
    rng = random.Random(3)
    for _ in range(300):
        board = board_of(random_game(VARIANT, rng.randrange(COUNTED_MARKS + 1), rng).position)
        assert (board.key in layers[board.ply]) is (value_at_once(board) is None)


def test_a_damaged_or_missing_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert early.load_or_warn() is not None
    damage_books(tmp_path, monkeypatch)
    with pytest.warns(
        UserWarning, match=r"four-in-a-row without its book, .*four-in-a-row-values\.book: .*`make books`"
    ):
        assert early.load_or_warn() is None
    early.file().unlink()
    with pytest.warns(UserWarning, match=r"four-in-a-row without its book.*No such file.*make books"):
        assert early.load_or_warn() is None


def test_another_table_under_this_name_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "other.book"
    file.write_bytes(early.load_table()._replace(name="four-in-a-row-scores").data)
    monkeypatch.setattr(book, "file_of", lambda name: file)
    with pytest.raises(ValueError, match=r"is four-in-a-row-scores: .*make books"):
        early.load()
