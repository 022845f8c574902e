"""The tables: made once, made again without harm, and found by the indexes that the queries need."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from noughts.store.sqlite.schema import create_statements


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        for statement in create_statements():
            db.execute(statement)
        yield db


def plan(db: sqlite3.Connection, sql: str) -> str:
    """Return how SQLite would run a query."""
    return " ".join(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {sql}"))


@pytest.mark.parametrize(
    ("sql", "index"),
    [
        ("SELECT id FROM rooms WHERE listing='open' ORDER BY rowid DESC LIMIT 10", "rooms_listed"),
        ("SELECT room FROM seated WHERE player='p_ann'", "PRIMARY KEY"),
        ("DELETE FROM seated WHERE room='r1'", "seated_room"),
        ("SELECT max(n) FROM lines WHERE room='r1'", "PRIMARY KEY"),
        ("SELECT data FROM games WHERE room='r1' AND number=1", "PRIMARY KEY"),
        ("SELECT id FROM players WHERE seen_ms<5", "players_seen"),
        ("DELETE FROM tokens WHERE player='p_ann'", "tokens_player"),
    ],
)
def test_no_frequent_query_scans_a_table(db: sqlite3.Connection, sql: str, index: str) -> None:
    steps = plan(db, sql)
    assert index in steps
    assert "SCAN" not in steps
