"""The rasterised picture: its size, its inks, and that its text comes from the font of the package."""

from __future__ import annotations

import struct
import subprocess
import zlib
from collections import Counter

import pytest

from noughts.app.pictures.gallery import RASTERIZER, Scene
from noughts.app.pictures.rasterizer import png
from noughts.rules.game import Game
from noughts.rules.svg import SCENE_SIZE
from noughts.rules.variant import VARIANTS

MAX_BYTES = 200_000


def scene_of(game: Game) -> Scene:
    return Scene(game.variant.key, game.moves, game.outcome, "A sentence.")


def pixels(picture: bytes) -> Counter[tuple[int, ...]]:
    """Return how many pixels of a PNG have each colour. The file has eight bits a channel, with opacity."""
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height, depth, kind = struct.unpack(">IIBB", picture[16:26])
    assert (width, height, depth, kind) == (*SCENE_SIZE, 8, 6)
    data, at = b"", 8
    while at < len(picture):
        length = int.from_bytes(picture[at : at + 4], "big")
        if picture[at + 4 : at + 8] == b"IDAT":
            data += picture[at + 8 : at + 8 + length]
        at += length + 12
    return Counter(
        pixel for row in rows(zlib.decompress(data), 4 * width) for pixel in zip(*[iter(row)] * 4, strict=True)
    )


def rows(data: bytes, stride: int) -> list[bytearray]:
    """Return the rows of an image, each without the filter that its first byte names."""
    decoded = [bytearray(stride)]
    for start in range(0, len(data), stride + 1):
        kind, row, above = data[start], bytearray(data[start + 1 : start + 1 + stride]), decoded[-1]
        for i in range(stride if kind else 0):
            left, corner = (row[i - 4], above[i - 4]) if i >= 4 else (0, 0)
            row[i] = row[i] + (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))[kind] & 255
        decoded.append(row)
    return decoded[1:]


def paeth(left: int, above: int, corner: int) -> int:
    """Return the neighbour that is nearest to left + above - corner, as PNG defines it."""
    guess = left + above - corner
    return min((left, above, corner), key=lambda value: abs(guess - value))


@pytest.mark.parametrize("key", list(VARIANTS))
def test_every_variant_has_a_picture_that_chat_programs_take(key: str) -> None:
    picture = png(scene_of(Game.of(key)).svg)
    assert struct.unpack(">II", picture[16:24]) == SCENE_SIZE
    assert len(picture) < MAX_BYTES


def test_text_is_drawn_without_the_fonts_of_the_machine() -> None:
    """Two letters that the package's font lacks look the same. Most machines have fonts with both."""
    family = 'font-family="Noto Sans" font-weight="700"'
    size = 'width="60" height="60"'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><text y="50" font-size="40" {family}>%s</text></svg>'
    assert png(svg % "Ω") == png(svg % "Ж")
    assert len({png(svg % letter) for letter in "AèΩ"}) == 3


def test_the_program_rasterises_its_input() -> None:
    svg = scene_of(Game.of("vanishing", "a1 b1 c1 a2 b2 c2")).svg
    process = subprocess.run(RASTERIZER, input=svg.encode(), capture_output=True, check=True)
    assert process.stdout == png(svg)
