"""The book of Qubic: its tree, its symmetries and its look-ups."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from noughts.engine import book
from noughts.engine.threats.qubic_book import CELLS, QubicBook, symmetries, walk
from tools.prove.qubic import prove_symmetries


@pytest.fixture(scope="module")
def entries() -> Mapping[int, int]:
    return book.load("qubic").entries


def image_of(mask: int, image: tuple[int, ...]) -> int:
    return sum(1 << image[cell] for cell in range(CELLS) if mask >> cell & 1)


def test_there_are_192_symmetries() -> None:
    images = symmetries()
    assert len(set(images)) == len(images) == 192
    assert images[0] == tuple(range(CELLS))
    prove_symmetries(images)


def test_its_positions_have_equally_many_marks_and_are_all_different(entries: Mapping[int, int]) -> None:
    positions = list(walk(entries))
    assert positions[0][:2] == (0, 0)
    assert len({(x, o) for x, o, _ in positions}) == len(positions) == len(entries) == len(QubicBook(entries))
    for x, o, cell in positions:
        assert x & o == 0
        assert x.bit_count() == o.bit_count()
        assert not (x | o) >> cell & 1


def test_every_image_of_a_position_has_the_image_of_its_move(entries: Mapping[int, int]) -> None:
    shipped, images = QubicBook(entries), symmetries()
    rng = random.Random(1)
    for x, o, cell in rng.sample(list(walk(entries)), 60):
        image = rng.choice(images)
        moves = shipped.moves(image_of(x, image), image_of(o, image))
        assert moves >> image[cell] & 1
        assert shipped.follows(image_of(x | 1 << cell, image), image_of(o, image))


def test_a_symmetric_position_has_every_image_of_its_move() -> None:
    opening = QubicBook({0: 0})
    assert opening.moves(0, 0).bit_count() == 16  # eight corners and the eight cells in the middle
    assert all(opening.follows(1 << cell, 0) is bool(opening.moves(0, 0) >> cell & 1) for cell in range(CELLS))
    assert opening.most_marks == 0


def test_other_positions_have_no_move(entries: Mapping[int, int]) -> None:
    shipped = QubicBook(entries)
    assert shipped.moves(0b1, 0) == 0  # O is to move
    assert shipped.moves(0b110, 0b1001) == 0
    assert not shipped.follows(0b10, 0)
    assert shipped.moves((1 << 32) - 1, (1 << 64) - (1 << 32)) == 0  # more marks than any entry has
    empty = QubicBook({})
    assert (len(empty), empty.most_marks, empty.moves(0, 0), empty.follows(1, 0)) == (0, -1, 0, False)


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ({1: 0}, "begin with the empty cube"),
        ({0: 0, 2 * 64 + 1: 2}, "not a tree"),
        ({0: 0, 7: 1}, "not a tree"),
        ({0: 0, 64 + 0: 1}, "a cell twice"),
        ({0: 0, 64 + 1: 1}, "no legal move"),
        ({0: 0, 64 + 1: 0}, "no legal move"),
        ({0: 64}, "no legal move"),
    ],
)
def test_impossible_entries_are_rejected(tree: dict[int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        QubicBook(tree)
