"""Books: a file gives back its entries, and a damaged file is rejected."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.engine import book
from tools.book_file import pack


@given(st.dictionaries(st.integers(0, 1 << 70), st.integers(0, 1 << 20)))
def test_a_book_gives_back_its_entries(entries: dict[int, int]) -> None:
    data = pack("5x5", entries)
    assert book.unpack(data) == book.Book("5x5", entries, hashlib.sha256(data[:-32]).hexdigest())
    assert pack("5x5", dict(reversed(entries.items()))) == data


def test_a_dense_table_takes_two_bytes_an_entry() -> None:
    entries = {3 * key: key % 100 for key in range(10_000)}
    assert len(pack("5x5", entries)) < 20_100


def test_a_damaged_file_is_rejected() -> None:
    data = pack("5x5", {3: 1, 300: 2, 70_000: 300})
    for offset in range(len(data)):
        damaged = bytearray(data)
        damaged[offset] ^= 4
        with pytest.raises(ValueError, match="make books"):
            book.unpack(bytes(damaged))
    for size in range(len(data)):
        with pytest.raises(ValueError, match="make books"):
            book.unpack(data[:size])


@pytest.mark.parametrize("body", [b"noughts book 2\n5x5\n1\n\x03\x01", b"noughts book 1\n5x5\n2\n\x03\x01"])
def test_another_format_or_count_is_rejected(body: bytes) -> None:
    """The hash is right, so the file is not damaged: it is not a book."""
    with pytest.raises(ValueError, match="not a book of this format"):
        book.unpack(body + hashlib.sha256(body).digest())


@pytest.mark.parametrize("variant", ["5x5", "qubic"])
def test_a_shipped_book_names_its_variant(variant: str) -> None:
    shipped = book.load(variant)
    assert shipped.variant == variant
    assert len(shipped.digest) == 64


def test_the_file_of_another_variant_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    other = book.file_of("5x5")
    monkeypatch.setattr(book, "file_of", lambda variant: other)
    with pytest.raises(ValueError, match="holds the book 5x5"):
        book.load("four-in-a-row")


def test_a_damaged_or_missing_book_is_named_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert book.entries_or_warn("5x5") == book.load("5x5").entries
    file = tmp_path / "5x5.book"
    file.write_bytes(b"noughts book 1")
    monkeypatch.setattr(book, "file_of", lambda variant: file)
    with pytest.warns(UserWarning, match=r"plays 5x5 without its book, .*5x5\.book: .*make it again with `make books`"):
        assert book.entries_or_warn("5x5") == {}
    file.unlink()
    with pytest.warns(UserWarning, match="plays 5x5 without its book.*No such file"):
        assert book.entries_or_warn("5x5") == {}
