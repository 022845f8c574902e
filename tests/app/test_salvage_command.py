"""``noughts salvage``: a server starts on what it wrote, and the damaged file is as it was."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from noughts.command_line import main
from tests.support.damaged_file import damage, page_count, page_with
from tests.support.local_server import local_server
from tests.support.manual_clock import START_MS
from tests.support.player import Api
from tests.support.whole_file import fill

Capture = pytest.CaptureFixture[str]


async def salvage(capsys: Capture, data: Path, target: Path) -> tuple[int, str]:
    status = await asyncio.to_thread(main, ["salvage", str(target), "--data", str(data)])
    captured = capsys.readouterr()
    return status, captured.out + captured.err


async def test_a_server_runs_on_what_was_saved(tmp_path: Path, capsys: Capture) -> None:
    path, target = tmp_path / "noughts.db", tmp_path / "new" / "noughts.db"
    await fill(path)
    page_count(path)
    damage(path, page_with(path, b"room5"), "noise", Random(3))
    damage(path, page_with(path, b"Name 30"), "noise", Random(4))
    before = path.read_bytes()
    status, text = await salvage(capsys, tmp_path, target)
    assert (status, path.read_bytes() == before) == (0, True)
    lines = [line for line in text.splitlines() if "stood still" not in line]  # of the server of other tests
    assert lines[0].endswith("noughts.db: reading")
    assert any("guests have lost their record" in line for line in lines)
    assert lines[-1].startswith("To use it, keep ")
    with closing(sqlite3.connect(target)) as store:
        rooms = [room for (room,) in store.execute("SELECT id FROM rooms ORDER BY rowid")]
        assert 25 < len(rooms) < 39
        assert store.execute("SELECT at_ms FROM alive").fetchone() == (START_MS,)
        assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    async with local_server(target.parent) as server:
        view = await Api(server.url).get(f"/api/rooms/{rooms[-1]}")
        assert len(view["game"]["moves"]) == 6


async def test_damaged_rows_are_counted(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "noughts.db"
    await fill(path, rooms=3)
    page_count(path)
    content = bytearray(path.read_bytes())
    content[content.index(b"p_0_aName 0") - 2] = 0x0B  # a kind of value that SQLite has none of
    path.write_bytes(content)
    status, text = await salvage(capsys, tmp_path, tmp_path / "new.db")
    assert (status, "1 damaged rows and index entries were left out" in text) == (0, True)


async def test_rooms_that_are_lost_are_named(tmp_path: Path, capsys: Capture) -> None:
    await fill(tmp_path / "noughts.db", rooms=3)
    with closing(sqlite3.connect(tmp_path / "noughts.db", isolation_level=None)) as store:
        store.execute("UPDATE rooms SET data=x'93' WHERE id='room1'")
    status, text = await salvage(capsys, tmp_path, tmp_path / "new.db")
    assert (status, "room room1 is lost" in text, "1 rooms, 5 guests" in text) == (0, True, True)


async def test_what_it_does_not_do(tmp_path: Path, capsys: Capture) -> None:
    """It does not write over a file, nor read one that a server is writing."""
    status, text = await salvage(capsys, tmp_path, tmp_path / "new.db")
    assert text.startswith("noughts: there is no ")
    async with local_server(tmp_path):
        status, text = await salvage(capsys, tmp_path, tmp_path / "new.db")
        assert (status, "a server runs on " in text) == (2, True)
    status, text = await salvage(capsys, tmp_path, tmp_path / "noughts.db")
    assert (status, "exists already" in text) == (2, True)
    (tmp_path / "file").write_text("")
    status, text = await salvage(capsys, tmp_path, tmp_path / "file" / "new.db")
    assert (status, "cannot be written" in text) == (2, True)
