"""Archives: the same records from each store, in both directions, and what keeps a broken copy from being used."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from noughts.room.downtime import Downtime
from noughts.store.address import store_address
from noughts.store.archive import Archive, ArchivedPlayer, ArchivedRest, ArchivedValue, CopyError, compare, copy
from noughts.store.contract import SchemaError, StoredPlayer, StoredToken, StoreUnavailableError, Subscription
from noughts.store.kinds import ROOM, Kind
from noughts.store.machine_store import IndexEntry, Line, StoredRow
from noughts.store.redis.archive import RedisArchive
from noughts.store.redis.backend import redis_backend
from noughts.store.sqlite.archive import SqliteArchive
from noughts.store.sqlite.database_file import back_up
from noughts.store.sqlite.inspection import check_file
from noughts.store.sqlite.schema import Schema, create_statements
from noughts.store.sqlite.store import SqliteStore
from tests.support.commits import answered
from tests.support.redis_server import RedisServer, redis_farm
from tests.support.statuses import STATUS
from tests.support.toy_machine import TOY, TOY_KINDS

SCHEMA = Schema(create=create_statements(TOY_KINDS))
LINES = tuple(Line(n, 10 * n, "p_ann", "X" if n % 2 else None, f"chat “{n}”", n) for n in range(51, 151))
IDS = answered(*(("p_ann", f"id{n:03}", n) for n in range(1, 81)), ("p_ben", "z", 3), ("p_ben", "a", 3))


def values(kind: str) -> list[ArchivedValue]:
    """Return values of a kind, with all that a value can have and with next to nothing."""
    entry = IndexEntry(1_800_000_000_123, "live", "classic", ("p_ann", "p_ben"))
    records = ((9, b"nine"), (10, b"\xfften"))
    return [
        ArchivedValue(kind, "r_new", StoredRow(90, b"\0" + kind.encode(), IDS, LINES), entry, records),
        ArchivedValue(kind, "r_a", StoredRow(1, b"open", b"", ()), IndexEntry(5, "open", "gomoku", ("p_ann",)), ()),
        ArchivedValue(kind, "r_m", StoredRow(2, b"alone", b"", ()), IndexEntry(6, None, "qubic", ()), ()),
    ]


VALUES = [value for kind in TOY_KINDS for value in values(kind.name)]
"""Values of every kind of this version, and of one that a later version may add. Their ids are the same in each kind."""
COUNTS = {kind.name: 3 for kind in TOY_KINDS}
PLAYERS = (
    ArchivedPlayer(
        StoredPlayer("p_ann", "Ann ☀", 1_800_000_000_000, True),
        (StoredToken(b"two", 0, 4), StoredToken(b"\0one", 5, 6)),
        (b"code", 1_900_000_000_000),
        None,
        (
            Subscription("https://push.example.org/2", "p_ann", "key", "auth", "", "https://games.example.org", 2, 1),
            Subscription("https://push.example.org/1", "p_ann", "key", "auth", "UTC", "https://games.example.org", 1),
        ),
    ),
    ArchivedPlayer(StoredPlayer("p_ben", "Ben", 7), (StoredToken(b"three", 8, 9),), None, b"\0identity"),
)
DOWNTIMES = (Downtime(10, 20), Downtime(30, 45))
BEAT_MS = 1_700_000_000_500
REST = ArchivedRest(("203.0.113.9",), DOWNTIMES, BEAT_MS, (("push", b"\0secret\xff"),))


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_farm(tmp_path_factory.mktemp("archive")) as farm:
        yield farm.server()


@pytest.fixture
async def archives(tmp_path: Path, redis: RedisServer) -> AsyncIterator[dict[str, Archive]]:
    """Return an empty archive of each kind."""
    redis.command("FLUSHALL")
    address = store_address(redis.url)
    assert not isinstance(address, Path)
    pair: dict[str, Archive] = {
        "file": SqliteArchive(tmp_path / "copy.db", SCHEMA, TOY_KINDS),
        "redis": RedisArchive(address, kinds=TOY_KINDS),
    }
    yield pair
    for archive in pair.values():
        await archive.close()


async def fill(archive: Archive) -> None:
    await archive.open()
    await archive.begin()
    for value in VALUES:
        await archive.put_value(value)
    for player in PLAYERS:
        await archive.put_player(player)
    await archive.put_rest(REST)
    await archive.complete()
    await archive.close()
    await archive.open()


@pytest.mark.parametrize(("source", "target"), [("file", "redis"), ("redis", "file")])
async def test_a_copy_holds_everything(archives: dict[str, Archive], source: str, target: str) -> None:
    await fill(archives[source])
    lines: list[str] = []
    await archives[target].open()
    assert await archives[target].is_empty()
    await archives[target].begin()
    assert await copy(archives[source], archives[target], lines.append) == (COUNTS, 2)
    await compare(archives[source], archives[target])
    await archives[target].complete()
    await archives[target].close()
    await archives[target].open()
    assert lines == ["  2 of 2 guests", *(f"  3 of 3 {kind.name}s" for kind in TOY_KINDS)]
    copied = archives[target]
    assert not await copied.is_empty()
    for kind in TOY_KINDS:
        assert list(await copied.ids(kind.name)) == ["r_new", "r_a", "r_m"]
        assert await copied.value(kind.name, "missing") is None
    for value in VALUES:
        assert value.same_as(await copied.value(value.kind, value.id))
    assert [await copied.player(id) for id in await copied.player_ids()] == list(PLAYERS)
    assert await copied.rest() == REST
    assert await copied.player("missing") is None
    assert not await copied.is_used()


@pytest.mark.parametrize("kind", ["file", "redis"])
async def test_time_since_the_last_beat_is_downtime(
    archives: dict[str, Archive], redis: RedisServer, tmp_path: Path, kind: str
) -> None:
    """It costs no player time that nobody served between a copy and the next start."""
    archive = archives[kind]
    await archive.open()
    await archive.begin()
    await archive.put_player(PLAYERS[0])
    await archive.put_rest(REST)
    await archive.complete()
    await archive.close()
    address = store_address(redis.url)
    assert not isinstance(address, Path)
    store = SqliteStore(tmp_path / "copy.db") if kind == "file" else redis_backend(address, "node").store
    await store.open()
    try:
        pulse = await store.beat(STATUS, BEAT_MS + 60_000)
    finally:
        await store.close()
    assert list(pulse.downtimes[:-1]) == list(DOWNTIMES)
    from_ms, until_ms = pulse.downtimes[-1]
    assert from_ms == BEAT_MS < until_ms <= pulse.now_ms


class BusyArchive(SqliteArchive):
    """An archive of a running server: values and a guest are deleted between the list of their ids and their reading."""

    async def ids(self, kind: str) -> Sequence[str]:
        return [*await super().ids(kind), "gone"]

    async def player_ids(self) -> Sequence[str]:
        return ["gone", *await super().player_ids()]


async def test_what_is_deleted_during_a_copy_is_left_out(archives: dict[str, Archive], tmp_path: Path) -> None:
    busy = BusyArchive(tmp_path / "busy.db", SCHEMA, TOY_KINDS)
    await fill(busy)
    await archives["redis"].open()
    await archives["redis"].begin()
    assert await copy(busy, archives["redis"], lambda line: None) == (COUNTS, 2)
    assert await archives["redis"].value(ROOM, "gone") is None
    assert not VALUES[0].same_as(await busy.value(ROOM, "gone"))
    await busy.close()


async def test_a_difference_is_found(archives: dict[str, Archive], redis: RedisServer) -> None:
    """Each kind of record is compared."""
    await fill(archives["file"])
    changes = [
        ("HSET", "{noughts}:room:r_new", "d", "other"),
        ("HSET", "{noughts}:games:r_new", "9", "other"),
        ("RPUSH", "{noughts}:ids:r_new", "p_ann\0more", "90"),
        ("ZADD", "{noughts}:wake", "7", "r_a"),
        ("ZREM", "{noughts}:created", "r_m"),
        ("HSET", "{noughts}:toy:value:r_new", "d", "other"),
        ("HSET", "{noughts}:toy:records:r_new", "9", "other"),
        ("HSET", "{noughts}:player:p_ben", "name", "Eve"),
        ("ZREM", "{noughts}:seen", "p_ben"),
        ("SREM", "{noughts}:bans", "203.0.113.9"),
        ("RPOP", "{noughts}:downtimes"),
        ("SET", "{noughts}:clock", "7"),
    ]
    await archives["redis"].open()
    for change in changes:
        await archives["redis"].begin()
        await copy(archives["file"], archives["redis"], lambda line: None)
        redis.command(*change)
        with pytest.raises(CopyError, match="copy again"):
            await compare(archives["file"], archives["redis"])


async def test_a_copy_that_was_broken_off_is_not_used(archives: dict[str, Archive], tmp_path: Path) -> None:
    """A file has no name yet, and a node refuses the schema in Redis. The next copy starts from nothing."""
    for archive in archives.values():
        await archive.open()
        await archive.begin()
        await archive.put_value(VALUES[-1])
        await archive.close()
        await archive.open()
        assert await archive.is_empty()
    assert not (tmp_path / "copy.db").exists()
    for archive in archives.values():
        await fill(archive)
        assert len(await archive.ids(ROOM)) == 3


async def test_another_schema_is_rejected(archives: dict[str, Archive], redis: RedisServer, tmp_path: Path) -> None:
    redis.command("SET", "{noughts}:schema", "99")
    with closing(sqlite3.connect(tmp_path / "copy.db")) as db:
        db.execute("PRAGMA user_version=99")
    for archive in archives.values():
        with pytest.raises(SchemaError, match=r"has schema 99|written by a newer version"):
            await archive.open()


async def test_a_closed_archive_is_unavailable(archives: dict[str, Archive]) -> None:
    for archive in archives.values():
        with pytest.raises(StoreUnavailableError):
            await archive.ids(ROOM)


@pytest.mark.parametrize("kind", TOY_KINDS, ids=lambda kind: kind.name)
async def test_a_value_from_a_copy_is_served(tmp_path: Path, redis: RedisServer, kind: Kind) -> None:
    """It is in its list, due at its time, one of its player's values, and has its records."""
    redis.command("FLUSHALL")
    address = store_address(redis.url)
    assert not isinstance(address, Path)
    filled = SqliteArchive(tmp_path / "file.db", SCHEMA, TOY_KINDS)
    await fill(filled)
    target = RedisArchive(address, kinds=TOY_KINDS)
    await target.open()
    await target.begin()
    await copy(filled, target, lambda line: None)
    await target.complete()
    for archive in (filled, target):
        await archive.close()
    for store in (SqliteStore(tmp_path / "file.db", kinds=TOY_KINDS), redis_backend(address, "node").store):
        machines = store.machines(kind.name)
        await store.open()
        try:
            await store.beat(STATUS, BEAT_MS)
            assert [row.id for row in await machines.listed("open", "gomoku", 9)] == ["r_a"]
            assert [row.id for row in await machines.newest(9)] == ["r_m", "r_a", "r_new"]
            assert sorted(await machines.ids_of("p_ann")) == ["r_a", "r_new"]
            assert {due.id for due in await machines.claim_due(10, 9, 1_000)} >= {"r_a", "r_m"}
            assert (await machines.count(), await machines.record("r_new", 10)) == (3, b"\xfften")
            assert await machines.load("r_new") == VALUES[0].stored._replace(data=b"\0" + kind.name.encode())
        finally:
            await store.close()


async def test_a_file_from_before_a_kind_has_none_of_it(tmp_path: Path) -> None:
    """The tables of a new kind are made when a server opens the file. A backup and a check may come before."""
    path = tmp_path / "before.db"
    store = SqliteStore(path)
    await store.open()
    await store.close()
    assert back_up(path, tmp_path / "copy.db", TOY_KINDS) == check_file(path, lambda line: None, TOY_KINDS).counts
    archive = SqliteArchive(path, SCHEMA, TOY_KINDS)
    await archive.open()
    assert (await archive.is_empty(), list(await archive.ids(TOY))) == (True, [])
    await archive.close()
