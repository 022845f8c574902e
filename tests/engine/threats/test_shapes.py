"""Shapes: what a mark would make in one direction, compared with lines counted one by one."""

from __future__ import annotations

import random

import pytest

from noughts.engine.threats.shapes import (
    FIVE,
    FOUR,
    LINE,
    NONE,
    ONE,
    OPEN_FOUR,
    OPEN_THREE,
    OPEN_TWO,
    THREE,
    fits_shapes,
    near,
    rays_of,
    shape,
)
from noughts.rules.variant import VARIANTS, Variant

GOMOKU = VARIANTS["gomoku"]


def shape_of(picture: str) -> int:
    """Return the shape of the fifth of nine cells: X own, # blocked."""
    neighbours = picture[:4] + picture[5:]
    own = sum(1 << place for place, mark in enumerate(neighbours) if mark == "X")
    blocked = sum(1 << place for place, mark in enumerate(neighbours) if mark == "#")
    return shape(own, blocked)


@pytest.mark.parametrize(
    ("picture", "expected"),
    [
        ("XXXX*....", FIVE),
        ("..XX*XX..", FIVE),
        (".XXX*....", OPEN_FOUR),
        ("#XXX*....", FOUR),
        (".X.X*X...", FOUR),
        ("..XX*....", OPEN_THREE),
        ("#.XX*.#..", THREE),
        (".#XX*....", THREE),
        ("...X*....", OPEN_TWO),
        ("##..*..##", ONE),
        (".##.*..##", NONE),
    ],
)
def test_the_shape_of_a_cell(picture: str, expected: int) -> None:
    assert shape_of(picture) == expected


def test_shapes_are_the_same_from_both_sides() -> None:
    rng = random.Random(1)
    for _ in range(200):
        picture = "".join(rng.choice("X#..") for _ in range(9))
        assert shape_of(picture) == shape_of(picture[::-1])


def test_a_five_is_a_complete_line_and_a_four_lacks_one_cell() -> None:
    """By counting: the cells that complete a line after a mark decide between four, open four and neither."""
    rng = random.Random(2)
    for _ in range(300):
        picture = "".join(rng.choice("XX#...") for _ in range(9))
        marked = picture[:4] + "X" + picture[5:]

        def fives(row: str) -> bool:
            return any(row[first : first + LINE] == "X" * LINE for first in range(LINE))

        ends = sum(mark == "." and fives(marked[:at] + "X" + marked[at + 1 :]) for at, mark in enumerate(marked))
        expected = FIVE if fives(marked) else {0: None, 1: FOUR}.get(ends, OPEN_FOUR)
        if expected is None:
            assert shape_of(picture) < FOUR
        else:
            assert shape_of(picture) == expected


def test_the_rays_are_the_rows_columns_and_diagonals_of_five_or_more() -> None:
    rays = rays_of(GOMOKU)
    assert len(rays) == 15 + 15 + 2 * (29 - 8)
    assert sum(len(ray.cells) for ray in rays if 112 in ray.cells) == 4 * 15


def test_the_places_beyond_a_ray_are_walls() -> None:
    row = rays_of(GOMOKU)[0]
    assert [bin(row.walls >> place).count("1") for place in (0, 4, 15, 19)] == [8, 4, 4, 4]
    assert near(row.walls) == 0b00001111
    assert near(row.walls >> 14) == 0b11110000
    assert near(0b100110010) == 0b10010010


def test_only_five_on_a_plane_has_shapes() -> None:
    assert fits_shapes(GOMOKU)
    assert not fits_shapes(VARIANTS["qubic"])
    assert not fits_shapes(Variant("10x9", "Ten by nine", "Six in a line wins.", (10, 9), 6))
