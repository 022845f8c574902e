"""How few statements a change needs, and what a room keeps. The answers and the rest: ``tests/store/test_contract_*.py``."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from noughts.store.kinds import GAMES_BYTES, GAMES_KEPT
from noughts.store.machine_store import Change, Stored
from noughts.store.sqlite.changes import LINES_LOADED, plain_row, store_change
from noughts.store.sqlite.schema import create_statements
from tests.support.commits import INDEX, LINE, answered, chat, new_room, next_version

IDS = answered(("p_ann", "c1", 2))
COMMAND = ("p_ann", "c1")


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    """Open a database with the room ``r1`` at version 1."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        for statement in create_statements():
            db.execute(statement)
        assert store_change(db, new_room()) == Stored(1)
        yield db


def statements(db: sqlite3.Connection, change: Change) -> list[str]:
    """Carry out a change; return the first words of its statements."""
    texts: list[str] = []
    db.set_trace_callback(texts.append)
    assert isinstance(store_change(db, change), Stored)
    db.set_trace_callback(None)
    return [" ".join(text.split()[:3]) for text in texts]


def test_a_plain_change_is_one_row_of_parameters() -> None:
    assert plain_row(next_version(2, command=COMMAND, command_ids=IDS)) == (2, b"more", IDS, "r1", 1)
    assert plain_row(next_version(2)) == (2, b"more", None, "r1", 1)


@pytest.mark.parametrize(
    "change",
    [
        new_room(),
        chat(1),
        next_version(2, index_entry=INDEX),
        next_version(2, records=((1, b"game"),)),
        next_version(2, closes=True),
        Change("r1", 1, 1, command=COMMAND, command_ids=IDS),
        Change("r1", 0, 1, data=b"one"),
    ],
    ids=["new", "chat", "index", "game", "closes", "reaction", "without-index"],
)
def test_any_other_change_is_not_plain(change: Change) -> None:
    assert plain_row(change) is None


def test_a_change_of_the_deadline_is_one_statement(db: sqlite3.Connection) -> None:
    """It names no column of an index, so SQLite writes to none."""
    assert statements(db, next_version(2, index_entry=INDEX._replace(wake_at_ms=7))) == ["UPDATE rooms SET"]
    assert db.execute("SELECT wake_at_ms FROM rooms").fetchone() == (7,)


def test_a_reaction_without_an_answered_id_writes_nothing(db: sqlite3.Connection) -> None:
    assert statements(db, Change("r1", 1, 1)) == ["SELECT answered FROM"]
    reaction = Change("r1", 1, 1, command=COMMAND, command_ids=IDS)
    assert statements(db, reaction) == ["SELECT answered FROM", "UPDATE rooms SET"]


# --- what a room keeps --------------------------------------------------------------------------------------------


def test_old_chat_lines_are_deleted(db: sqlite3.Connection) -> None:
    for _ in range(3 * LINES_LOADED):
        store_change(db, chat(1, line=LINE))
    assert db.execute("SELECT count(*), max(n) FROM lines").fetchone() == (LINES_LOADED, 3 * LINES_LOADED)


@pytest.mark.parametrize(
    ("game", "games", "kept"),
    [(b"game", 2 * GAMES_KEPT, GAMES_KEPT), (GAMES_BYTES // 8 * b"x", 39, 8), (2 * GAMES_BYTES * b"x", 2, 1)],
    ids=["short", "long", "longer than all may be"],
)
def test_old_games_are_deleted(db: sqlite3.Connection, game: bytes, games: int, kept: int) -> None:
    """The newest stay, and the last one however long it is."""
    for number in range(1, games + 1):
        store_change(db, next_version(number + 1, records=((number, game),)))
    stored: list[Any] = db.execute("SELECT number FROM games ORDER BY number").fetchall()
    assert stored == [(number,) for number in range(games - kept + 1, games + 1)]
