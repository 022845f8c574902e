"""The how-to page on repair, followed word for word on a damaged file."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random

from noughts.store.sqlite.database_file import DatabaseFile
from tests.project.reading import ROOT
from tests.support.damaged_file import damage, page_count, page_with
from tests.support.whole_file import fill

PAGE = (ROOT / "docs" / "how-to" / "repair.md").read_text()
CHECK, RECOVER, DUMP, FINISH, RENAME = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
ROOMS = 60


async def damaged_data(folder: Path) -> set[str]:
    """Make a data directory whose file has one damaged page of rooms. Return the rooms that it held before."""
    path = folder / "data" / "noughts.db"
    path.parent.mkdir()
    await fill(path, ROOMS)
    rooms = rooms_in(path)
    page_count(path)
    damage(path, page_with(path, b"room30"), "noise", Random(3))
    return rooms


def rooms_in(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as db:
        return {id for (id,) in db.execute("SELECT id FROM rooms")}


def run(commands: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run commands in one shell, which ends with the first that fails."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    return subprocess.run(
        ["sh", "-e", "-c", commands], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def can_recover() -> bool:
    """Return whether this shell of SQLite has what ``.recover`` needs."""
    query = ["sqlite3", ":memory:", "SELECT count(*) FROM sqlite_dbpage"]
    answer = subprocess.run(query, capture_output=True, check=False)
    return answer.returncode == 0


async def test_the_page_saves_what_can_be_read(tmp_path: Path) -> None:
    """With ``.recover`` where the shell has it. Elsewhere the shell says what the page quotes, and ``.dump`` saves it."""
    assert shutil.which("sqlite3"), "the tests need the package sqlite3"
    before = await damaged_data(tmp_path)
    checked = run(CHECK, tmp_path)
    assert checked.returncode == 1
    lost = set(re.findall(r"^room (\w+) is lost", checked.stdout, re.MULTILINE))
    assert "room30" in lost
    first = run(RECOVER, tmp_path)
    data = tmp_path / "data"
    if not can_recover():
        assert first.stderr.strip() == "sql error: SQL logic error (1)"
        assert first.stderr.strip() in PAGE
        assert run(DUMP, data).returncode == 0
    finished = run(FINISH, data)
    assert (finished.returncode, "saved.db is whole" in finished.stdout) == (0, True), finished
    assert run(RENAME, data).returncode == 0
    path = data / "noughts.db"
    DatabaseFile(path).connect().close()
    assert rooms_in(path) == before - lost
    assert 0 < len(lost) < ROOMS // 2
