"""The picture of a game: its size, its marks, and that it is the same whatever a position is worth."""

from __future__ import annotations

import io
import random
import subprocess
import sys

import msgspec
import pytest
from PIL import Image

from noughts.app.pictures.drawing import SIZE, Scene, png
from noughts.rules.game import Game, new_game, replay_names
from noughts.rules.variant import VARIANTS

MAX_BYTES = 100_000
X_INK, O_INK = (34, 87, 196), (201, 66, 15)


def scene_of(game: Game) -> Scene:
    """Return the scene of a game."""
    return Scene(game.variant.key, game.moves, game.outcome, "A sentence.")


def pixels_of(picture: bytes, ink: tuple[int, int, int]) -> int:
    """Return how many pixels have about this ink."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    counts = image.getcolors(SIZE[0] * SIZE[1]) or []
    return sum(
        count
        for count, pixel in counts
        if isinstance(pixel, tuple) and all(abs(a - b) < 24 for a, b in zip(pixel, ink, strict=True))
    )


@pytest.mark.parametrize("key", list(VARIANTS))
def test_every_variant_has_a_picture(key: str) -> None:
    """From the empty board to the end of a game, in pictures that chat programs take."""
    rng = random.Random(key)
    game = new_game(VARIANTS[key])
    empty = png(scene_of(game))
    while game.outcome is None:
        game = game.play(rng.choice(game.legal()))
    before_end = png(Scene(key, game.moves[:-1], None, "A sentence."))
    for picture in (empty, before_end, png(scene_of(game))):
        assert Image.open(io.BytesIO(picture)).size == SIZE
        assert len(picture) < MAX_BYTES
    assert pixels_of(empty, X_INK) == 0
    assert pixels_of(before_end, X_INK) > 200
    assert pixels_of(before_end, O_INK) > 200


def test_a_completed_line_is_highlighted() -> None:
    """The same marks without an end, as in a game that goes on, have no highlighter."""
    game = replay_names(VARIANTS["classic"], ("b2", "a1", "c1", "a2", "a3"))
    tint = (196, 207, 229)
    assert pixels_of(png(scene_of(game)), tint) > 5_000
    assert pixels_of(png(Scene("classic", game.moves, None, "A sentence.")), tint) < 2_000


def test_a_line_through_layers_is_dotted() -> None:
    """Draw dots of the winner's ink between the layers, which the same marks without an end do not have."""
    game = replay_names(VARIANTS["qubic"], ("a1.1", "b1.1", "b2.2", "c1.1", "c3.3", "d1.1", "d4.4"))
    dotted, plain = png(scene_of(game)), png(Scene("qubic", game.moves, None, "A sentence."))
    assert pixels_of(dotted, X_INK) > 1.2 * pixels_of(plain, X_INK)


def test_a_small_board_that_is_won_has_a_large_mark() -> None:
    """Draw the mark of its owner over the small ones, with more ink than they had."""
    before, after = (replay_names(VARIANTS["ultimate"], ("h7", "f3", "h8", "f6", *last)) for last in ((), ("h9",)))
    assert after.position.boards is not None
    assert after.position.boards[8] == "X"
    assert pixels_of(png(scene_of(after)), X_INK) > 2 * pixels_of(png(scene_of(before)), X_INK)


def test_the_program_draws_a_scene() -> None:
    scene = scene_of(replay_names(VARIANTS["vanishing"], ("a1", "b1", "c1", "a2", "b2", "c2")))
    command = [sys.executable, "-m", "noughts.app.pictures.drawing"]
    process = subprocess.run(command, input=msgspec.json.encode(scene), capture_output=True, check=True)
    assert process.stdout == png(scene)
