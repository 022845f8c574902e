"""A variant is data, and its lines follow from its shape."""

from __future__ import annotations

import dataclasses
from itertools import pairwise, product

import pytest

from noughts.errors import Rejection
from noughts.rules.variant import VARIANTS, Variant, lines, lines_through, variant_named


def test_the_nine_games_and_their_keys() -> None:
    assert list(VARIANTS) == [
        "classic",
        "misere",
        "vanishing",
        "4x4",
        "5x5",
        "four-in-a-row",
        "qubic",
        "gomoku",
        "ultimate",
    ]
    for key, variant in VARIANTS.items():
        assert variant.key == key
        assert variant.rules.endswith(".")


@pytest.mark.parametrize(
    ("shape", "length", "count"),
    [
        ((3, 3), 3, 8),
        ((4, 4), 4, 10),
        ((5, 5), 4, 28),
        ((7, 6), 4, 69),
        ((15, 15), 5, 572),
        ((4, 4, 4), 4, 76),
        ((3, 3, 3), 3, 49),
        ((6, 5), 4, 39),
        ((2, 5), 3, 6),
        ((3, 3), 4, 0),
    ],
)
def test_the_number_of_lines(shape: tuple[int, ...], length: int, count: int) -> None:
    # A cube of side n has ((n + 2)^3 - n^3) / 2 lines of n, a square ((n + 2)^2 - n^2) / 2.
    found = lines(shape, length)
    assert len(found) == count
    assert len(set(found)) == count


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.key)
def test_each_line_is_straight_and_of_the_right_length(variant: Variant) -> None:
    for line in lines(variant.shape, variant.line):
        cells = [cell for cell in range(variant.cells) if line >> cell & 1]
        assert len(cells) == variant.line
        places = [
            (
                cell // variant.columns // variant.rows,
                cell // variant.columns % variant.rows,
                cell % variant.columns,
            )
            for cell in cells
        ]
        steps = {tuple(b - a for a, b in zip(*pair, strict=True)) for pair in pairwise(places)}
        assert len(steps) == 1
        assert max(abs(part) for part in steps.pop()) == 1


def test_the_lines_of_three_by_three_one_by_one() -> None:
    #  0 1 2
    #  3 4 5
    #  6 7 8
    expected = {(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)}
    assert set(lines((3, 3), 3)) == {sum(1 << cell for cell in cells) for cells in expected}


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.key)
def test_lines_through_a_cell_are_those_that_hold_it(variant: Variant) -> None:
    through = lines_through(variant.shape, variant.line)
    assert len(through) == variant.cells
    for cell, some in enumerate(through):
        assert set(some) == {line for line in lines(variant.shape, variant.line) if line & (1 << cell)}


def test_four_corners_of_a_cube_lie_on_seven_lines_each() -> None:
    through = lines_through((4, 4, 4), 4)
    corners = [16 * z + 4 * y + x for z, y, x in product((0, 3), repeat=3)]
    assert [len(through[cell]) for cell in corners] == [7] * 8


def test_no_game_outlasts_its_board_but_where_marks_vanish() -> None:
    limits = {key: variant.ply_limit for key, variant in VARIANTS.items()}
    assert limits.pop("vanishing") == 200
    assert limits == {
        "classic": 9,
        "misere": 9,
        "4x4": 16,
        "5x5": 25,
        "four-in-a-row": 42,
        "qubic": 64,
        "gomoku": 225,
        "ultimate": 81,
    }


def test_a_variant_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        VARIANTS["classic"].line = 4  # type: ignore[misc]
    with pytest.raises(TypeError):
        VARIANTS["classic"] = VARIANTS["4x4"]  # type: ignore[index]


def test_an_unknown_variant_is_nonsense_and_the_message_names_those_that_exist() -> None:
    assert variant_named("qubic") is VARIANTS["qubic"]
    with pytest.raises(Rejection) as refused:
        variant_named("chess")
    assert refused.value.code == "bad_message"
    assert "four-in-a-row" in refused.value.message
