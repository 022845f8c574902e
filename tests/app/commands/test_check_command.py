"""``noughts check``: its words and its exit status, also while a server runs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from noughts.command_line import main
from tests.support.damaged_file import damage, page_with
from tests.support.local_server import local_server
from tests.support.whole_file import fill

Capture = pytest.CaptureFixture[str]


def check(capsys: Capture, data: Path, *flags: str) -> tuple[int, str]:
    status = main(["check", "--data", str(data), *flags])
    captured = capsys.readouterr()
    return status, captured.out + captured.err


async def test_a_whole_file(tmp_path: Path, capsys: Capture) -> None:
    await fill(tmp_path / "noughts.db", rooms=3)
    before = (tmp_path / "noughts.db").read_bytes()
    status, text = check(capsys, tmp_path)
    assert status == 0
    assert text.endswith("noughts.db is whole: 2 rooms, 5 guests\n")
    assert "  2 of 2 rooms\n" in text
    assert (tmp_path / "noughts.db").read_bytes() == before


async def test_a_file_in_use(tmp_path: Path, capsys: Capture) -> None:
    async with local_server(tmp_path):
        status, text = check(capsys, tmp_path)
    assert (status, text.splitlines()[-1].endswith("is whole: 0 rooms, 0 guests")) == (0, True)


async def test_a_damaged_file(tmp_path: Path, capsys: Capture) -> None:
    """The last line says what to do."""
    path = tmp_path / "noughts.db"
    await fill(path, rooms=9)
    with closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute("UPDATE rooms SET data=x'93' WHERE id='room1'")
    status, text = check(capsys, tmp_path)
    assert (status, "room room1 cannot be read: remove it with `noughts close room1`" in text) == (1, True)
    damage(path, page_with(path, b"room5"), "zeros", Random(1))
    status, text = check(capsys, tmp_path)
    assert status == 1
    assert "damaged: rooms: " in text
    assert "docs/how-to/repair.md" in text.splitlines()[-1]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ((), "there is no "),
        (("--store", "redis://127.0.0.1"), "reads a file, and the store is Redis"),
        (("--store", "nonsense:"), "--store"),
    ],
)
def test_a_file_that_cannot_be_checked(tmp_path: Path, capsys: Capture, flags: tuple[str, ...], message: str) -> None:
    status, text = check(capsys, tmp_path, *flags)
    assert (status, text.startswith("noughts: "), message in text) == (2, True, True)


def test_another_kind_of_file(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "noughts.db").write_bytes(b"")
    status, text = check(capsys, tmp_path)
    assert (status, "is empty" in text) == (2, True)
