"""What one change does to the tables, statement by statement."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from msgspec.structs import replace

from noughts.store.kinds import ROOM
from noughts.store.machine_store import Change, Conflict, Known, Stored, StoredRow
from noughts.store.sqlite.changes import LINES_LOADED, load_row, plain_row, players_text, store_change, store_plain
from noughts.store.sqlite.schema import CREATE, tables_of
from tests.support.commits import INDEX, LINE, answered, chat, new_room, next_version

IDS = answered(("p_ann", "c1", 2))
COMMAND = ("p_ann", "c1")


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        for statement in CREATE:
            db.execute(statement)
        yield db


@pytest.fixture
def room(db: sqlite3.Connection) -> StoredRow:
    """Store the room ``r1`` at version 1, and return it."""
    assert store_change(db, new_room()) == Stored(1)
    return StoredRow(1, b"one", b"", ())


def statements(db: sqlite3.Connection, change: Change) -> list[str]:
    """Carry out a change; return the first words of its statements."""
    texts: list[str] = []
    db.set_trace_callback(texts.append)
    assert isinstance(store_change(db, change), Stored)
    db.set_trace_callback(None)
    return [" ".join(text.split()[:3]) for text in texts]


def rows(db: sqlite3.Connection, table: str) -> list[Any]:
    return sorted(db.execute(f"SELECT * FROM {table}"))


# --- plain changes ----------------------------------------------------------------------------------------------------


def test_a_plain_change_is_one_row_of_parameters() -> None:
    change = next_version(2, command=COMMAND, command_ids=IDS)
    assert plain_row(change) == (2, b"more", IDS, "r1", 1)
    assert plain_row(next_version(2)) == (2, b"more", None, "r1", 1)


@pytest.mark.parametrize(
    "change",
    [
        new_room(),
        chat(1),
        next_version(2, index_entry=INDEX),
        next_version(2, records=((1, b"game"),)),
        next_version(2, line=LINE),
        next_version(2, closes=True),
        Change("r1", 1, 1, command=COMMAND, command_ids=IDS),
        Change("r1", 0, 1, data=b"one"),
    ],
    ids=["new", "chat", "index", "game", "line", "closes", "reaction", "without-index"],
)
def test_any_other_change_is_not_plain(change: Change) -> None:
    assert plain_row(change) is None


def test_plain_changes_are_stored_in_their_order(db: sqlite3.Connection, room: StoredRow) -> None:
    assert store_plain(db, [(2, b"two", IDS, "r1", 1), (3, b"three", None, "r1", 2)])
    assert load_row(db, tables_of(ROOM), "r1") == (3, b"three", IDS, ())


def test_a_plain_change_of_another_version_is_noticed(db: sqlite3.Connection, room: StoredRow) -> None:
    assert not store_plain(db, [(2, b"two", None, "r1", 1), (2, b"late", None, "r1", 1)])
    assert not store_plain(db, [(2, b"two", None, "unknown", 1)])


# --- one change -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fields", [{"data": None}, {"index_entry": None}])
def test_a_new_room_needs_data_and_an_index_entry(db: sqlite3.Connection, fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="a new value needs"):
        store_change(db, replace(new_room(), **fields))
    assert rows(db, "rooms") == []


def test_a_room_is_created_once(db: sqlite3.Connection, room: StoredRow) -> None:
    players = ("p_ben",)
    assert store_change(db, new_room(index_entry=INDEX._replace(players=players))) == Conflict(room)
    assert rows(db, "seated") == [("p_ann", "r1")]


def test_a_player_with_two_roles_is_seated_once(db: sqlite3.Connection) -> None:
    players = ("p_ben", "p_ann", "p_ben")
    store_change(db, new_room(index_entry=INDEX._replace(players=players)))
    assert rows(db, "seated") == [("p_ann", "r1"), ("p_ben", "r1")]
    assert players_text(players) == "p_ann p_ben"
    assert rows(db, "rooms")[0][-1] == "p_ann p_ben"


@pytest.mark.parametrize(
    "fields",
    [{}, {"index_entry": INDEX}, {"data": None, "line": LINE}, {"data": None}, {"closes": True}],
    ids=["plain", "index", "chat", "reaction", "closes"],
)
def test_another_version_is_a_conflict(db: sqlite3.Connection, room: StoredRow, fields: dict[str, Any]) -> None:
    before = list(db.iterdump())
    assert store_change(db, replace(next_version(3), **fields)) == Conflict(room)
    assert store_change(db, replace(next_version(2, "unknown"), **fields)) == Conflict(None)
    assert list(db.iterdump()) == before


@pytest.mark.parametrize("data", [b"more", None], ids=["change", "reaction"])
def test_a_known_command_is_not_carried_out_again(db: sqlite3.Connection, room: StoredRow, data: bytes | None) -> None:
    assert store_change(db, next_version(2, command=COMMAND, command_ids=IDS)) == Stored(2)
    before = list(db.iterdump())
    expected = 1 if data else 2  # a reaction leaves the version as it is, so it meets the version that it expects
    assert store_change(db, Change("r1", expected, 2, data=data, command=COMMAND, command_ids=b"other")) == Known(2)
    assert list(db.iterdump()) == before


def test_a_change_that_only_checks_writes_nothing(db: sqlite3.Connection, room: StoredRow) -> None:
    """It says whether a rejected command could have met the stored version, or is known."""
    store_change(db, next_version(2, command=COMMAND, command_ids=IDS))
    before = list(db.iterdump())
    stored = load_row(db, tables_of(ROOM), "r1")
    for expected, command, answer in (
        (2, ("p_ann", "c2"), Stored(2)),
        (2, COMMAND, Known(2)),
        (1, ("p_ann", "c2"), Conflict(stored)),
    ):
        assert store_change(db, Change("r1", expected, expected, command=command, checks=True)) == answer
    assert store_change(db, Change("unknown", 2, 2, command=COMMAND, checks=True)) == Conflict(None)
    assert list(db.iterdump()) == before


def test_a_change_of_the_deadline_is_one_statement(db: sqlite3.Connection, room: StoredRow) -> None:
    """It names no column of an index, so SQLite writes to none."""
    assert statements(db, next_version(2, index_entry=INDEX._replace(wake_at_ms=7))) == ["UPDATE rooms SET"]
    assert rows(db, "rooms")[0][4] == 7


@pytest.mark.parametrize("fields", [{"listing": "live"}, {"variant": "gomoku"}, {"players": ("p_ben",)}])
def test_an_index_entry_is_replaced_whole(db: sqlite3.Connection, room: StoredRow, fields: dict[str, Any]) -> None:
    index = INDEX._replace(**fields)
    names = statements(db, next_version(2, index_entry=index))
    assert names[:3] == ["UPDATE rooms SET", "UPDATE rooms SET", "DELETE FROM seated"]
    assert rows(db, "rooms") == [("r1", 2, b"more", b"", 1_000, index.listing, index.variant, *index.players)]
    assert rows(db, "seated") == [(*index.players, "r1")]


def test_chat_lines_are_numbered_from_1_in_each_room(db: sqlite3.Connection, room: StoredRow) -> None:
    store_change(db, new_room("r2"))
    assert [store_change(db, chat(1)) for _ in range(2)] == [Stored(1, 1), Stored(1, 2)]
    assert store_change(db, chat(1, "r2")) == Stored(1, 1)


def test_the_newest_lines_are_loaded_in_order(db: sqlite3.Connection, room: StoredRow) -> None:
    for _ in range(LINES_LOADED + 5):
        store_change(db, chat(1))
    stored = load_row(db, tables_of(ROOM), "r1")
    assert stored is not None
    assert [line.n for line in stored.lines] == list(range(6, LINES_LOADED + 6))
    assert load_row(db, tables_of(ROOM), "unknown") is None


def test_a_reaction_without_an_answered_id_writes_nothing(db: sqlite3.Connection, room: StoredRow) -> None:
    assert statements(db, Change("r1", 1, 1)) == ["SELECT answered FROM"]
    assert statements(db, Change("r1", 1, 1, command=COMMAND, command_ids=IDS)) == [
        "SELECT answered FROM",
        "UPDATE rooms SET",
    ]
    assert load_row(db, tables_of(ROOM), "r1") == (1, b"one", IDS, ())


def test_a_game_is_stored_with_its_change(db: sqlite3.Connection, room: StoredRow) -> None:
    store_change(db, next_version(2, records=((1, b"first"),)))
    store_change(db, next_version(3, records=((1, b"again"),), line=LINE))
    assert rows(db, "games") == [("r1", 1, b"again")]
    assert len(rows(db, "lines")) == 1
    assert store_change(db, next_version(3, records=((2, b"late"),))) != Stored(3)
    assert len(rows(db, "games")) == 1


def test_a_closed_room_leaves_no_row(db: sqlite3.Connection, room: StoredRow) -> None:
    store_change(db, new_room("r2"))
    for change in (
        next_version(2, records=((1, b"game"),), line=LINE),
        next_version(2, "r2", records=((1, b"game"),), line=LINE),
    ):
        store_change(db, change)
    assert store_change(db, Change("r1", 2, 3, closes=True)) == Stored(3)
    for table, column in (("rooms", "id"), ("seated", "room"), ("games", "room"), ("lines", "room")):
        assert db.execute(f"SELECT {column} FROM {table}").fetchall() == [("r2",)]
