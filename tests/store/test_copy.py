"""Copies between stores in both directions: everything is there, and no server can use half of a copy."""

from __future__ import annotations

import resource
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from noughts.room.downtime import Downtime
from noughts.store.contract import (
    Life,
    SchemaError,
    Store,
    StoredPlayer,
    StoredToken,
    StoreUnavailableError,
    Subscription,
)
from noughts.store.copy import CopyError, copy
from noughts.store.kinds import Kind
from noughts.store.machine_store import Change, IndexEntry, Line, StoredRow, WholeRow
from noughts.store.redis.backend import redis_backend
from noughts.store.redis.copy_target import RedisCopyTarget
from noughts.store.sqlite.machines import SqliteMachines
from noughts.store.sqlite.store import SqliteStore, new_store
from tests.support.commits import answered, commit_all
from tests.support.ports import free_port
from tests.support.redis_server import RedisServer, redis_farm
from tests.support.redis_stores import address_of, connect
from tests.support.statuses import STATUS
from tests.support.toy_machine import TOY_KINDS

LINES = tuple(Line(n, 10 * n, "p_ann", "X" if n % 2 else None, f"chat “{n}”", n) for n in range(51, 151))
IDS = answered(*(("p_ann", f"id{n:03}", n) for n in range(1, 61)), ("p_ben", "z", 3), ("p_ben", "a", 3))
ENTRY = IndexEntry(1_800_000_000_123, "live", "classic", ("p_ann", "p_ben"), True)


def values(kind: str) -> list[WholeRow]:
    """Return values of a kind, with all that a value can have and with next to nothing."""
    return [
        WholeRow("r_new", StoredRow(90, b"\0" + kind.encode(), IDS, LINES), ENTRY, ((9, b"nine"), (10, b"\xfften"))),
        WholeRow("r_a", StoredRow(1, b"open", b"", ()), IndexEntry(5, "open", "gomoku", ("p_ann",)), ()),
        WholeRow("r_m", StoredRow(2, b"alone", b"", ()), IndexEntry(6, None, "qubic", ()), ()),
    ]


ANN = StoredPlayer("p_ann", "Ann ☀", 1_800_000_000_000, True)
BEN = StoredPlayer("p_ben", "Ben", 7)
TOKENS = {"p_ann": [StoredToken(b"two", 0, 4), StoredToken(b"\0one", 5, 6)], "p_ben": [StoredToken(b"three", 8, 9)]}
SUBSCRIPTIONS = [
    Subscription("https://push.example.org/2", "p_ann", "key", "auth", "", "https://games.example.org", 2, 1),
    Subscription("https://push.example.org/1", "p_ann", "key", "auth", "UTC", "https://games.example.org", 1),
]
LIFE = Life((Downtime(10, 20), Downtime(30, 45)), 1_700_000_000_500, (("push", b"\0secret\xff"),))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_farm(tmp_path_factory.mktemp("copies")) as farm:
        yield farm.server()


@pytest.fixture
def redis(server: RedisServer) -> RedisServer:
    server.command("FLUSHALL")
    return server


class Place:
    """Where a store is: a file, or Redis."""

    def __init__(self, address: Path | RedisServer) -> None:
        self._address = address

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Store]:
        """Open what is there as a server does."""
        store: Store
        if isinstance(self._address, Path):
            store = SqliteStore(self._address, kinds=TOY_KINDS)
        else:
            store = redis_backend(address_of(self._address), "one").store
        await connect(store)
        try:
            yield store
        finally:
            await store.close()

    def emptied(self) -> AbstractAsyncContextManager[Store]:
        """Begin a copy to it."""
        address = self._address
        return new_store(address, TOY_KINDS) if isinstance(address, Path) else emptied_redis(address)


@asynccontextmanager
async def emptied_redis(redis: RedisServer) -> AsyncIterator[Store]:
    target = RedisCopyTarget(address_of(redis), kinds=TOY_KINDS)
    async with target.connected() as connection, target.emptied(connection, "copy") as store:
        yield store


@pytest.fixture
def places(tmp_path: Path, redis: RedisServer) -> dict[str, Place]:
    return {"file": Place(tmp_path / "noughts.db"), "redis": Place(redis)}


