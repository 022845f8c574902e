"""Static functions: a file gives back the number of each key, and a damaged file is rejected."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.engine.book import sealed
from noughts.engine.static_function import StaticFunction, cells_of, unpack
from tools.books_early import static_function

NAME = "a-table"
NUMBERS = {key * key * 7919 % (1 << 49): key % 4 for key in range(3_000)}


@given(st.dictionaries(st.integers(0, (1 << 49) - 1), st.integers(0, 3), max_size=200))
def test_it_gives_back_the_number_of_each_key(numbers: dict[int, int]) -> None:
    function = unpack(static_function(NAME, numbers).data)
    assert {key: function.number(key) for key in numbers} == numbers


def test_it_takes_two_and_a_half_bits_a_key() -> None:
    function = static_function(NAME, NUMBERS)
    assert len(function.cells) * 8 < 2.6 * len(NUMBERS)
    assert unpack(function.data) == function


def test_equal_numbers_give_an_equal_file() -> None:
    assert static_function(NAME, NUMBERS).data == static_function(NAME, dict(reversed(NUMBERS.items()))).data


def test_a_key_has_one_cell_in_each_third() -> None:
    cells = [cells_of(key, 5, 1_000) for key in NUMBERS]
    for part in range(3):
        chosen = {cell[part] for cell in cells}
        assert min(chosen) >= 1_000 * part
        assert max(chosen) < 1_000 * (part + 1)
        assert len(chosen) > 900


@pytest.mark.parametrize(
    "body",
    [
        b"noughts values 1\nv\n1\n4\n123",
        b"noughts values 2\nv\n1\n4\n12",
        b"noughts values 2\nv\n1",
        b"noughts book 1\nv\n1",
    ],
)
def test_another_format_or_size_is_rejected(body: bytes) -> None:
    """The hash is right, so the file is not damaged: it is another one."""
    assert unpack(sealed(b"noughts values 2\nv\n1\n4\n123")) == StaticFunction("v", 1, 4, b"123")
    with pytest.raises(ValueError, match="not a file of this format"):
        unpack(sealed(body))
