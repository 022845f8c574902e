"""The second proof of puzzles: it accepts those in the files, and finds what is wrong with others."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import count

import pytest
from msgspec.structs import replace

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.puzzles.collection import puzzle_of, records
from noughts.puzzles.puzzle import Puzzle
from noughts.rules.variant import variant_named
from tools.prove import NotProvedError
from tools.prove.puzzles import prove_puzzle

ENDLESS = Budget(1.0, lambda: 0.0)
PROVED_AT_ONCE = {"classic": 1, "misere": 1, "vanishing": 25, "4x4": 1}
"""Every n-th puzzle of these variants is proved in a second or two."""


def _puzzles(variant: str) -> list[Puzzle]:
    return [puzzle_of(variant_named(variant), record) for record in records(variant).values()]


@pytest.mark.parametrize(("variant", "every"), PROVED_AT_ONCE.items())
def test_the_puzzles_of_small_games_are_proved_again(variant: str, every: int) -> None:
    for puzzle in _puzzles(variant)[::every]:
        prove_puzzle(puzzle, ENDLESS)


@pytest.mark.search
@pytest.mark.parametrize("variant", ["5x5", "four-in-a-row", "qubic", "gomoku", "ultimate"])
def test_the_short_puzzles_of_large_games_are_proved_again(variant: str) -> None:
    proved = 0
    for puzzle in _puzzles(variant)[::50]:
        with suppress(OutOfTimeError):  # the longest lines take minutes
            prove_puzzle(puzzle, Budget(2_000.0, count().__next__))
            proved += 1
    assert proved


def _other_answer(puzzle: Puzzle) -> Puzzle:
    first = puzzle.steps[0]
    cell = next(cell for cell in puzzle.game.legal() if cell != first.answer)
    return replace(puzzle, steps=(first._replace(answer=cell, reply=None),))


def _longer(puzzle: Puzzle) -> Puzzle:
    return replace(puzzle, plies=(puzzle.plies or 0) + 2)


def _shorter(puzzle: Puzzle) -> Puzzle:
    return replace(puzzle, plies=(puzzle.plies or 0) - 2)


def _cut(puzzle: Puzzle) -> Puzzle:
    return replace(puzzle, steps=(puzzle.steps[0]._replace(reply=None),))


@pytest.mark.parametrize(
    ("kind", "spoil", "reason"),
    [
        ("win", _other_answer, "may keep the value too"),
        ("win", _longer, "there is a quicker win"),
        ("win", _shorter, "does not win in time"),
        ("win", _cut, "the line ends before the win"),
        ("hold", _other_answer, "may keep the value too"),
        ("defend", _other_answer, "may keep the value too"),
        ("defend", _longer, "the answer does not last so long"),
        ("defend", _shorter, "may keep the value too|is not lost in time"),
    ],
)
@pytest.mark.parametrize("variant", ["classic", "4x4", "vanishing"])
def test_a_false_claim_is_not_proved(variant: str, kind: str, spoil: Callable[[Puzzle], Puzzle], reason: str) -> None:
    spoiled = 0
    for puzzle in _puzzles(variant):
        if puzzle.kind == kind and len(puzzle.steps) > 1 and spoiled < 3:
            spoiled += 1
            with pytest.raises(NotProvedError, match=reason):
                prove_puzzle(spoil(puzzle), ENDLESS)