async def fill(store: Store) -> None:
    """Store values of every kind, guests, bans, and what is known of earlier servers."""
    for kind in TOY_KINDS:
        machines, changes = store.machines(kind.name), []
        for id, row, entry, records in values(kind.name):
            ids, key = row.command_ids or None, kind.name
            changes.append(Change(id, 0, row.version, row.data, entry, command_ids=ids, records=records, kind=key))
            changes += [
                Change(id, row.version, row.version, line=line, kind=key, line_number=line.n) for line in row.lines
            ]
        await commit_all(machines, changes)
    await store.add_player(ANN, b"two")
    await store.add_token("p_ann", b"\0one", 5)
    await store.sign_on(b"\0identity", BEN, b"three", 8)
    for player in (ANN, BEN):
        for token in TOKENS[player.id]:
            await store.seen(player.id, token.seen_ms, token.hash)
        await store.seen(player.id, player.seen_ms)
    for subscription in reversed(SUBSCRIPTIONS):
        await store.subscribe(subscription)
    await store.ban("203.0.113.9")
    await store.put_life(LIFE)


async def check_whole(store: Store) -> None:
    """Everything that :func:`fill` stored is there, and can be found."""
    for kind in TOY_KINDS:
        machines = store.machines(kind.name)
        assert list(await machines.ids()) == ["r_new", "r_a", "r_m"]
        for row in values(kind.name):
            assert comparable(await machines.whole(row.id)) == comparable(row)
        assert await machines.whole("missing") is None
        assert [row.id for row in await machines.listed("open", "gomoku", 9)] == ["r_a"]
        assert [row.id for row in await machines.newest(9)] == ["r_m", "r_a", "r_new"]
        assert sorted(await machines.ids_of("p_ann")) == ["r_a", "r_new"]
        assert (await machines.count(), await machines.record("r_new", 10)) == (3, b"\xfften")
    assert [await store.player(id) for id in ("p_ann", "p_ben")] == [ANN, BEN]
    assert {id: list(await store.tokens(id)) for id in TOKENS} == TOKENS
    assert [await store.identity_hash(id) for id in TOKENS] == [None, b"\0identity"]
    assert list(await store.subscriptions("p_ann")) == SUBSCRIPTIONS
    assert list(await store.banned()) == ["203.0.113.9"]


def comparable(row: WholeRow | None) -> object:
    """Return a value to compare. Stores may keep answered ids in different orders."""
    assert row is not None
    stored = row.stored._replace(command_ids=b"")
    ids = row.stored.command_ids
    return row._replace(stored=stored), ids and msgspec.msgpack.decode(ids)


@pytest.mark.parametrize(
    ("source", "target"), [("file", "redis"), ("redis", "file"), ("file", "file"), ("redis", "redis")]
)
async def test_a_copy_holds_everything(places: dict[str, Place], tmp_path: Path, source: str, target: str) -> None:
    """The next chat line follows the last one, and the time since the last beat is downtime."""
    lines: list[str] = []
    async with places[source].emptied() as store:
        await fill(store)
    there = places[target] if source != target else Place(tmp_path / "through.db")
    async with places[source].opened() as store, there.emptied() as copied:
        await store.put_life(LIFE)  # a node in Redis has sent a beat meanwhile
        counts = await copy(store, copied, STATUS, lines.append, TOY_KINDS)
    assert str(counts) == "3 rooms, 3 tournaments, 3 toys, 2 guests"
    assert lines == ["  2 of 2 guests", *(f"  3 of 3 {kind.name}s" for kind in TOY_KINDS)]
    async with there.opened() as copied:
        await check_whole(copied)
        pulse = await copied.beat(STATUS, LIFE.beat_ms + 60_000)
        assert list(pulse.downtimes[:-1]) == list(LIFE.downtimes)
        from_ms, until_ms = pulse.downtimes[-1]
        assert from_ms == LIFE.beat_ms < until_ms <= pulse.now_ms
        assert (await copied.life()).secrets == LIFE.secrets
        (answer,) = await commit_all(copied, [Change("r_new", 90, 90, line=LINES[0]._replace(n=0))])
        assert getattr(answer, "line", answer) == 151


class BusyMachines(SqliteMachines):
    """The values of a running server: one is removed after the list of them was read."""

    async def ids(self) -> Sequence[str]:
        return [*await super().ids(), "gone"]


