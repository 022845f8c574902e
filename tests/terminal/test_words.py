"""What a game says: endings, hints and the cells that people mean."""

from __future__ import annotations

import pytest

from noughts.rules.game import Game
from noughts.rules.outcome import Outcome
from noughts.terminal.words import cell_answer, game_ending, hint_of, moved


def test_a_line_names_its_cells() -> None:
    game = Game.of("classic", "a1 a2 b1 b2 c1")
    assert game.outcome is not None
    assert game_ending(game, game.outcome) == "X wins with a1 b1 c1."
    misere = Game.of("misere", "a1 a2 b1 b2 c1")
    assert misere.outcome is not None
    assert game_ending(misere, misere.outcome) == "X completed a line (a1 b1 c1) and loses. O wins."


def test_another_end_has_the_words_of_all_programs() -> None:
    assert game_ending(Game.of("classic"), Outcome(None, "full_board")) == "The game ended in a draw."


@pytest.mark.parametrize(
    ("variant", "moves", "hint"),
    [
        ("classic", "b2", ""),
        ("vanishing", "a1 b1 c2 a2 b3 c3", "The mark at a1 leaves with the next move."),
        ("ultimate", "", ""),
        ("ultimate", "e4", "Play in the top middle board: d1, e1, f1, d2, e2, f2, d3, e3, f3."),
        ("ultimate", "a1 a2 a4 a3 a7 c3 g7 b3 d8 b6", "Play in the bottom middle board: d7, e7"),
        ("classic", "a1 a2 b1 b2 c1", ""),
    ],
)
def test_hints_say_what_the_next_move_must_do(variant: str, moves: str, hint: str) -> None:
    game = Game.of(variant, moves)
    assert hint_of(game).startswith(hint)
    assert bool(hint_of(game)) == bool(hint)


def test_a_decided_board_sends_anywhere() -> None:
    game = Game.of("ultimate", "a1 a2 a4 a3 a7 c3 g7 b3 d7")
    assert hint_of(game) == "Play in any open board."


def test_answers_name_cells_in_any_case() -> None:
    assert cell_answer(Game.of("classic"), "B2") == "b2"
    falling = Game.of("four-in-a-row", "d6")
    assert [cell_answer(falling, answer) for answer in ("D", "a", "d5", "z")] == ["d5", "a6", "d5", "z1"]


def test_a_move_names_its_player() -> None:
    assert moved("O", "a1", "Otto") == "Otto (O) plays a1."
