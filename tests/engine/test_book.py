"""A book gives back what was put in, and says so when its file is damaged."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.engine import book


@given(st.dictionaries(st.integers(0, 1 << 70), st.integers(0, 1 << 20)))
def test_a_book_gives_back_its_entries(entries: dict[int, int]) -> None:
    data = book.pack("5x5", entries)
    assert book.unpack(data) == book.Book("5x5", entries, hashlib.sha256(data[:-32]).hexdigest())
    assert book.pack("5x5", dict(reversed(entries.items()))) == data


def test_a_dense_table_takes_two_bytes_an_entry() -> None:
    entries = {3 * key: key % 100 for key in range(10_000)}
    assert len(book.pack("5x5", entries)) < 20_100


def test_a_damaged_file_is_refused() -> None:
    data = book.pack("5x5", {3: 1, 300: 2, 70_000: 300})
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 4
        with pytest.raises(ValueError, match="make books"):
            book.unpack(bytes(damaged))
    for size in range(len(data)):
        with pytest.raises(ValueError, match="make books"):
            book.unpack(data[:size])


def test_a_book_that_comes_with_the_program_names_its_variant() -> None:
    found = book.load("5x5")
    assert found.variant == "5x5"
    assert len(found.digest) == 64
