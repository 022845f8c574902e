"""Books: small generated files of what was proved of positions, each a number for a key.

::

    noughts book 1\\n        the format
    5x5\\n                   the variant
    10660\\n                 how many entries
    varints                 the gaps between ascending keys, the first one from -1
    varints                 the values, in the order of the keys
    32 bytes                SHA-256 of all before

A varint holds seven bits a byte, low ones first, and sets the eighth bit in all bytes but its last. What keys and
values mean is the kernel's affair. A committed generator writes a book (``make books``), and ``noughts prove`` computes
it anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Final, NamedTuple

_FORMAT: Final = b"noughts book 1"
_DIGEST: Final = 32


class NotProvedError(Exception):
    """An entry of a book that does not stand."""


class Book(NamedTuple):
    """The entries of a variant's book, and the hash of the file that they came from, in hexadecimal."""

    variant: str
    entries: Mapping[int, int]
    digest: str


def pack(variant: str, entries: Mapping[int, int]) -> bytes:
    """The file for these entries: the same bytes for the same entries."""
    keys = sorted(entries)
    gaps = [key - before for before, key in zip([-1, *keys], keys, strict=False)]
    head = b"\n".join([_FORMAT, variant.encode("ascii"), str(len(keys)).encode("ascii"), b""])
    body = head + _varints(gaps) + _varints(entries[key] for key in keys)
    return body + hashlib.sha256(body).digest()


def unpack(data: bytes) -> Book:
    """What a file holds. Raises ValueError for a damaged one."""
    body, digest = data[:-_DIGEST], data[-_DIGEST:]
    if hashlib.sha256(body).digest() != digest:
        raise ValueError("a damaged book: make it again with `make books`")
    form, variant, count, rest = body.split(b"\n", 3)
    numbers = []
    number = shift = 0
    for byte in rest:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(number)
            number = shift = 0
    entries = {}
    size = int(count)
    if form != _FORMAT or len(numbers) != 2 * size:
        raise ValueError("not a book of this format: make it again with `make books`")
    key = -1
    for gap, value in zip(numbers[:size], numbers[size:], strict=True):
        key += gap
        entries[key] = value
    return Book(variant.decode("ascii"), entries, digest.hex())


def load(variant: str) -> Book:
    """The book of a variant that comes with the program."""
    book = unpack((files("noughts.engine") / "books" / f"{variant}.book").read_bytes())
    if book.variant != variant:
        raise ValueError(f"the book {variant} is one of {book.variant}")
    return book


def _varints(numbers: Iterable[int]) -> bytes:
    out = bytearray()
    for number in numbers:
        while number >= 0x80:
            out.append(number & 0x7F | 0x80)
            number >>= 7
        out.append(number)
    return bytes(out)
