"""Books: small generated files of proved positions. Each entry is a number (the value) for a number (the key).

::

    noughts book 1\\n        the format
    5x5\\n                   the variant
    10660\\n                 the number of entries
    varints                 the gaps between ascending keys, the first one from -1
    varints                 the values, in the order of the keys
    32 bytes                SHA-256 of all bytes before

A varint holds seven bits in each byte, the low ones first. The eighth bit is set in all bytes but the last. The meaning
of keys and values is up to the kernel. A generator in ``tools/`` writes each book (``make books``), and
``make prove`` proves it again.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

REMEDY: Final = "install Noughts again, or make it again with `make books`"
FORMAT: Final = b"noughts book 1"
_DIGEST: Final = 32
_FOLDER: Final = Path(__file__).with_name("books")
_Content = TypeVar("_Content")


class Book(NamedTuple):
    """The entries of a variant's book, and the SHA-256 at the end of its file in hexadecimal."""

    variant: str
    entries: Mapping[int, int]
    digest: str


def unpack(data: bytes) -> Book:
    """Return the book in a file's bytes. Raise ValueError for a damaged file or another format."""
    form, variant, count, rest = unsealed(data).split(b"\n", 3)
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
    if form != FORMAT or len(numbers) != 2 * size:
        raise ValueError(f"not a book of this format: {REMEDY}")
    key = -1
    for gap, value in zip(numbers[:size], numbers[size:], strict=True):
        key += gap
        entries[key] = value
    return Book(variant.decode("ascii"), entries, digest_of(data))


def sealed(body: bytes) -> bytes:
    """Return a file's bytes: the body and its SHA-256."""
    return body + hashlib.sha256(body).digest()


def unsealed(data: bytes) -> bytes:
    """Return the body of a file. Raise ValueError if its SHA-256 is another one."""
    if sealed(data[:-_DIGEST]) != data:
        raise ValueError(f"a damaged book: {REMEDY}")
    return data[:-_DIGEST]


def digest_of(data: bytes) -> str:
    """Return the SHA-256 at the end of a file, in hexadecimal."""
    return data[-_DIGEST:].hex()


def file_of(name: str) -> Path:
    """Return the path of a book, which comes with the program. Its name is the variant's key, or begins with it."""
    return _FOLDER / f"{name}.book"


def load(variant: str, file: Path | None = None) -> Book:
    """Return the variant's book, which comes with the program unless there is another ``file``.

    Raise OSError, or ValueError if the file is damaged or is not that book.
    """
    book = unpack((file or file_of(variant)).read_bytes())
    if book.variant != variant:
        raise ValueError(f"the file of the book {variant} holds the book {book.variant}: {REMEDY}")
    return book


def entries_or_warn(variant: str) -> Mapping[int, int]:
    """Return the entries of the variant's book. Warn and return none if its file is missing or damaged."""
    return read_or_warn(variant, variant, lambda: load(variant).entries) or {}


def read_or_warn(variant: str, name: str, read: Callable[[], _Content]) -> _Content | None:
    """Return what ``read`` returns for the book ``name``. Warn and return None if it raises OSError or ValueError."""
    try:
        return read()
    except (OSError, ValueError) as error:
        text = f"The engine plays {variant} without its book, {file_of(name)}: {reason_of(error)}."
        warnings.warn(text, stacklevel=3)
        return None


def reason_of(error: OSError | ValueError) -> str:
    """Return why a book cannot be read, and what to do."""
    return f"{error.strerror}: {REMEDY}" if isinstance(error, OSError) else str(error)
