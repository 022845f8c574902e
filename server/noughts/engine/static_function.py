"""A static function: two bits for each of a fixed set of keys, in a file that holds no keys.

The number of a key is the XOR of three cells of an array, one in each third. A hash of the key chooses the cells. Such an
array needs about 1.23 cells for each key, so 2.5 bits. It answers for every other key too, with no meaning: the caller
must know that a key belongs to the set.

::

    noughts values 2\\n      the format
    four-in-a-row-values\\n  the name of the table
    6148914691\\n            the seed of the hash
    44730\\n                 the number of cells in each third
    bytes                   four cells in each, the low bits first
    32 bytes                SHA-256 of all bytes before

A generator in ``tools/`` finds a seed and cells that fit (G. Botelho, R. Pagh, N. Ziviani, "Simple and space-efficient
minimal perfect hash functions", 2007).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from noughts.engine.book import REMEDY, sealed, unsealed

_FORMAT: Final = b"noughts values 2"
_MASK: Final = (1 << 64) - 1
_HALF_BITS: Final = 32
_HALF: Final = (1 << _HALF_BITS) - 1


class StaticFunction(NamedTuple):
    """The cells, four in each byte, and what the hash depends on."""

    name: str
    seed: int
    third: int
    cells: bytes

    def number(self, key: int) -> int:
        """Return the number of a key of the set, 0 to 3."""
        cells = self.cells
        a, b, c = cells_of(key, self.seed, self.third)
        return (cells[a >> 2] >> 2 * (a & 3) ^ cells[b >> 2] >> 2 * (b & 3) ^ cells[c >> 2] >> 2 * (c & 3)) & 3

    @property
    def data(self) -> bytes:
        """The file."""
        head = b"\n".join([_FORMAT, self.name.encode("ascii"), b"%d" % self.seed, b"%d" % self.third, b""])
        return sealed(head + self.cells)


def unpack(data: bytes) -> StaticFunction:
    """Return the function in a file's bytes. Raise ValueError for a damaged file or another format."""
    parts = unsealed(data).split(b"\n", 4)
    if len(parts) != 5 or parts[0] != _FORMAT or len(parts[4]) != (3 * int(parts[3]) + 3) // 4:
        raise ValueError(f"not a file of this format: {REMEDY}")
    return StaticFunction(parts[1].decode("ascii"), int(parts[2]), int(parts[3]), parts[4])


def cells_of(key: int, seed: int, third: int) -> tuple[int, int, int]:
    """Return the three cells of a key: one in each third of the array."""
    mixed = (key ^ seed) * 0x9E3779B97F4A7C15 & _MASK
    mixed = (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93 & _MASK
    mixed ^= mixed >> 32
    other = mixed * 0xD6E8FEB86659FD93 & _MASK
    return (
        (mixed & _HALF) * third >> _HALF_BITS,
        ((mixed >> _HALF_BITS) * third >> _HALF_BITS) + third,
        ((other >> _HALF_BITS) * third >> _HALF_BITS) + 2 * third,
    )
