"""The files of puzzles: each is whole, and those of 3x3 are proved again by a program of the test's own."""

from __future__ import annotations

import datetime as dt
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias

import pytest

from noughts.puzzles import collection
from noughts.puzzles.collection import CollectionError, Puzzles, puzzle_of, records
from noughts.puzzles.puzzle import GRADES, KINDS, Puzzle
from noughts.rules.variant import VARIANTS, variant_named

LEAST = {"vanishing": 100, "4x4": 100, "5x5": 100, "four-in-a-row": 300, "qubic": 300, "ultimate": 200, "gomoku": 200}
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
IMAGES = [
    (0, 1, 2, 3, 4, 5, 6, 7, 8),
    (2, 1, 0, 5, 4, 3, 8, 7, 6),
    (6, 7, 8, 3, 4, 5, 0, 1, 2),
    (8, 7, 6, 5, 4, 3, 2, 1, 0),
    (0, 3, 6, 1, 4, 7, 2, 5, 8),
    (2, 5, 8, 1, 4, 7, 0, 3, 6),
    (6, 3, 0, 7, 4, 1, 8, 5, 2),
    (8, 5, 2, 7, 4, 1, 6, 3, 0),
]

Value: TypeAlias = tuple[int, int]
"""1, 0 or -1 for the side to move, and the plies to the end."""


def _all_puzzles(variant: str) -> list[Puzzle]:
    return [puzzle_of(variant_named(variant), record) for record in records(variant).values()]


def _over(board: str) -> bool:
    return any(board[a] != "." and board[a] == board[b] == board[c] for a, b, c in LINES)


def _mark(board: str) -> str:
    return "XO"[(9 - board.count(".")) % 2]


@cache
def _value(board: str, misere: bool) -> Value:
    """Return the value of a board on which the side that has just moved may have completed a line."""
    if _over(board):
        return (1 if misere else -1, 0)
    if "." not in board:
        return (0, 0)
    return max((_after(board, cell, misere) for cell in range(9) if board[cell] == "."), key=_preference)


def _after(board: str, cell: int, misere: bool) -> Value:
    """Return the value of a move for the side that makes it."""
    value, plies = _value(board[:cell] + _mark(board) + board[cell + 1 :], misere)
    return (-value, plies + 1)


def _preference(value: Value) -> tuple[int, int]:
    return (value[0], -value[0] * value[1])


def _board(moves: tuple[int, ...]) -> str:
    board = ["."] * 9
    for ply, cell in enumerate(moves):
        board[cell] = "XO"[ply % 2]
    return "".join(board)


def _keeping(board: str, misere: bool) -> list[int]:
    """Return the moves that keep the value; in a lost position those that lose last."""
    moves = {cell: _after(board, cell, misere) for cell in range(9) if board[cell] == "."}
    best = max(moves.values(), key=_preference)
    return [cell for cell, value in moves.items() if (value == best if best[0] < 0 else value[0] == best[0])]


def _is_puzzle(board: str, misere: bool) -> bool:
    """Return whether one move keeps the value, and a win can be followed to its end by such moves."""
    if _over(board) or board.count(".") < 2:
        return False
    keeping = _keeping(board, misere)
    if len(keeping) != 1:
        return False
    if _value(board, misere)[0] < 1:
        return True
    after = board[: keeping[0]] + _mark(board) + board[keeping[0] + 1 :]
    if _over(after) or "." not in after:
        return True
    replies = {cell: _after(after, cell, misere) for cell in range(9) if after[cell] == "."}
    longest = max(replies.values(), key=_preference)
    boards = [after[:cell] + _mark(after) + after[cell + 1 :] for cell, value in replies.items() if value == longest]
    return any(_is_puzzle(before, misere) for before in boards)


@pytest.mark.parametrize("variant", ["classic", "misere"])
def test_every_puzzle_of_3x3_is_there_once_up_to_symmetry(variant: str) -> None:
    misere, expected, waiting, seen = variant == "misere", set(), ["." * 9], {"." * 9}
    for board in waiting:
        if _over(board):
            continue
        if _is_puzzle(board, misere):
            expected.add(min("".join(board[image[cell]] for cell in range(9)) for image in IMAGES))
        for cell in range(9):
            after = board[:cell] + _mark(board) + board[cell + 1 :]
            if board[cell] == "." and after not in seen:
                seen.add(after)
                waiting.append(after)
    boards = [_board(puzzle.moves) for puzzle in _all_puzzles(variant)]
    canonical = [min("".join(board[image[cell]] for cell in range(9)) for image in IMAGES) for board in boards]
    assert sorted(canonical) == sorted(expected)


