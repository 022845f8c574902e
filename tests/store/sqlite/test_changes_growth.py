"""What a room keeps: the newest chat lines and the newest finished games, and no more."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from noughts.store.kinds import GAMES_BYTES, GAMES_KEPT
from noughts.store.machine_store import Change, IndexEntry, Line
from noughts.store.sqlite.changes import LINES_LOADED, store_change
from noughts.store.sqlite.schema import CREATE

INDEX = IndexEntry(1_000, None, "classic", ("p_ann",))


def database(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path / "noughts.db")
    for statement in CREATE:
        db.execute(statement)
    store_change(db, Change("r1", 0, 1, b"room", INDEX))
    return db


def count(db: sqlite3.Connection, table: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_old_chat_lines_are_deleted(tmp_path: Path) -> None:
    db = database(tmp_path)
    for n in range(3 * LINES_LOADED):
        store_change(db, Change("r1", 1, 1, line=Line(0, n, "p_ann", None, "hello", 0)))
    assert count(db, "lines") == LINES_LOADED
    assert db.execute("SELECT max(n) FROM lines").fetchone() == (3 * LINES_LOADED,)
    db.close()


def test_old_games_are_deleted(tmp_path: Path) -> None:
    db = database(tmp_path)
    for n in range(1, 2 * GAMES_KEPT + 1):
        store_change(db, Change("r1", n, n + 1, b"room", records=((n, b"game"),)))
    assert count(db, "games") == GAMES_KEPT
    assert db.execute("SELECT min(number) FROM games").fetchone() == (GAMES_KEPT + 1,)
    db.close()


def test_long_games_are_deleted_earlier(tmp_path: Path) -> None:
    db = database(tmp_path)
    for n in range(1, 40):
        store_change(db, Change("r1", n, n + 1, b"room", records=((n, GAMES_BYTES // 8 * b"x"),)))
    assert (count(db, "games"), db.execute("SELECT max(number) FROM games").fetchone()) == (8, (39,))
    store_change(db, Change("r1", 40, 41, b"room", records=((40, 2 * GAMES_BYTES * b"x"),)))
    assert db.execute("SELECT number FROM games").fetchall() == [(40,)]
    db.close()


def test_the_only_game_of_a_room_stays_however_long_it_is(tmp_path: Path) -> None:
    db = database(tmp_path)
    store_change(db, Change("r1", 1, 2, b"room", records=((1, 2 * GAMES_BYTES * b"x"),)))
    assert db.execute("SELECT number FROM games").fetchall() == [(1,)]
    db.close()
