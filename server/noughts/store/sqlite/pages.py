"""Reads the rows of a damaged database page by page, without SQLite, which stops at the first damage.

The layout of pages, cells and records is that of SQLite's documentation, "Database File Format", sections 1 and 2. A page is
read only as far as it makes sense: nothing here raises an exception for damaged bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from noughts.store.sqlite.inspection import MAGIC, log_of
from noughts.store.sqlite.log_pages import committed_pages

Value: TypeAlias = int | float | str | bytes | None
Cell: TypeAlias = tuple[int, int]
"""The number of a page, and the offset of a cell in it."""

TABLE_INTERIOR: Final = 5
TABLE_LEAF: Final = 13
INDEX_INTERIOR: Final = 2
INDEX_LEAF: Final = 10
_HEADER_SIZES: Final = {TABLE_LEAF: 8, INDEX_LEAF: 8, TABLE_INTERIOR: 12, INDEX_INTERIOR: 12}
_USUAL_SIZE: Final = 4_096
_FILE_HEADER: Final = 100
_NUMBER_SIZES: Final = (0, 1, 2, 3, 4, 6, 8)


class Row(NamedTuple):
    """The values of one row. ``number`` is its rowid, None in a table without one and in an index."""

    number: int | None
    values: tuple[Value, ...]


class DamagedBytesError(Exception):
    """The bytes are not those of a cell. This exception does not leave the module."""


class Pages:
    """The pages of a file, with those in its log instead of the older ones."""

    def __init__(self, path: Path) -> None:
        """Raise OSError if the file cannot be opened. Parts that cannot be read count as damaged."""
        self._path = path
        self._file = path.open("rb")
        self.size, self._usable = _sizes(self._bytes(0, _FILE_HEADER))
        self._last = 0, b""
        self._in_log = committed_pages(log_of(path), self.size)
        self.count = max([path.stat().st_size // self.size, *self._in_log])

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _bytes(self, start: int, size: int) -> bytes:
        try:
            self._file.seek(start)
            return self._file.read(size)
        except OSError:  # a part of the disk that cannot be read
            return b""

    def page(self, number: int) -> bytes:
        """Return a page, as zeros if it cannot be read."""
        if self._last[0] != number:
            page = self._in_log.get(number) or self._bytes((number - 1) * self.size, self.size)
            self._last = number, page if len(page) == self.size else bytes(self.size)
        return self._last[1]

    # --- which pages have rows ----------------------------------------------------------------------------------

    def with_rows(self, progress: Callable[[int], None]) -> Iterator[tuple[int, bool]]:
        """Yield each page that has rows or entries of an index, and whether a tree leads to it. Those come first.

        A free page has old rows, which were deleted: it is left out as far as the list of free pages can be read. Where all
        trees are whole, so is every page that none of them leads to.
        """
        reached, broken = self._reached()
        for done, number in enumerate(sorted(reached)):
            progress(done)
            if self._kind(number) in (TABLE_LEAF, INDEX_LEAF, INDEX_INTERIOR):
                yield number, True
        if not broken:
            return
        for number in sorted(set(range(1, self.count + 1)) - reached - self._free()):
            progress(number)
            if self._kind(number) in (TABLE_LEAF, INDEX_LEAF, INDEX_INTERIOR):
                yield number, False

    def _kind(self, number: int) -> int:
        return self.page(number)[_FILE_HEADER if number == 1 else 0]

    def _reached(self) -> tuple[set[int], bool]:
        """Return the pages to which the trees lead, and whether a part of a tree is damaged."""
        reached: set[int] = set()
        broken = self._kind(1) not in _HEADER_SIZES
        roots = [row.values[3] for row in self._schema()]
        # A root that is not a number counts as page 0. There is no such page, so the tree is damaged.
        pending = [1, *(root if isinstance(root, int) else 0 for root in roots)]
        while pending:
            number = pending.pop()
            if number in reached:
                continue
            if not 1 <= number <= self.count or self._kind(number) not in _HEADER_SIZES:
                broken = True
                continue
            reached.add(number)
            children = self._children(number)
            broken = broken or children is None
            pending += children or []
        return reached, broken

    def _schema(self) -> Iterator[Row]:
        """Yield the rows of the table of tables, whose tree begins in the first page."""
        pending, seen = [1], set()
        while pending:
            number = pending.pop()
            if number in seen or not 1 <= number <= self.count:
                continue
            seen.add(number)
            if self._kind(number) == TABLE_LEAF:
                rows = [self.row(cell) for cell in self.cells(number)]
                yield from [row for row in rows if row is not None and len(row.values) == 5]
            elif self._kind(number) == TABLE_INTERIOR:
                pending += self._children(number) or []

    def _children(self, number: int) -> list[int] | None:
        """Return the pages below a page; None if the bytes do not say which."""
        page, start = self.page(number), _FILE_HEADER if number == 1 else 0
        if page[start] in (TABLE_LEAF, INDEX_LEAF):
            return []
        cells = self.cells(number)
        offsets = [struct.unpack(">I", page[offset : offset + 4])[0] for _, offset in cells]
        children = [*offsets, struct.unpack(">I", page[start + 8 : start + 12])[0]]
        stated = struct.unpack(">H", page[start + 3 : start + 5])[0]
        return children if len(cells) == stated and all(1 <= child <= self.count for child in children) else None

    def _free(self) -> set[int]:
        """Return the free pages, as far as their list can be read."""
        free: set[int] = set()
        trunk = struct.unpack(">I", self.page(1)[32:36])[0]
        while 1 < trunk <= self.count and trunk not in free:
            free.add(trunk)
            page = self.page(trunk)
            following, size = struct.unpack(">2I", page[:8])
            size = min(size, self._usable // 4 - 2)
            leaves = struct.unpack(f">{size}I", page[8 : 8 + 4 * size])
            free |= {leaf for leaf in leaves if 1 < leaf <= self.count}
            trunk = following
        return free

    # --- rows ---------------------------------------------------------------------------------------------------

    def is_table(self, number: int) -> bool:
        """Return whether the rows of a page have numbers: they are those of a table, and not entries of an index."""
        return self._kind(number) == TABLE_LEAF

    def cells(self, number: int) -> list[Cell]:
        """Return the cells of a page."""
        page, start = self.page(number), _FILE_HEADER if number == 1 else 0
        head = _HEADER_SIZES.get(page[start])
        if head is None:
            return []
        count = struct.unpack(">H", page[start + 3 : start + 5])[0]
        if start + head + 2 * count > self.size:
            return []
        offsets = struct.unpack(f">{count}H", page[start + head : start + head + 2 * count])
        return [(number, offset) for offset in offsets if start + head + 2 * count <= offset < self._usable - 3]

    def row(self, cell: Cell) -> Row | None:
        """Return the row in a cell; None if it is damaged."""
        number, offset = cell
        page, kind = self.page(number), self._kind(number)
        try:
            offset += 4 if kind == INDEX_INTERIOR else 0
            size, offset = _varint(page, offset)
            rowid = None
            if kind == TABLE_LEAF:
                rowid, offset = _varint(page, offset)
            return Row(rowid, _values(self._record_bytes(page, offset, size, kind)))
        except (DamagedBytesError, IndexError, ValueError, struct.error):
            return None

    def _record_bytes(self, page: bytes, offset: int, size: int, kind: int) -> bytes:
        """Return the bytes of a record, of which a long one goes on in other pages."""
        usable = self._usable
        most = usable - 35 if kind == TABLE_LEAF else (usable - 12) * 64 // 255 - 23
        if size <= most:
            if offset + size > usable:
                raise DamagedBytesError
            return page[offset : offset + size]
        least = (usable - 12) * 32 // 255 - 23
        here = least + (size - least) % (usable - 4)
        here = here if here <= most else least
        if offset + here + 4 > usable or size > self.count * self.size:
            raise DamagedBytesError
        parts, left = [page[offset : offset + here]], size - here
        following = struct.unpack(">I", page[offset + here : offset + here + 4])[0]
        while left > 0:
            if not 1 < following <= self.count:
                raise DamagedBytesError
            page = self.page(following)
            parts.append(page[4 : 4 + min(left, usable - 4)])
            left -= len(parts[-1])
            following = struct.unpack(">I", page[:4])[0]
        return b"".join(parts)


def _sizes(header: bytes) -> tuple[int, int]:
    """Return the bytes in a page, and how many of them are used. They are the usual ones if the header is damaged."""
    size = int.from_bytes(header[16:18], "big")
    size = 65_536 if size == 1 else size
    if header[: len(MAGIC)] != MAGIC or len(header) != _FILE_HEADER or size < 512 or size & (size - 1):
        return _USUAL_SIZE, _USUAL_SIZE
    return size, size - header[20]


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    """Return the number at an offset, and the offset after it."""
    value = 0
    for i in range(8):
        byte = data[offset + i]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, offset + i + 1
    value = value << 8 | data[offset + 8]
    return (value - (1 << 64) if value >= 1 << 63 else value), offset + 9


def _values(record: bytes) -> tuple[Value, ...]:
    """Return the values of a record. Raise an exception if the bytes are not a record."""
    end, offset = _varint(record, 0)
    content = end
    values: list[Value] = []
    if not offset <= end <= len(record):
        raise DamagedBytesError
    while offset < end:
        kind, offset = _varint(record, offset)
        value, content = _value(record, kind, content)
        values.append(value)
    if offset != end or content != len(record):
        raise DamagedBytesError
    return tuple(values)


def _value(record: bytes, kind: int, offset: int) -> tuple[Value, int]:
    if kind <= 6:
        size = _NUMBER_SIZES[kind]
        value: Value = None if kind == 0 else int.from_bytes(record[offset : offset + size], "big", signed=True)
    elif kind == 7:
        size, value = 8, struct.unpack(">d", record[offset : offset + 8])[0]
    elif kind in (8, 9):
        size, value = 0, kind - 8
    elif kind >= 12:
        size = (kind - 12) // 2
        part = record[offset : offset + size]
        value = part.decode() if kind % 2 else part
    else:
        raise DamagedBytesError
    if offset + size > len(record):
        raise DamagedBytesError
    return value, offset + size