@pytest.mark.parametrize("variant", ["classic", "misere"])
def test_each_step_has_one_right_move_and_true_punishments(variant: str) -> None:
    misere = variant == "misere"
    words = {1: "win", 0: "draw", -1: "loss"}
    for puzzle in _all_puzzles(variant):
        moves = puzzle.moves
        value, plies = _value(_board(moves), misere)
        assert (puzzle.kind, puzzle.plies) == (KINDS[1 - value], plies if value else None)
        for step in puzzle.steps:
            board = _board(moves)
            assert _keeping(board, misere) == [step.answer]
            for cell, punishment in step.mistakes.items():
                after = _board((*moves, cell))
                if _over(after) or "." not in after:
                    continue  # judged by its end
                value, plies = _value(after, misere)
                assert (punishment.verdict.value, punishment.verdict.plies) == (words[value], plies if value else None)
                assert punishment.reply in _keeping(after, misere)
                if value == 1 and punishment.reply is not None:
                    assert _after(after, punishment.reply, misere) == (1, plies)
            if step.reply is not None:
                after = _board((*moves, step.answer))
                assert step.reply in _keeping(after, misere)
                moves = (*moves, step.answer, step.reply)


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_the_file_of_each_variant_is_small_and_consistent(variant: str) -> None:
    path = files("noughts.puzzles").joinpath("collections", f"{variant}.jsonl")
    assert len(path.read_bytes()) <= 100_000
    puzzles = _all_puzzles(variant)
    assert len(puzzles) >= LEAST.get(variant, 1)
    assert len({puzzle.id for puzzle in puzzles}) == len(puzzles)
    for puzzle in puzzles:
        game = puzzle.game
        assert game.outcome is None
        assert puzzle.grade in GRADES
        assert len(game.legal()) > 1
        for number, step in enumerate(puzzle.steps):
            assert step.answer not in step.mistakes
            game = game.play(step.answer)
            assert (step.reply is None) == (number + 1 == len(puzzle.steps))
            if step.reply is not None:
                game = game.play(step.reply)
        assert puzzle.kind != "win" or game.outcome is not None


def test_the_puzzle_of_the_day_grows_harder_through_the_week() -> None:
    """Show wins and draws of small games from Monday to Friday, of all games at the weekend, and none twice in ten weeks."""
    puzzles, monday = Puzzles(pytest.fail), dt.date(2026, 11, 23)
    days = [puzzles.daily(monday + dt.timedelta(days=number)) for number in range(371)]
    shown = [puzzle for puzzle in days if puzzle is not None]
    assert [puzzle.grade for puzzle in shown] == [1, 2, 2, 3, 3, 4, 5] * 53
    assert {puzzle.kind for puzzle in shown} == {"win", "hold"}
    small = {puzzle.variant.key for number, puzzle in enumerate(shown) if number % 7 < 5}
    assert {puzzle.variant.key for puzzle in shown} == set(VARIANTS)
    assert small == {"classic", "misere", "4x4", "5x5", "four-in-a-row"}
    assert len({puzzle.id for puzzle in shown[:70]}) == 70
    again = Puzzles(pytest.fail).daily(monday)
    assert again is not None
    assert again.id == shown[0].id
    nearest = puzzles.daily(monday, "5x5")
    assert nearest is not None
    assert (nearest.variant.key, nearest.grade) == ("5x5", 2)


def test_the_next_puzzle_fits_and_the_first_comes_after_the_last() -> None:
    puzzles = Puzzles(pytest.fail)
    first, count = puzzles.next("classic", 5, "hold", None)
    assert first is not None
    ids, puzzle = [], first
    for _ in range(count):
        assert (puzzle.variant.key, puzzle.grade, puzzle.kind) == ("classic", 5, "hold")
        ids.append(puzzle.id)
        following, _ = puzzles.next("classic", 5, "hold", puzzle.id)
        assert following is not None
        puzzle = following
    assert puzzle.id == first.id
    assert len(set(ids)) == count
    assert puzzles.next("misere", None, "win", None) == (None, 0)
    with pytest.raises(KeyError):
        puzzles.next(None, None, None, "classic-00000000")


@pytest.mark.parametrize("damage", ["missing", "cut", "flipped", "another form"])
def test_a_damaged_file_switches_off_its_variant_alone(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = files("noughts.puzzles").joinpath("collections", "classic.jsonl").read_bytes()
    (tmp_path / "collections").mkdir()
    damaged = {
        "cut": text[:-100],
        "flipped": text.replace(b'"grade":1', b'"grade":2', 1),
        "another form": text.replace(b'"form":1', b'"form":9', 1),
    }
    if damage in damaged:
        (tmp_path / "collections" / "classic.jsonl").write_bytes(damaged[damage])
    monkeypatch.setattr(collection, "files", lambda package: tmp_path)
    collection.records.cache_clear()
    try:
        with pytest.raises(CollectionError):
            records("classic")
        reasons: list[str] = []
        puzzles = Puzzles(reasons.append)
        assert (puzzles.of("classic"), puzzles.of("classic")) == ({}, {})
        assert len(reasons) == 1
        assert "Install Noughts again" in reasons[0]
    finally:
        collection.records.cache_clear()
