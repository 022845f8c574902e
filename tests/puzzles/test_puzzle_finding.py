"""Finding puzzles: positions with one answer make a line, all others none."""

from __future__ import annotations

import pytest

from noughts.engine.budget import Budget
from noughts.engine.engine import analyse
from noughts.engine.verdict import UNKNOWN, Analysis
from noughts.rules.game import Game
from tools.puzzle_finding import Line, find_line, punishments

ENDLESS = Budget(1.0, lambda: 0.0)


def _analyse(game: Game) -> Analysis:
    return analyse(game.position, ENDLESS)


def _puzzle_after(moves: str, variant: str = "classic") -> tuple[Game, Line | None]:
    game = Game.of(variant, moves)
    return game, find_line(game, _analyse)


@pytest.mark.parametrize(
    ("variant", "moves", "kind", "answers"),
    [
        ("classic", "a1 b1 a2 b2", "win", "a3"),
        ("classic", "a1 b2 c3", "hold", ""),
        ("classic", "b2 b1", "win", ""),
        ("classic", "b2 a1 c3", "hold", ""),
        ("classic", "a1 b2 b1", "hold", "c1 a2"),
    ],
)
def test_a_line_has_the_only_answers(variant: str, moves: str, kind: str, answers: str) -> None:
    game, line = _puzzle_after(moves, variant)
    names = game.variant.names
    if not answers:
        assert line is None
        return
    assert line is not None
    assert line.kind == kind
    assert [names[step.answer] for step in line.steps][: len(answers.split())] == answers.split()


def test_nothing_is_a_puzzle_without_a_proof() -> None:
    assert find_line(Game.of("classic", "a1 b1 a2 b2"), lambda game: Analysis(UNKNOWN, ())) is None


def test_two_moves_that_win_make_no_puzzle() -> None:
    game = Game.of("classic", "a1 b1 a2 c1 b2")
    assert find_line(game.play("b3"), _analyse) is None  # a3 and c3 both win


def test_wrong_moves_have_their_punishment() -> None:
    game, line = _puzzle_after("a1 b1 a2 b2")
    assert line is not None
    answers = punishments(game, line.steps[0].answer, _analyse)
    names = game.variant.names
    assert {
        names[cell]: (answer.verdict.value, answer.verdict.plies, answer.reply) for cell, answer in answers.items()
    } == {
        "c1": ("win", 1, names.index("b3")),
        "c2": ("win", 1, names.index("b3")),
        "b3": ("draw", None, names.index("a3")),
        "c3": ("win", 1, names.index("b3")),
    }
