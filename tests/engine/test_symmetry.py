"""Symmetries of a board, computed from its shape."""

from __future__ import annotations

import random

import pytest

from noughts.engine.symmetry import cell_permutations, permute, symmetries
from noughts.rules.variant import VARIANTS, Variant, lines


@pytest.mark.parametrize(
    ("shape", "gravity", "count"),
    [
        ((3, 3), False, 8),
        ((15, 15), False, 8),
        ((6, 5), False, 4),
        ((7, 6), True, 2),
        ((4, 4, 4), False, 48),
        ((2, 3, 4), False, 8),
        ((3, 3, 4), False, 16),
        ((1, 1), False, 1),
    ],
)
def test_the_number_of_symmetries(shape: tuple[int, ...], gravity: bool, count: int) -> None:
    images = cell_permutations(shape, gravity)
    assert len(set(images)) == len(images) == count
    assert images[0] == tuple(range(len(images[0])))


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.key)
def test_each_maps_lines_to_lines(variant: Variant) -> None:
    all_lines = set(lines(variant.shape, variant.line))
    for tables in symmetries(variant):
        assert {permute(line, tables) for line in all_lines} == all_lines


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.key)
def test_tables_permute_masks_as_cells_are_permuted(variant: Variant) -> None:
    rng = random.Random(1)
    images = cell_permutations(variant.shape, variant.gravity)[1:]
    for image, tables in zip(images, symmetries(variant), strict=True):
        mask = rng.getrandbits(variant.cells)
        assert permute(mask, tables) == sum(1 << image[cell] for cell in range(variant.cells) if mask >> cell & 1)


def test_with_gravity_only_columns_are_mirrored() -> None:
    assert cell_permutations((3, 2), True) == ((0, 1, 2, 3, 4, 5), (2, 1, 0, 5, 4, 3))
