"""The table of early scores: searches prove its plies, and all others follow from them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from noughts.engine import book
from noughts.engine.four_in_a_row import early, early_scores
from noughts.engine.four_in_a_row.board import Board, board_of, board_of_sum
from noughts.engine.four_in_a_row.early import undecided_keys, value_at_once
from noughts.engine.four_in_a_row.early_scores import MARKS, EarlyScores, score_at_once
from noughts.engine.four_in_a_row.score_search import ScoreSearch
from tests.support.books import damage_books
from tests.support.engine_games import random_game
from tests.support.four_in_a_row import VARIANT, columns_of, slow_solve

EMPTY = Board(0, 0, 0)


@pytest.fixture(scope="module")
def table() -> EarlyScores:
    return early_scores.load()


@pytest.fixture(scope="module")
def layers() -> list[list[int]]:
    """Return the keys of all undecided positions with up to eight marks."""
    return list(undecided_keys(MARKS))


def test_its_file_is_small() -> None:
    assert len(early_scores.file().read_bytes()) < 80_000


def test_the_scores_of_the_first_moves_are_known(table: EarlyScores) -> None:
    """The literature has them: the centre wins with the last mark of X, the edge loses with the last but one of O."""
    assert table.score(EMPTY) == 1
    assert [table.move_score(EMPTY, column) for column in range(7)] == [-2, -1, 0, 1, 0, -1, -2]
    assert table.holding(EMPTY, 1) == [3]


def test_a_score_is_the_best_of_the_scores_after_the_moves(table: EarlyScores, layers: list[list[int]]) -> None:
    rng = random.Random(1)
    for layer in layers[:-1]:
        for board in map(board_of_sum, rng.sample(layer, min(len(layer), 150))):
            score = table.score(board)
            assert score is not None
            assert score == table.best_score(board) == table.score(board.mirrored())
            holding = table.holding(board, score)
            assert holding == [column for column in board.columns() if table.move_score(board, column) == score]
            assert holding


def test_a_score_has_the_sign_of_the_value(table: EarlyScores, layers: list[list[int]]) -> None:
    values = early.load()
    rng = random.Random(2)
    for board in map(board_of_sum, rng.sample(layers[MARKS], 2_000)):
        score = table.score(board)
        assert score is not None
        assert (score > 0) - (score < 0) == values.value(board)
        assert abs(score) <= 17


@pytest.mark.search
def test_a_search_proves_random_scores(table: EarlyScores, layers: list[list[int]], whole: bool) -> None:
    search = ScoreSearch()
    search.allow(1 << 40, None)
    seed = random.randrange(1 << 30)
    rng = random.Random(seed)
    proved = 0
    while proved < (60 if whole else 3):
        board = board_of_sum(rng.choice(layers[MARKS]))
        score = table.score(board)
        assert score is not None
        if abs(score) < 4 and not whole:
            continue  # these take seconds of the search in Python
        search.allow(1 << 40, None)
        assert search.score_reaches(*board, score), (seed, board)
        assert not search.score_reaches(*board, score + 1), (seed, board)
        proved += 1


def test_a_position_that_is_decided_at_once_has_its_score() -> None:
    rng = random.Random(3)
    decided = 0
    while decided < 30:
        game = random_game(VARIANT, rng.randrange(30, 40), rng)
        board = board_of(game.position)
        assert (score_at_once(board) is None) is (value_at_once(board) is None)
        if value_at_once(board) is None:
            continue
        decided += 1
        value, plies = slow_solve(columns_of(game), {})
        assert score_at_once(board) == value * (22 - (game.ply + plies + 1) // 2)


def test_more_marks_than_it_has_are_unknown(table: EarlyScores) -> None:
    rng = random.Random(4)
    last, beyond = (board_of(random_game(VARIANT, plies, rng).position) for plies in (MARKS, MARKS + 1))
    score = table.score(last)
    assert score is not None
    assert table.holding(last, score) is None
    assert table.score(beyond) is None


def test_a_damaged_or_missing_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert early_scores.load_or_warn() is not None
    damage_books(tmp_path, monkeypatch)
    with pytest.warns(
        UserWarning, match=r"four-in-a-row without its book, .*four-in-a-row-scores\.book: .*`make books`"
    ):
        assert early_scores.load_or_warn() is None
    early_scores.file().unlink()
    with pytest.warns(UserWarning, match=r"four-in-a-row without its book.*No such file.*make books"):
        assert early_scores.load_or_warn() is None


def test_another_table_under_this_name_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "other.book"
    file.write_bytes(early_scores.load_table()._replace(name="four-in-a-row-values").data)
    monkeypatch.setattr(book, "file_of", lambda name: file)
    with pytest.raises(ValueError, match=r"is four-in-a-row-values: .*make books"):
        early_scores.load()
