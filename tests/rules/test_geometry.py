"""Cells and lines follow from the shape of a board."""

from __future__ import annotations

import random

import pytest

from noughts.rules.geometry import cell_names, chosen, lines


def test_names_run_along_columns_then_rows_then_layers() -> None:
    assert cell_names((3, 3)) == ("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3")
    assert cell_names((7, 6))[:8] == ("a1", "b1", "c1", "d1", "e1", "f1", "g1", "a2")
    assert cell_names((4, 4, 4))[15:18] == ("d4.1", "a1.2", "b1.2")
    assert cell_names((15, 15))[-1] == "o15"


# -- masks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 9, 10, 64, 225])
def test_chosen_takes_the_items_whose_bits_are_set(size: int) -> None:
    rng = random.Random(size)
    items = tuple(rng.sample(range(1_000), size))
    for mask in (0, (1 << size) - 1, *(rng.getrandbits(size) for _ in range(20))):
        assert chosen(items, mask) == tuple(items[bit] for bit in range(size) if mask >> bit & 1)


# -- lines ------------------------------------------------------------------------------------------------------------


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
    """A cube of side n has ((n + 2)³ - n³) / 2 lines of n cells, a square ((n + 2)² - n²) / 2."""
    masks = lines(shape, length)
    assert len(masks) == count
    assert len(set(masks)) == count
