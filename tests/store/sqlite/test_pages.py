"""Rows read without SQLite. tests/store/sqlite/test_damaged_archive.py tests what is read of damaged files."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from noughts.store.sqlite.pages import TABLE_INTERIOR, Pages, Row


def rows_of(path: Path) -> list[Row]:
    pages = Pages(path)
    rows = [
        row
        for number, _ in pages.with_rows(lambda number: None)
        for row in map(pages.row, pages.cells(number))
        if row is not None
    ]
    pages.close()
    return rows


def fill(path: Path, page_size: int, random: Random) -> list[tuple[object, ...]]:
    """Write rows of every kind of value and of many sizes to a table and to one without row numbers. Return them."""
    rows: list[tuple[object, ...]] = []
    for number in range(400):
        size = random.choice([0, 1, 100, 3_000, 40_000]) if number % 20 == 0 else random.randrange(60)
        whole = random.choice([0, 1, -1, 127, -129, 2**15, -(2**23), 2**31, 2**47, -(2**63), 2**63 - 1])
        rows.append((f"key {number}", whole, random.random(), None, random.randbytes(size), "é" * (size // 2)))
    with closing(sqlite3.connect(path)) as store:
        store.execute(f"PRAGMA page_size={page_size}")
        store.execute("CREATE TABLE numbered(a, b, c, d, e, f)")
        store.execute("CREATE TABLE keyed(a PRIMARY KEY, b, c, d, e, f) WITHOUT ROWID")
        for table in ("numbered", "keyed"):
            store.executemany(f"INSERT INTO {table} VALUES(?,?,?,?,?,?)", rows)
            store.execute(f"DELETE FROM {table} WHERE a='key 7'")
        store.commit()
    return [row for row in rows if row[0] != "key 7"]


@pytest.mark.parametrize("page_size", [512, 1_024, 4_096, 65_536])
def test_every_row_is_read(tmp_path: Path, page_size: int) -> None:
    """Also long rows that go on in other pages. Deleted ones are not read."""
    path = tmp_path / "some.db"
    expected = {row[0]: row for row in fill(path, page_size, Random(page_size))}
    rows = [row for row in rows_of(path) if len(row.values) == 6]
    for numbered in (True, False):
        read = {row.values[0]: row.values for row in rows if (row.number is not None) is numbered}
        assert read == expected


def test_random_damage_raises_nothing(tmp_path: Path) -> None:
    """And takes no time without end, whatever the damaged page numbers lead to."""
    path, random = tmp_path / "some.db", Random(5)
    fill(path, 1_024, random)
    content = path.read_bytes()
    for _ in range(30):
        damaged = bytearray(content)
        for _ in range(200):
            damaged[random.randrange(len(damaged))] = random.randrange(256)
        path.write_bytes(damaged)
        rows_of(path)


def test_a_file_that_ends_early(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    fill(path, 4_096, Random(1))
    content = path.read_bytes()
    for size in (0, 50, 100, 4_096, len(content) // 2):
        path.write_bytes(content[:size])
        rows_of(path)


def test_pages_with_row_numbers_are_those_of_tables(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    fill(path, 1_024, Random(2))
    pages = Pages(path)
    for number, _ in pages.with_rows(lambda number: None):
        rows = [row for row in map(pages.row, pages.cells(number)) if row is not None]
        assert {row.number is not None for row in rows} == {pages.is_table(number)}
    pages.close()


def test_the_table_of_tables_may_have_many_pages(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute("PRAGMA page_size=512")
        for number in range(100):
            store.execute(f"CREATE TABLE table{number}(a)")
            store.execute(f"INSERT INTO table{number} VALUES({number + 1_000})")
    read = [row.values[0] for row in rows_of(path) if len(row.values) == 1]
    assert sorted(read, key=str) == list(range(1_000, 1_100))


def test_deleted_rows_on_free_pages_are_not_read(tmp_path: Path) -> None:
    """Though a tree is broken, so that pages are read to which none leads. Rows that are not deleted are read once."""
    path = tmp_path / "some.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute("PRAGMA page_size=512")
        store.execute("CREATE TABLE kept(a, b)")
        store.execute("CREATE TABLE deleted(a, b)")
        for table in ("kept", "deleted"):
            store.executemany(f"INSERT INTO {table} VALUES(?,?)", [(f"{table} {n}", "x" * 400) for n in range(300)])
        (root,) = store.execute("SELECT rootpage FROM sqlite_master WHERE name='kept'").fetchone()
        store.execute("DELETE FROM deleted")
    content = bytearray(path.read_bytes())
    content[(root - 1) * 512 : root * 512] = bytes(512)
    path.write_bytes(content)
    read = [str(row.values[0]) for row in rows_of(path) if len(row.values) == 2]
    assert sorted(read) == sorted(f"kept {n}" for n in range(300))


def test_a_row_that_reaches_beyond_its_page_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with closing(sqlite3.connect(path)) as store:
        store.execute("CREATE TABLE words(word)")
        store.executemany("INSERT INTO words VALUES(?)", [("one",), ("two",)])
        store.commit()
    content = bytearray(path.read_bytes())
    content[content.index(b"one") - 4] = 100  # the bytes of its record: with 100 it reaches beyond the page
    path.write_bytes(content)
    assert [row.values for row in rows_of(path) if len(row.values) == 1] == [("two",)]


def small(path: Path) -> sqlite3.Connection:
    """Return a file with two tables of one row each, on pages of 512 bytes."""
    store = sqlite3.connect(path, isolation_level=None)
    store.execute("PRAGMA page_size=512")
    for table in ("one", "two"):
        store.execute(f"CREATE TABLE {table}(a, b)")
        store.execute(f"INSERT INTO {table} VALUES('{table}', 0)")
    return store


def words(path: Path) -> list[str]:
    return sorted(str(row.values[0]) for row in rows_of(path) if len(row.values) == 2)


@pytest.mark.parametrize("root", ["NULL", "'?'", "0", "99"])
def test_a_table_whose_root_is_lost_is_read_all_the_same(tmp_path: Path, root: str) -> None:
    path = tmp_path / "some.db"
    with closing(small(path)) as store:
        store.execute("PRAGMA writable_schema=1")
        store.execute(f"UPDATE sqlite_master SET rootpage={root} WHERE name='two'")
    assert words(path) == ["one", "two"]


def test_two_tables_on_one_root_are_read_once(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with closing(small(path)) as store:
        store.execute("PRAGMA writable_schema=1")
        store.execute("INSERT INTO sqlite_master SELECT type, 'again', tbl_name, rootpage, sql FROM sqlite_master")
    assert words(path) == ["one", "two"]


def test_a_page_of_the_table_of_tables_may_be_lost(tmp_path: Path) -> None:
    """The rows of all tables are read, because pages to which no tree leads are read then."""
    path = tmp_path / "some.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute("PRAGMA page_size=512")
        for number in range(20):
            store.execute(f"CREATE TABLE table{number}(a)")
            store.execute(f"INSERT INTO table{number} VALUES({number})")
    content = bytearray(path.read_bytes())
    assert content[100] == TABLE_INTERIOR
    rightmost = int.from_bytes(content[108:112], "big")
    content[(rightmost - 1) * 512] = 0
    path.write_bytes(content)
    assert sorted(row.values for row in rows_of(path) if len(row.values) == 1) == [(number,) for number in range(20)]


def test_a_page_of_no_tree_has_no_cells(tmp_path: Path) -> None:
    """Such as one on which a long row goes on."""
    path = tmp_path / "some.db"
    with closing(small(path)) as store:
        store.execute("INSERT INTO one VALUES('long', ?)", (bytes(600),))
        (count,) = store.execute("PRAGMA page_count").fetchone()
    pages = Pages(path)
    assert pages.cells(count) == []
    pages.close()
    assert words(path) == ["long", "one", "two"]


@pytest.mark.parametrize("kind", [10, 11])
def test_a_kind_of_value_that_does_not_exist_is_damage(tmp_path: Path, kind: int) -> None:
    path = tmp_path / "some.db"
    small(path).close()
    content = bytearray(path.read_bytes())
    content[content.index(b"two", 512 * 2) - 1] = kind
    path.write_bytes(content)
    assert words(path) == ["one"]


def test_a_disk_that_cannot_be_read_raises_nothing() -> None:
    """The memory of this process stands for it: the file opens, and each read of its start fails."""
    memory = Path("/proc/self/mem")
    with memory.open("rb") as file, pytest.raises(OSError, match="Input/output error"):
        file.read(1)
    pages = Pages(memory)
    assert pages.page(1) == bytes(pages.size)
    pages.close()
