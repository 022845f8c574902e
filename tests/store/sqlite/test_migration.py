"""The file of schema 1 becomes one of the present schema, whole or not at all, and a copy of it stays."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from noughts.room.downtime import Downtime
from noughts.room.idempotency import IdempotencyKeys
from noughts.store.contract import Conflict, Known, Line, SchemaError, Stored, StoredPlayer, StoreUnavailableError
from noughts.store.sqlite.database_file import DatabaseFile
from noughts.store.sqlite.migration import ROOMS_PER_REPORT, Migration
from noughts.store.sqlite.schema import SCHEMA_VERSION
from noughts.store.sqlite.store import SqliteStore
from tests.support.commits import INDEX, chat, commit, next_version
from tests.support.statuses import STATUS

SCHEMA_1 = """
    CREATE TABLE rooms(
        id TEXT PRIMARY KEY,
        version INTEGER NOT NULL,
        data BLOB NOT NULL,
        wake_at_ms INTEGER,
        listing TEXT,
        variant TEXT NOT NULL);
    CREATE INDEX rooms_listed ON rooms(listing) WHERE listing IS NOT NULL;
    CREATE TABLE seated(
        player TEXT NOT NULL,
        room TEXT NOT NULL,
        PRIMARY KEY(player, room)) WITHOUT ROWID;
    CREATE INDEX seated_room ON seated(room);
    CREATE TABLE games(
        room TEXT NOT NULL,
        number INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY(room, number)) WITHOUT ROWID;
    CREATE TABLE answered(
        room TEXT NOT NULL,
        player TEXT NOT NULL,
        id TEXT NOT NULL,
        version INTEGER NOT NULL,
        PRIMARY KEY(room, player, id));
    CREATE TABLE lines(
        room TEXT NOT NULL,
        n INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        player TEXT NOT NULL,
        mark TEXT,
        text TEXT NOT NULL,
        ply INTEGER NOT NULL,
        PRIMARY KEY(room, n)) WITHOUT ROWID;
    CREATE TABLE players(id TEXT PRIMARY KEY, name TEXT NOT NULL, seen_ms INTEGER NOT NULL);
    CREATE INDEX players_seen ON players(seen_ms);
    CREATE TABLE tokens(hash BLOB PRIMARY KEY, player TEXT NOT NULL) WITHOUT ROWID;
    CREATE INDEX tokens_player ON tokens(player);
    CREATE TABLE resume_codes(
        hash BLOB PRIMARY KEY,
        player TEXT NOT NULL,
        expires_ms INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE alive(one INTEGER PRIMARY KEY CHECK(one=1), at_ms INTEGER NOT NULL);
    CREATE TABLE bans(address TEXT PRIMARY KEY) WITHOUT ROWID;

    INSERT INTO rooms VALUES
        ('z_old', 7, x'01', 1000, 'open', 'classic'), ('a_new', 3, x'02', NULL, NULL, 'misere'),
        ('m_gone', 1, x'03', 5, 'live', 'classic'), ('b_newest', 9, x'04', 2000, 'open', 'misere');
    DELETE FROM rooms WHERE id='m_gone';
    INSERT INTO seated VALUES ('p_ben', 'z_old'), ('p_ann', 'z_old'), ('p_cat', 'a_new');
    INSERT INTO games VALUES ('z_old', 1, x'0a'), ('z_old', 2, x'0b');
    INSERT INTO answered VALUES
        ('z_old', 'p_ben', 'z', 5), ('a_new', 'p_cat', 'c', 3), ('z_old', 'p_ann', 'a', 6), ('z_old', 'p_ben', 'a', 7);
    INSERT INTO lines VALUES ('z_old', 1, 10, 'p_ann', 'X', 'hello', 0), ('z_old', 2, 20, 'p_ben', NULL, 'hi', 1);
    INSERT INTO players VALUES ('p_ann', 'Ann', 100);
    INSERT INTO tokens VALUES (x'aa', 'p_ann');
    INSERT INTO resume_codes VALUES (x'bb', 'p_ann', 9000);
    INSERT INTO alive VALUES (1, 1234);
    INSERT INTO bans VALUES ('203.0.113.9');
    PRAGMA user_version=1;
"""

MIGRATION = Migration(lambda data: b"room " + data, lambda data: b"game " + data)


SCHEMA_2_PLAYERS = """
    DROP INDEX players_seen;
    DROP TABLE players;
    CREATE TABLE players(id TEXT PRIMARY KEY, name TEXT NOT NULL, seen_ms INTEGER NOT NULL);
    CREATE INDEX players_seen ON players(seen_ms);
    INSERT INTO players VALUES ('p_ben', 'Ben', 100), ('p_ann', 'Ann', 200);
    INSERT INTO tokens VALUES (x'bb', 'p_ben'), (x'aa', 'p_ann');
    PRAGMA user_version=2;
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file of schema 1, whose newest writes are still in its log."""
    path = tmp_path / "noughts.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.executescript(SCHEMA_1)
    path.chmod(0o600)
    return path


def contents(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return [f"version {db.execute('PRAGMA user_version').fetchone()[0]}", *db.iterdump()]


async def test_everything_is_there_after_the_upgrade(path: Path) -> None:
    store = SqliteStore(path, MIGRATION)
    await store.open()
    room = await store.load("z_old")
    assert room is not None
    assert (room.version, room.data) == (7, b"room \x01")
    assert room.lines == (Line(1, 10, "p_ann", "X", "hello", 0), Line(2, 20, "p_ben", None, "hi", 1))
    ids = IdempotencyKeys.decoded(room.answered)
    assert [ids.version(("p_ben", "z")), ids.version(("p_ann", "a")), ids.version(("p_ben", "a"))] == [5, 6, 7]
    assert ids.version(("p_cat", "c")) is None
    assert await store.game("z_old", 1) == b"game \x0a"
    assert await store.game("z_old", 2) == b"game \x0b"
    newest = [row[:2] for row in await store.newest(10)]
    assert newest == [
        ("b_newest", b"room \x04"),
        ("a_new", b"room \x02"),
        ("z_old", b"room \x01"),
    ]
    assert [row[:2] for row in await store.listed("open", None, 10)] == [
        ("b_newest", b"room \x04"),
        ("z_old", b"room \x01"),
    ]
    assert await store.rooms_of("p_ann") == ["z_old"]
    assert await store.player_by_token(b"\xaa") == StoredPlayer("p_ann", "Ann", 100)
    assert await store.take_resume_code(b"\xbb", 0) == "p_ann"
    assert (await store.beat(STATUS, 2_000)).downtimes == (Downtime(1234, 2_000),)
    assert await store.banned() == ["203.0.113.9"]
    await store.close()


async def test_an_upgraded_room_goes_on(path: Path) -> None:
    """Its commands are known, its version counts, its chat is numbered on, and its players are found."""
    store = SqliteStore(path, MIGRATION)
    await store.open()
    assert await commit(store, next_version(2, "z_old", command=("p_ann", "a"))) == Known(6)
    assert isinstance(await commit(store, next_version(7, "z_old")), Conflict)
    index = INDEX._replace(wake_at_ms=77, players=("p_ann", "p_ben"))
    assert await commit(store, next_version(8, "z_old", index_entry=index)) == Stored(8)
    assert await commit(store, chat(8, "z_old")) == Stored(8, 3)
    assert sorted(await store.deadlines()) == [("a_new", 0), ("b_newest", 2000), ("z_old", 77)]
    assert await store.rooms_of("p_ben") == ["z_old"]
    await store.close()


async def test_an_upgraded_file_has_the_tables_of_a_new_one(path: Path, tmp_path: Path) -> None:
    def tables(path: Path) -> list[tuple[str, str]]:
        with closing(sqlite3.connect(path)) as db:
            return db.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()

    DatabaseFile(path, MIGRATION).connect().close()
    DatabaseFile(tmp_path / "new.db").connect().close()
    assert tables(path) == tables(tmp_path / "new.db")
    assert contents(path)[0] == f"version {SCHEMA_VERSION}"


async def test_the_players_of_schema_2_are_no_bots(tmp_path: Path) -> None:
    """Their file is copied, their tokens stay theirs, and a bot may join them."""
    path = tmp_path / "noughts.db"
    DatabaseFile(path).connect().close()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executescript(SCHEMA_2_PLAYERS)
    before = contents(path)
    store = SqliteStore(path, MIGRATION)
    await store.open()
    assert await store.player_by_token(b"\xaa") == StoredPlayer("p_ann", "Ann", 200)
    assert await store.player_by_token(b"\xbb") == StoredPlayer("p_ben", "Ben", 100)
    await store.add_player(StoredPlayer("p_bot", "Robin", 300, bot=True), b"\xcc")
    assert await store.player("p_bot") == StoredPlayer("p_bot", "Robin", 300, bot=True)
    await store.close()
    assert contents(path.with_name("noughts.db.schema2")) == before
    assert contents(path)[0] == f"version {SCHEMA_VERSION}"


def test_a_copy_of_the_old_file_stays(path: Path) -> None:
    before = contents(path)
    DatabaseFile(path, MIGRATION).connect().close()
    backup = path.with_name("noughts.db.schema1")
    assert contents(backup) == before
    assert backup.stat().st_mode & 0o777 == 0o600
    assert contents(path) != before
    assert [entry.name for entry in path.parent.iterdir() if "partial" in entry.name] == []


def test_the_copy_is_made_before_anything_is_changed(path: Path) -> None:
    """A process that is killed in the middle leaves the old file, and perhaps a copy that is not whole."""
    before = contents(path)
    path.with_name("noughts.db.schema1.partial").write_text("a copy that was broken off")
    backups: list[list[str]] = []

    def upgrade_room(data: bytes) -> bytes:
        backups.append(contents(path.with_name("noughts.db.schema1")))
        return data

    DatabaseFile(path, Migration(upgrade_room, lambda data: data)).connect().close()
    assert backups == [before] * 3


@pytest.mark.parametrize("subject", ["room a_new", "game 2 of room z_old"])
def test_data_that_cannot_be_upgraded_is_left_alone(path: Path, subject: str) -> None:
    """The error names the room or the game, and quotes nothing of it."""

    def upgrade(data: bytes) -> bytes:
        if data == {"room a_new": b"\x02"}.get(subject, b"\x0b"):
            raise ValueError("Invalid enum value 'secret'")
        return data

    before = contents(path)
    with pytest.raises(SchemaError) as caught:
        DatabaseFile(path, Migration(upgrade, upgrade)).connect()
    reason = "its bytes cannot be read (ValueError)"
    assert str(caught.value) == f"{subject} in {path} cannot be upgraded: {reason}. The file is unchanged."
    assert caught.value.__suppress_context__
    assert contents(path) == before
    DatabaseFile(path, MIGRATION).connect().close()


def test_without_a_migration_an_older_file_is_rejected(path: Path) -> None:
    before = contents(path)
    with pytest.raises(SchemaError, match="written by an older version of Noughts"):
        DatabaseFile(path).connect()
    assert contents(path) == before


def test_a_copy_that_fails_leaves_the_file_alone(path: Path) -> None:
    before = contents(path)
    path.with_name("noughts.db.schema1").mkdir()
    with pytest.raises(StoreUnavailableError, match="cannot be used"):
        DatabaseFile(path, MIGRATION).connect()
    assert contents(path) == before


def test_progress_is_reported(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        rows = [(f"room{n}",) for n in range(2 * ROOMS_PER_REPORT)]
        db.executemany("INSERT INTO rooms VALUES(?, 1, x'00', 1, NULL, 'classic')", rows)
        db.commit()
    lines: list[str] = []
    DatabaseFile(path, MIGRATION._replace(report=lines.append)).connect().close()
    assert "noughts.db.schema1" in lines[0]
    assert lines[1:3] == ["1000 rooms are upgraded.", "2000 rooms are upgraded."]
    assert lines[-1].endswith("noughts.db is upgraded: 2003 rooms.")
    DatabaseFile(path, MIGRATION._replace(report=lines.append)).connect().close()
    assert len(lines) == 4
