"""Writes books in the form that :mod:`noughts.engine.book` reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from noughts.engine.book import FORMAT, sealed


def pack(variant: str, entries: Mapping[int, int]) -> bytes:
    """Return the file for these entries. Equal entries give equal bytes."""
    keys = sorted(entries)
    gaps = [key - before for before, key in zip([-1, *keys], keys, strict=False)]
    head = b"\n".join([FORMAT, variant.encode("ascii"), str(len(keys)).encode("ascii"), b""])
    return sealed(head + _varints(gaps) + _varints(entries[key] for key in keys))


def _varints(numbers: Iterable[int]) -> bytes:
    data = bytearray()
    for number in numbers:
        while number >= 0x80:
            data.append(number & 0x7F | 0x80)
            number >>= 7
        data.append(number)
    return bytes(data)
