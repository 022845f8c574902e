"""A finished game in words."""

from __future__ import annotations

import pytest

from noughts.engine.verdict import UNKNOWN, Verdict
from noughts.library import AnalysedPly, analyse
from noughts.rules.game import Game
from noughts.rules.outcome import MARKS, Outcome, Reason
from noughts.terminal.review import review


def lines(variant: str, moves: str) -> list[str]:
    game = Game.of(variant, moves)
    return review(game, analyse(game))


def test_the_move_that_lost_is_named() -> None:
    assert lines("classic", "a1 b1 a2 a3 b2 c2 c3") == [
        "  1. X a1: a draw with perfect play.",
        "  2. O b1: throws the draw away. Better: b2.",
        "  3. X a2: wins in 4 plies with perfect play.",
        "  4. O a3: loses in 3 plies.",
        "  5. X b2: wins in 2 plies with perfect play.",
        "  6. O c2: loses in 1 ply.",
        "  7. X c3: wins.",
        "O lost the game with move 2, b1. Better: b2.",
    ]


@pytest.mark.parametrize(
    ("variant", "moves", "last"),
    [
        ("classic", "b2 a1 c3 a3 a2 c2 b1 b3 c1", ["9. X c1: ends in a draw.", "Neither side made a mistake."]),
        ("classic", "a1 b1 b3 b2 c1 c3 a3 a2 c2", ["X gave a win away with move 5, c1. Better: a3."]),
        ("misere", "a1 a2 b1 b2 c1", ["X lost the game with move 5, c1. Better: a3, b3 or c3."]),
        ("classic", "b2", ["The game was not finished."]),
    ],
)
def test_the_last_line_decides(variant: str, moves: str, last: list[str]) -> None:
    assert [line.strip() for line in lines(variant, moves)[-len(last) :]] == last


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"best": tuple("abcdefgh")}, "  2. O b1: throws the draw away. Better: a, b, c, d, e, f or 2 more."),
        ({"verdict": Verdict("win", 5, "exact"), "best": ()}, "  2. O b1: turns a win into a loss."),
    ],
)
def test_a_mistake_is_named_with_better_moves(change: dict[str, object], line: str) -> None:
    game = Game.of("classic", "b2 b1")
    plies = list(analyse(game))
    plies[1] = plies[1]._replace(**change)  # type: ignore[arg-type]
    assert review(game, plies)[1] == line


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("resignation", "O resigned without a mistake on the board."),
        ("timeout", "O made no mistake: X wins from the start with perfect play."),
    ],
)
def test_a_lost_start_has_no_mistake(reason: Reason, sentence: str) -> None:
    game = Game.of("vanishing", "b1")
    plies = (
        AnalysedPly(0, "X", Verdict("win", 13, "exact"), ("b1",)),
        AnalysedPly(1, "O", Verdict("loss", 12, "exact"), ("a1",)),
    )
    ended = Game(game.moves, game.position, Outcome("X", reason), game.seen)
    assert review(ended, plies)[-1] == sentence


@pytest.mark.parametrize("winner", ["X", None])
def test_what_is_not_proved_is_not_claimed(winner: None) -> None:
    game = Game.of("gomoku", "h8 a1")
    plies = tuple(AnalysedPly(ply, MARKS[ply & 1], UNKNOWN, ()) for ply in range(3))
    ended = Game(game.moves, game.position, Outcome(winner, "agreement"), game.seen)
    assert review(ended, plies) == [
        "  1. X h8: not proved.",
        "  2. O a1: not proved.",
        "The engine has not proved which move decided the game.",
    ]
