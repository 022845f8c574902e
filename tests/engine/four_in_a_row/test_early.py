"""The tables of early positions: searches prove what they say, and they have what is known from elsewhere."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from noughts.engine import book
from noughts.engine.four_in_a_row.board import Board, board_of, board_of_sum
from noughts.engine.four_in_a_row.early import (
    EarlyScores,
    EarlyTable,
    EarlyValues,
    sign_at_once,
)
from noughts.engine.four_in_a_row.masks import winning
from noughts.engine.four_in_a_row.score_search import ScoreSearch
from noughts.rules.game import Game
from tests.support.books import damage_books
from tests.support.engine_games import random_game
from tests.support.four_in_a_row import VARIANT
from tests.support.slow_solver import SlowSolver, board_text
from tools.early_layers import even_layers, undecided_keys
from tools.prove import NotProvedError
from tools.prove.early_positions import prove_by_search

EMPTY = Board(0, 0, 0)
KINDS: tuple[type[EarlyTable], ...] = (EarlyValues, EarlyScores)


@pytest.fixture(scope="module", params=KINDS)
def table(request: pytest.FixtureRequest) -> EarlyTable:
    kind: type[EarlyTable] = request.param
    return kind.load()


@pytest.fixture(scope="module")
def layers() -> list[list[int]]:
    """Return the keys of all undecided positions with up to eight marks."""
    return list(undecided_keys(EarlyScores.marks))


def test_its_file_is_small(table: EarlyTable) -> None:
    assert len(table.file().read_bytes()) < (1_600_000 if table.marks > EarlyScores.marks else 80_000)


def test_the_counts_are_those_of_another_table(layers: list[list[int]]) -> None:
    """The data set "Connect-4" of the UCI repository (J. Tromp, CC BY 4.0) has those with eight marks and no forced reply.

    Here their values follow from searches of the positions two marks later.
    """
    values = EarlyValues.load()
    boards = [board_of_sum(key) for key in layers[8]]
    quiet = [board for board in boards if not opponent_wins_next(board)]
    assert Counter(map(values.value, quiet)) == {1: 44_473, 0: 6_449, -1: 16_635}


def opponent_wins_next(board: Board) -> bool:
    theirs = winning(board.me ^ board.occupied, board.occupied)
    return any(theirs & board.move(column) for column in board.columns())


@pytest.mark.search
@pytest.mark.parametrize(("kind", "some", "all_"), [(EarlyValues, 12, 400), (EarlyScores, 3, 60)])
def test_a_search_proves_random_positions(kind: type[EarlyTable], some: int, all_: int, whole: bool) -> None:
    """The scores of long games take seconds each: the short test leaves them out."""
    table = kind.load()
    search = ScoreSearch()
    search.allow(1 << 40, None)
    seed = random.randrange(1 << 30)
    rng = random.Random(seed)
    proved = 0
    while proved < (all_ if whole else some):
        board = board_of(random_game(VARIANT, table.marks, rng).position)
        is_long = kind is EarlyScores and abs(table.value(board) or 0) < 4
        if sign_at_once(board) is None and (whole or not is_long):
            proved += 1
            try:
                prove_by_search(table, board, search)
            except NotProvedError as error:
                raise AssertionError(f"seed {seed}") from error


@pytest.mark.parametrize(
    ("kind", "values"), [(EarlyValues, [-1, -1, 0, 1, 0, -1, -1]), (EarlyScores, [-2, -1, 0, 1, 0, -1, -2])]
)
def test_the_first_moves_are_known(kind: type[EarlyTable], values: list[int]) -> None:
    """V. Allis (1988) has the values. The centre wins with the last mark of X, the edge loses with the last but one of O."""
    table = kind.load()
    assert [table.move_value(EMPTY, column) for column in range(7)] == values
    assert table.value(EMPTY) == 1
    assert table.keeping(EMPTY, 1) == [3]


def test_a_value_is_the_best_of_the_values_after_the_moves(table: EarlyTable) -> None:
    rng = random.Random(1)
    for _ in range(300):
        board = board_of(random_game(VARIANT, rng.randrange(table.marks), rng).position)
        moves = {column: table.move_value(board, column) for column in board.columns()}
        value = table.value(board)
        assert value is not None
        assert value == max(moves.values()) == table.value(board.mirrored())
        assert table.keeping(board, value) == [column for column in moves if moves[column] == value]


def test_more_marks_than_it_has_are_unknown(table: EarlyTable) -> None:
    rng = random.Random(2)
    last, beyond = (board_of(random_game(VARIANT, plies, rng).position) for plies in (table.marks, table.marks + 1))
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
        assert sign_at_once(board_of(game.position)) == expected, game.moves
        values[expected] += 1
    assert min(values[None], values[1], values[-1]) > 5


def wins(game: Game, cell: int) -> bool:
    return game.play(cell).outcome is not None


def test_a_position_that_is_decided_at_once_has_its_score() -> None:
    rng = random.Random(3)
    decided = 0
    while decided < 30:
        game = random_game(VARIANT, rng.randrange(30, 40), rng)
        board = board_of(game.position)
        sign = sign_at_once(board)
        if sign is not None:
            decided += 1
            value, plies = SlowSolver(VARIANT).worth(board_text(game.position))
            assert EarlyScores.decided(board, sign) == value * (22 - (game.ply + plies + 1) // 2)
            assert EarlyValues.decided(board, sign) == value


def test_each_undecided_position_is_listed_once(layers: list[list[int]]) -> None:
    assert [len(layer) for layer in layers[:4]] == [1, 4, 25, 121]
    assert even_layers(2) == layers[:3:2]
    for marks, keys in enumerate(layers):
        assert keys == sorted(set(keys))
        for board in map(board_of_sum, keys[::97]):
            assert (board.ply, board.canonical(), sign_at_once(board)) == (marks, board, None)
    rng = random.Random(3)
    for _ in range(300):
        board = board_of(random_game(VARIANT, rng.randrange(len(layers)), rng).position)
        assert (board.key in layers[board.ply]) is (sign_at_once(board) is None)


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_or_missing_file_is_named(
    kind: type[EarlyTable], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kind.load_or_warn() is not None
    damage_books(tmp_path, monkeypatch)
    with pytest.warns(UserWarning, match=rf"four-in-a-row without its book, .*{kind.name}\.book: .*`make books`"):
        assert kind.load_or_warn() is None
    kind.file().unlink()
    with pytest.warns(UserWarning, match=r"four-in-a-row without its book.*No such file.*make books"):
        assert kind.load_or_warn() is None


def test_another_table_under_this_name_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "other.book"
    file.write_bytes(EarlyScores.load_numbers().data)
    monkeypatch.setattr(book, "file_of", lambda name: file)
    with pytest.raises(ValueError, match=r"is four-in-a-row-scores: .*make books"):
        EarlyValues.load()
