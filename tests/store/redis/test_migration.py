"""Older data in Redis become those of this program, whole or not at all, and the old data stay.

The schema after the present one is invented: it adds an exclamation mark to the bytes of each room.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest
from redis.exceptions import ResponseError

from noughts.store.backend import Backend
from noughts.store.contract import CommitAnswer, SchemaError, Stored, StoreUnavailableError, Unavailable
from noughts.store.redis.backend import linked_backend
from noughts.store.redis.link import RedisLink
from noughts.store.redis.migration import KEYS_AT_ONCE, backup_name
from noughts.store.redis.schema import SCHEMA_VERSION, OldData, Schema, Step
from tests.support.commits import commit, new_room, next_version
from tests.support.player import WAIT_S
from tests.support.redis_server import RedisFarm, RedisServer
from tests.support.redis_stores import RedisNodes, address_of, prefix_of, status_of

OLD: Final = SCHEMA_VERSION
NEW: Final = SCHEMA_VERSION + 1
BOOKKEEPING: Final = ("nodes", "statuses", "clock", "dead", "skew", "resumed", "downtimes", "downtime_count")
"""What the beats of nodes change."""


async def exclaim(data: OldData) -> None:
    """Upgrade each room."""
    keys = await data.keys("room:*")
    rooms = await data.carry_out([("HGET", key, "d") for key in keys])
    await data.carry_out([("HSET", key, "d", room + b"!") for key, room in zip(keys, rooms, strict=True)])


NEXT: Final = Schema(NEW, {OLD: exclaim})


def link(redis: RedisServer, directory: Path, schema: Schema, report: Any = lambda line: None) -> RedisLink:
    return RedisLink(address_of(redis), "new", prefix_of(directory), schema=schema, report=report)


@asynccontextmanager
async def opened(redis: RedisServer, directory: Path, schema: Schema = NEXT) -> AsyncIterator[Backend]:
    """Open a node whose program has another schema."""
    backend = linked_backend(link(redis, directory, schema))
    try:
        await backend.store.open()
        yield backend
    finally:
        await backend.store.close()


async def data_of(backend: Backend, room: str = "r1") -> bytes:
    stored = await backend.store.load(room)
    assert stored is not None
    return stored.data


@pytest.fixture
async def old(nodes: RedisNodes) -> Backend:
    """Open a node of the present release, with a room and its chat."""
    old = await nodes.node("old")
    await commit(old.store, new_room())
    return old


def contents(redis: RedisServer, prefix: str) -> dict[str, str]:
    """Return what all keys of an installation hold, by their names."""
    names = [key.removeprefix(prefix) for key in redis.keys(f"{prefix}*")]
    return {name: redis.command("DUMP", prefix + name) for name in names if name not in BOOKKEEPING}


async def test_a_newer_program_backs_up_then_upgrades(
    redis: RedisServer, tmp_path: Path, prefix: str, nodes: RedisNodes, old: Backend
) -> None:
    """The program of the old release goes on with the backup, under its prefix."""
    before = contents(redis, prefix)
    await old.store.close()
    lines: list[str] = []
    link_of_new = link(redis, tmp_path, NEXT, lines.append)
    new = linked_backend(link_of_new)
    await new.store.open()
    assert (await data_of(new)).count(b"!") == 1
    assert isinstance(await commit(new.store, next_version(2)), Stored)
    await new.store.close()
    assert redis.command("GET", f"{prefix}schema") == str(NEW)

    name = backup_name(prefix_of(tmp_path), OLD)
    assert contents(redis, f"{prefix[:-1]}schema{OLD}:") == before
    assert name in lines[0]
    assert lines[1:] == [f"The data in Redis are upgraded to schema {NEW}."]
    again = linked_backend(RedisLink(address_of(redis), "old", name))
    await again.store.open()
    assert b"!" not in await data_of(again)
    assert isinstance(await commit(again.store, next_version(2)), Stored)
    await again.store.close()
    async with opened(redis, tmp_path):  # what is upgraded is not upgraded again
        assert contents(redis, prefix)["schema"] != before["schema"]
    assert len(lines) == 2


async def test_an_older_program_rejects_newer_data(redis: RedisServer, tmp_path: Path, old: Backend) -> None:
    await old.store.close()
    async with opened(redis, tmp_path):
        pass
    with pytest.raises(SchemaError, match="newer version of Noughts"):
        await old.store.open()


async def test_nothing_is_upgraded_while_a_node_runs(
    redis: RedisServer, tmp_path: Path, prefix: str, old: Backend
) -> None:
    before = contents(redis, prefix)

    async def live() -> None:
        while True:
            await old.store.beat(status_of("old"), 0)
            await asyncio.sleep(0.2)

    task = asyncio.create_task(live())
    with pytest.raises(SchemaError, match=r"nodes of an older version.*stop all of these nodes"):
        async with opened(redis, tmp_path):
            pass
    task.cancel()
    await asyncio.wait([task])
    assert contents(redis, prefix) == before
    assert isinstance(await commit(old.store, next_version(2)), Stored)


async def test_the_late_writes_of_an_older_node_fail(
    redis: RedisServer, tmp_path: Path, prefix: str, old: Backend
) -> None:
    """It was frozen for longer than its lease and did not see the upgrade: neither changes nor beats are taken."""
    answers: list[CommitAnswer] = []

    async def write(data: OldData) -> None:
        answers.append(await commit(old.store, next_version(2)))

    redis.command("HSET", f"{prefix}nodes", "old", 1_000)
    async with opened(redis, tmp_path, Schema(NEW, {OLD: write})) as new:
        answers.append(await commit(old.store, next_version(2)))
        with pytest.raises(StoreUnavailableError, match="another schema"):
            await old.store.beat(status_of("old"), 0)
        answers.append(await commit(old.store, next_version(2)))
        assert [type(answer) for answer in answers] == [Unavailable] * 3
        assert await data_of(new) == new_room().data


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (ValueError("Invalid enum value 'secret'"), "the program raised ValueError"),
        (ResponseError("ERR no such command"), "Redis: ERR no such command"),
    ],
    ids=["data", "redis"],
)
async def test_a_step_that_fails_leaves_the_data(
    redis: RedisServer, tmp_path: Path, prefix: str, old: Backend, fault: Exception, reason: str
) -> None:
    """They are as they were, also those that it changed already, and the old program goes on. None is quoted."""

    async def fail(data: OldData) -> None:
        await exclaim(data)
        await data.call("SET", f"{data.prefix}invented", "1")
        raise fault

    before = contents(redis, prefix)
    await old.store.close()
    with pytest.raises(SchemaError) as caught:
        async with opened(redis, tmp_path, Schema(NEW, {OLD: fail})):
            pass
    sentence = f"The data in this Redis cannot be upgraded from schema 1: {reason}. They are unchanged."
    assert str(caught.value) == sentence
    assert contents(redis, prefix) == before
    await old.store.open()
    assert isinstance(await commit(old.store, next_version(2)), Stored)


async def test_an_interrupted_upgrade_begins_again(
    redis: RedisServer, tmp_path: Path, prefix: str, nodes: RedisNodes, old: Backend
) -> None:
    """Meanwhile no program uses the data. The next attempt starts from the backup: nothing is upgraded twice."""

    async def break_off(data: OldData) -> None:
        await exclaim(data)
        raise StoreUnavailableError("Redis was restarted")

    await old.store.close()
    with pytest.raises(StoreUnavailableError, match="was restarted"):
        async with opened(redis, tmp_path, Schema(NEW, {OLD: break_off})):
            pass
    with pytest.raises(SchemaError, match="newer version"):
        await old.store.open()
    with pytest.raises(StoreUnavailableError, match="another node upgrades the data in Redis now"):
        async with opened(redis, tmp_path):
            pass
    redis.command("DEL", f"{prefix}migrator")  # as after CLAIM_MS
    async with opened(redis, tmp_path) as new:
        assert (await data_of(new)).count(b"!") == 1


async def test_a_process_that_lost_its_claim_writes_nothing(
    redis: RedisServer, tmp_path: Path, prefix: str, old: Backend
) -> None:
    """It was frozen, and another one has taken up the upgrade."""

    async def freeze(data: OldData) -> None:
        redis.command("SET", f"{prefix}migrator", "another")
        await exclaim(data)

    before = contents(redis, prefix)
    await old.store.close()
    with pytest.raises(StoreUnavailableError, match="another node upgrades"):
        async with opened(redis, tmp_path, Schema(NEW, {OLD: freeze})):
            pass
    after = contents(redis, prefix)
    assert {name: after[name] for name in before if name != "schema"} == {
        name: value for name, value in before.items() if name != "schema"
    }


async def test_a_stale_backup_is_never_put_back(redis: RedisServer, tmp_path: Path, prefix: str, old: Backend) -> None:
    """One of an earlier upgrade from the same schema, whose data were in use again afterwards."""
    await old.store.close()
    redis.command("SET", f"{prefix[:-1]}schema{OLD}:schema", OLD)
    redis.command("SET", f"{prefix[:-1]}schema{OLD}:room:r1", "stale")
    async with opened(redis, tmp_path) as new:
        assert (await data_of(new)).count(b"!") == 1
    assert redis.command("TYPE", f"{prefix[:-1]}schema{OLD}:room:r1") == "hash"


async def test_an_upgrade_waits_for_the_replicas(farm: RedisFarm, tmp_path: Path, prefix: str) -> None:
    """A failover to one that does not have it would bring the old data back."""
    primary = farm.server()
    replica = farm.replica(primary)

    async def pause(data: OldData) -> None:
        await exclaim(data)
        replica.pause()

    address = address_of(primary)
    old = linked_backend(RedisLink(address, "old", prefix_of(tmp_path)))
    await old.store.open()
    await commit(old.store, new_room())
    await old.store.close()
    new = linked_backend(RedisLink(address, "new", prefix_of(tmp_path), replicas=1, schema=Schema(NEW, {OLD: pause})))

    async def opened_at_last() -> None:
        """Open the store. An attempt on a busy machine may fail, and the node tries again."""
        while True:
            with suppress(StoreUnavailableError):
                await new.store.open()
                return

    start = asyncio.ensure_future(opened_at_last())
    try:
        async with asyncio.timeout(WAIT_S):
            while primary.command("GET", f"{prefix}schema") != str(NEW):
                assert not start.done(), start
                await asyncio.wait([start], timeout=0.05)
        await asyncio.wait([start], timeout=1.5)
        assert not start.done()
        replica.resume()
        await start
        assert (await data_of(new)).count(b"!") == 1
    finally:
        await new.store.close()


async def test_memory_that_is_too_small_leaves_the_data(farm: RedisFarm, tmp_path: Path, prefix: str) -> None:
    redis = farm.server()
    redis.command("SET", f"{prefix}schema", OLD)
    before = contents(redis, prefix)
    redis.set("maxmemory", "3mb")
    redis.command("SET", f"{prefix}large", "x" * 1_000_000)
    with pytest.raises(SchemaError, match="no memory for a backup: set maxmemory to at least twice"):
        async with opened(redis, tmp_path):
            pass
    redis.command("DEL", f"{prefix}large")
    assert contents(redis, prefix) == before


async def test_commands_are_carried_out_together(redis: RedisServer, tmp_path: Path, prefix: str, old: Backend) -> None:
    """In order, in batches. After an error, those of the same batch are carried out."""
    answers: list[Any] = []
    count = 2 * KEYS_AT_ONCE + 1

    async def note(data: OldData) -> None:
        answers.extend(await data.carry_out([("INCR", f"{data.prefix}count")] * count))
        with pytest.raises(ResponseError, match=r"(?i)unknown"):
            await data.carry_out([("NONSENSE",), ("INCR", f"{data.prefix}count")])
        answers.append(await data.call("GET", f"{data.prefix}count"))

    await old.store.close()
    async with opened(redis, tmp_path, Schema(NEW, {OLD: note})):
        assert answers == [*range(1, count + 1), str(count + 1).encode()]


async def test_a_schema_without_a_step_is_rejected(
    redis: RedisServer, tmp_path: Path, prefix: str, old: Backend
) -> None:
    await old.store.close()
    before = contents(redis, prefix)
    with pytest.raises(SchemaError, match="have schema 1, and this version of Noughts cannot upgrade it"):
        async with opened(redis, tmp_path, Schema(NEW + 1, {OLD: exclaim})):
            pass
    assert contents(redis, prefix) == before


async def test_each_step_is_taken_once_and_in_order(
    redis: RedisServer, tmp_path: Path, prefix: str, old: Backend
) -> None:
    taken: list[int] = []

    def step(number: int) -> Step:
        async def note(data: OldData) -> None:
            taken.append(number)

        return note

    await old.store.close()
    async with opened(redis, tmp_path, Schema(OLD + 3, {number: step(number) for number in range(OLD, OLD + 3)})):
        assert taken == [OLD, OLD + 1, OLD + 2]
    assert redis.command("GET", f"{prefix}schema") == str(OLD + 3)


def test_a_backup_of_a_backup_has_a_name_too() -> None:
    assert backup_name("noughts", 1) == "noughts/schema1"
    assert backup_name("noughts/schema1", 1) == "noughts/schema1.schema1"