class ShortMachines(SqliteMachines):
    """A store that loses a value."""

    async def count(self, listing: str | None = None) -> int:
        return await super().count(listing) - 1


async def test_what_a_copy_lacks(places: dict[str, Place], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that was removed meanwhile may be missing. A value that was copied may not."""
    async with places["file"].emptied() as store:
        await fill(store)
    monkeypatch.setattr(SqliteStore, "machines", lambda self, kind: BusyMachines(self._writer, kind))
    async with places["file"].opened() as store, places["redis"].emptied() as copied:
        await copy(store, copied, STATUS, lambda line: None, TOY_KINDS)
    monkeypatch.setattr(SqliteStore, "machines", lambda self, kind: ShortMachines(self._writer, kind))
    with pytest.raises(CopyError, match=r"holds 2 rooms.* and not 3 rooms"):
        async with places["redis"].opened() as store, new_store(tmp_path / "short.db", TOY_KINDS) as copied:
            await copy(store, copied, STATUS, lambda line: None, TOY_KINDS)
    assert not (tmp_path / "short.db").exists()


@pytest.mark.parametrize("kind", ["file", "redis"])
async def test_a_copy_that_was_broken_off_is_not_used(places: dict[str, Place], tmp_path: Path, kind: str) -> None:
    """A file has no name yet, and a node refuses the schema in Redis. The next copy starts from nothing."""

    async def broken_off() -> None:
        async with places[kind].emptied() as store:
            await fill(store)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await broken_off()
    assert list(tmp_path.iterdir()) == []
    if kind == "redis":
        with pytest.raises(SchemaError, match="was interrupted"):
            async with places[kind].opened():
                pass
    async with places[kind].emptied() as store:
        assert (await store.player_count(), await store.count()) == (0, 0)
        await fill(store)
    async with places[kind].opened() as store:
        await check_whole(store)


async def test_a_full_disk_leaves_nothing_of_a_copy(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    async def fill_disk() -> None:
        async with new_store(tmp_path / "noughts.db") as store:
            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
            try:
                for number in range(5_000):
                    await store.add_player(StoredPlayer(f"p_{number}", "x" * 900, 1), b"%d" % number)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    with pytest.raises(StoreUnavailableError):
        await fill_disk()
    assert list(tmp_path.iterdir()) == []


async def test_what_is_in_redis_before_a_copy(redis: RedisServer) -> None:
    """Living nodes are seen, and all keys of this installation are deleted, more than Redis lists at a time."""
    fill = "for number = 1, 2000 do redis.call('SET', ARGV[1] .. number, 1) end"
    for prefix in ("{noughts}:room:", "{another}:room:"):
        redis.command("EVAL", fill, 0, prefix)
    redis.command("ZADD", "{noughts}:seen", "1", "p_ann")
    redis.command("HSET", "{noughts}:nodes", "old", "1")
    target = RedisCopyTarget(address_of(redis))
    async with target.connected() as connection:
        assert (await target.living_nodes(connection), await target.is_empty(connection)) == (set(), False)
        async with target.emptied(connection, "copy"):
            assert await target.living_nodes(connection) == {"copy"}
            assert redis.keys("{noughts}:room:*") == []
            assert len(redis.keys("{another}:*")) == 2_000
    redis.command("SET", "{noughts}:schema", "99")
    with pytest.raises(SchemaError, match="has schema 99"):
        async with target.connected():
            pass
    elsewhere = RedisCopyTarget(address_of(f"redis://127.0.0.1:{free_port()}"))
    with pytest.raises(StoreUnavailableError, match="cannot be reached"):
        async with elsewhere.connected():
            pass


@pytest.mark.parametrize("kind", TOY_KINDS, ids=lambda kind: kind.name)
async def test_a_value_of_a_copy_is_due(places: dict[str, Place], kind: Kind) -> None:
    for name in ("file", "redis"):
        async with places[name].emptied() as store:
            await fill(store)
        async with places[name].opened() as store:
            await store.beat(STATUS, LIFE.beat_ms)
            assert {due.id for due in await store.machines(kind.name).claim_due(10, 9, 1_000)} >= {"r_a", "r_m"}
