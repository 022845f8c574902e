"""Boards as text: every variant fits forty columns, and every mark can be seen without colours."""

from __future__ import annotations

import random

import pytest

from noughts.rules.game import Game
from noughts.rules.variant import VARIANTS, Variant
from noughts.terminal.board_text import board_lines, plain_text

EVERY = pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.key)


def text(game: Game, width: int = 40) -> str:
    return plain_text(board_lines(game, width))


def styles(game: Game, cursor: int | None = None) -> dict[str, str]:
    """Return the characters that have each style."""
    by_style: dict[str, str] = {}
    for line in board_lines(game, 80, cursor):
        for style, characters in line:
            by_style[style] = by_style.get(style, "") + characters
    return by_style


def some_game(variant: Variant, plies: int) -> Game:
    game, rng = Game.of(variant), random.Random(1)
    while game.ply < plies and game.outcome is None:
        game = game.play(rng.choice(game.legal()))
    return game


@EVERY
@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_board_fits_and_shows_every_mark(variant: Variant, width: int) -> None:
    game = some_game(variant, 12)
    drawn = text(game, width)
    assert all(len(line) <= width for line in drawn.splitlines())
    position = game.position
    marks = "".join(text for line in board_lines(game, width) for style, text in line if "mark-" in style).upper()
    assert (marks.count("X"), marks.count("O")) == (position.x.bit_count(), position.o.bit_count())


def test_three_by_three() -> None:
    assert text(Game.of("classic", "b2 a1")).splitlines() == [
        "    a   b   c",
        " 1  O   .   .",
        " 2  .   X   .",
        " 3  .   .   .",
    ]


def test_a_narrow_terminal_gets_one_layer_below_the_other() -> None:
    assert max(map(len, text(Game.of("qubic"), 20).splitlines())) <= 20
    assert len(text(Game.of("qubic"), 20).splitlines()) == 4 * 6
    assert len(text(Game.of("qubic"), 40).splitlines()) == 2 * 6
    assert len(text(Game.of("qubic"), 120).splitlines()) == 6


def test_ultimate_shows_where_to_play_and_who_has_a_board() -> None:
    drawn = text(Game.of("ultimate", "e5 d4 a1 b2"), 40)
    assert drawn.splitlines()[5:8] == [
        " 4           |  O  .  .  |",
        " 5           |  .  X  .  |",
        " 6           |  .  .  .  |",
    ]
    won = Game.of("ultimate", "a1 a2 a4 a3 a7 c3 g7 b3")  # O has a line in the board at the top left
    assert won.position.boards is not None
    assert won.position.boards[0] == "O"
    assert [line[4:11:3] for line in text(won).splitlines()[1:4]] == ["Xoo", "Ooo", "OOO"]


def test_a_fading_mark_is_small() -> None:
    assert text(Game.of("vanishing", "a1 b1 c2 a2 b3 c3")).splitlines()[1] == " 1  x   O   ."


def test_lines_cursor_and_last_move_have_styles() -> None:
    game = Game.of("classic", "a1 a2 b1 b2 c1")
    by_style = styles(game, cursor=8)
    assert (by_style["mark-x line"], by_style["mark-x line last"], by_style["mark-o"]) == ("XX", "X", "OO")
    assert by_style["free cursor"] == "."
