"""A machine that is no room, over both stores: the mechanism knows only what the machine tells it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from noughts.app.machines.actor_states import IllegalInputError
from noughts.app.machines.replies import RETRY_MS
from noughts.errors import Rejection
from noughts.store.backend import Backend
from noughts.store.contract import Store
from noughts.store.machine_store import Change, Stored
from noughts.store.redis.backend import linked_backend
from noughts.store.redis.link import RedisLink
from noughts.store.sqlite.store import SqliteStore
from tests.support.commits import commit, new_room
from tests.support.manual_clock import ManualClock
from tests.support.redis_server import RedisServer, redis_farm, redis_program
from tests.support.redis_stores import address_of, connect, prefix_of, status_of
from tests.support.toy_machine import (
    RING,
    TOY,
    TOY_KINDS,
    Add,
    Remove,
    Screen,
    SetAlarm,
    Toy,
    ToyNode,
    ToyOnNode,
    counts,
)
from tests.support.waiting import until

OpenNode = Callable[[], Awaitable[ToyNode]]
"""Opens one more node on the same data. Of a file, it is the next process."""


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_farm(tmp_path_factory.mktemp("redis")) as farm:
        yield farm.server(redis_program())


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(params=["file", "redis"])
async def open_node(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> AsyncIterator[OpenNode]:
    stores: list[Store] = []
    listening: list[asyncio.Task[None]] = []

    async def hear(backend: Backend, node: ToyNode) -> None:
        while True:
            message = await backend.relay.received()
            if isinstance(message, Change) and message.kind == TOY:
                node.registry.changed_elsewhere(message)

    async def open_() -> ToyNode:
        if request.param == "file":
            for store in stores:
                await store.close()
            stores.clear()
            file = SqliteStore(tmp_path / "noughts.db", kinds=TOY_KINDS)
            stores.append(file)
            await file.open()
            return ToyNode(file.machines(TOY), clock)
        name = f"node-{len(stores)}"
        link = RedisLink(address_of(request.getfixturevalue("redis")), name, prefix_of(tmp_path))
        backend = linked_backend(link)
        toys = backend.store.machines(TOY)
        stores.append(backend.store)
        await connect(backend.store)
        await backend.store.beat(status_of(name), 0)
        node = ToyNode(toys, clock)
        listening.append(asyncio.create_task(hear(backend, node)))
        return node

    yield open_
    for task in listening:
        task.cancel()
    for store in stores:
        await store.close()


@pytest.fixture
async def node(open_node: OpenNode) -> ToyNode:
    return await open_node()


async def beside(open_node: OpenNode, node: ToyNode, clock: ManualClock) -> ToyNode:
    """Return a node that works beside another. Of a file there is only one, so both use one store there."""
    if node.store.shared:
        return await open_node()
    return ToyNode(node.store, clock)


async def two_actors(node: ToyNode, other: ToyNode) -> tuple[ToyOnNode, ToyOnNode]:
    """Make a counter, and hold it on two nodes."""
    return await node.registry.create(Toy("t1")), await other.registry.open("t1")


# --- step, commit, publish --------------------------------------------------------------------------------------------


async def test_a_stored_change_is_shown_to_each_with_a_part_of_its_own(node: ToyNode) -> None:
    actor = await node.registry.create(Toy("t1"))
    screens = [Screen("ann"), Screen("ben")]
    for screen in screens:
        actor.join(screen)  # type: ignore[arg-type]
    assert await actor.tell(Add(2), ("p_ann", "one")) == 2
    shown = [screen.messages for screen in screens]
    assert shown == [[{"version": 2, "count": 2, "you": [name]}] for name in ("ann", "ben")]
    with pytest.raises(Rejection, match="forbidden"):
        await actor.tell(Add(-1), ("p_ann", "two"))
    assert (await node.registry.read("t1")).count == 2


async def test_an_id_is_taken_once(node: ToyNode) -> None:
    await node.registry.create(Toy("t1"))
    with pytest.raises(Rejection, match="conflict"):
        await node.registry.create(Toy("t1"))


async def test_an_unknown_value_is_rejected_in_its_own_words(node: ToyNode) -> None:
    for read in (node.registry.open, node.registry.read):
        with pytest.raises(Rejection, match="not_found"):
            await read("nowhere")


async def test_two_nodes_change_one_value(open_node: OpenNode, node: ToyNode, clock: ManualClock) -> None:
    """The second node steps again from what is stored. Neither change is lost, and both are shown."""
    other = await beside(open_node, node, clock)
    actors = await two_actors(node, other)
    screen = Screen("ann")
    actors[1].join(screen)  # type: ignore[arg-type]
    await asyncio.gather(*[actor.tell(Add(10**n), ("p_ann", f"{n}")) for n, actor in enumerate(actors)])
    await until(lambda: screen.messages[-1]["version"] == 3)
    assert counts([screen])[0][-1] == 11
    stored = await node.repository.load("t1")
    assert stored is not None
    assert (stored.version, stored.count) == (3, 11)


async def test_a_known_id_has_no_second_effect(open_node: OpenNode, node: ToyNode, clock: ManualClock) -> None:
    """On whatever node it is sent again."""
    other = await beside(open_node, node, clock)
    actors = await two_actors(node, other)
    for actor in (*actors, *actors):
        assert await actor.tell(Add(1), ("p_ann", "one")) == 2
    stored = await node.repository.load("t1")
    assert stored is not None
    assert stored.count == 1


async def test_an_unknown_outcome_is_read_again(node: ToyNode, clock: ManualClock) -> None:
    actor = await node.registry.create(Toy("t1"))
    screen = Screen("ann")
    actor.join(screen)  # type: ignore[arg-type]
    node.store.loses_answers = True
    with pytest.raises(Rejection, match="unavailable"):
        await actor.tell(Add(5), ("p_ann", "one"))
    assert (screen.messages, node.state.downtime.on) == ([], True)
    node.store.loses_answers = False
    node.state.downtime.discard()
    clock.ms += RETRY_MS
    await node.wake_due()
    assert counts([screen]) == [[5]]
    assert await actor.tell(Add(5), ("p_ann", "one")) == 2


async def test_an_illegal_input_changes_nothing(node: ToyNode) -> None:
    actor = await node.registry.create(Toy("t1"))
    with pytest.raises(IllegalInputError, match="stored while ready"):
        actor.commit_answered(Change("t1", 1, 2, kind=TOY), Stored(2))
    assert (actor.busy, actor.closed, actor.value) == (False, False, Toy("t1"))
    assert await actor.tell(Add(1)) == 2


# --- records ------------------------------------------------------------------------------------------------------------


async def test_a_record_is_stored_with_the_change(node: ToyNode, clock: ManualClock) -> None:
    """All of them stay, and a change that conflicts leaves none."""
    actor = await node.registry.create(Toy("t1"))
    for number in range(1, 121):
        await actor.tell(SetAlarm(number))
        await actor.tell(Add(1))
        clock.ms += 1
    assert [await node.repository.store.record("t1", number) for number in (1, 120, 121)] == [
        b"rang at 1", b"rang at 120", None,
    ]  # fmt: skip
    late = Change("t1", 1, 2, b"late", records=((500, b"late"),), kind=TOY)
    assert not isinstance(await commit(node.store, late), Stored)
    assert await node.repository.store.record("t1", 500) is None


# --- wake ---------------------------------------------------------------------------------------------------------------


async def test_a_value_is_woken_at_its_time(node: ToyNode, clock: ManualClock) -> None:
    actor = await node.registry.create(Toy("t1"))
    await actor.tell(SetAlarm(clock.ms + 1_000))
    assert node.state.running_clocks == {"t1"}
    clock.ms += 999
    await node.wake_due()
    assert (actor.value.rung, node.attended) == (0, [])
    clock.ms += 1
    await node.wake_due()
    assert (actor.value.count, actor.value.rung, node.attended) == (RING, 1, ["t1"])
    assert node.state.running_clocks == set()


async def test_a_value_that_no_node_holds_is_woken_by_one(
    open_node: OpenNode, node: ToyNode, clock: ManualClock
) -> None:
    """After a restart too: its deadline is in the store."""
    actor = await node.registry.create(Toy("t1"))
    await actor.tell(SetAlarm(clock.ms + 1_000))
    for _ in range(2):
        node.registry.drop_unattended()
    clock.ms += 1_000
    other = await open_node()
    nodes = [other, node] if node.store.shared else [other]
    for each in nodes:
        await each.scheduler.claim_due()
        await each.idle()
    assert sum(len(each.attended) for each in nodes) == 1
    toy = await other.registry.read("t1")
    assert (toy.rung, await other.repository.store.record("t1", 1)) == (1, b"rang at %d" % clock.ms)


async def test_an_alarm_soon_after_a_restart_rings_in_time(
    open_node: OpenNode, node: ToyNode, clock: ManualClock
) -> None:
    """The next process learns of it before it is due, and of no alarm that is far away."""
    for id, in_ms in (("soon", 30_000), ("far", 86_400_000)):
        await (await node.registry.create(Toy(id))).tell(SetAlarm(clock.ms + in_ms))
    if node.store.shared:
        pytest.skip("nodes of a shared store claim what is due")
    other = await open_node()
    await other.scheduler.learn_clocks()
    await other.scheduler.claim_due()
    await other.scheduler.claim_due()
    assert (other.wakes.at_ms.get("soon"), other.wakes.at_ms.get("far")) == (clock.ms + 30_000, None)
    assert (other.state.time_runs, other.state.running_clocks) == (True, set())
    assert len(other.registry) == 0
    clock.ms += 30_000
    await other.wake_due()
    assert (await other.registry.read("soon")).rung == 1


async def test_a_value_that_waits_long_is_only_a_row(open_node: OpenNode, node: ToyNode, clock: ManualClock) -> None:
    """The node drops it, measures downtime for it, and rings in time. What is soon or has a connection stays."""
    if node.store.shared:
        pytest.skip("a node of a shared store holds what has connections")
    for id, in_ms in (("soon", 60_000), ("far", 86_400_000), ("seen", 86_400_000)):
        await (await node.registry.create(Toy(id))).tell(SetAlarm(clock.ms + in_ms))
    node.registry.held("seen").join(Screen("ann"))  # type: ignore[union-attr, arg-type]
    await node.scheduler.release_waiting()
    assert [node.registry.held(id) is not None for id in ("soon", "far", "seen")] == [True, False, True]
    assert (node.wakes.at_ms.get("far"), node.state.running_clocks) == (None, {"soon", "seen"})
    clock.ms += 86_400_000 - 60_000
    await node.wake_due()
    await node.scheduler.claim_due()
    assert (len(node.registry), node.wakes.at_ms.get("far")) == (2, clock.ms + 60_000)
    clock.ms += 60_000
    await node.wake_due()
    assert ((await node.registry.read("far")).rung, node.state.time_runs) == (1, True)
    await node.scheduler.release_waiting()
    assert not node.state.time_runs


async def test_a_store_at_rest_is_not_written_to(tmp_path: Path, clock: ManualClock) -> None:
    """A server that polls and finds nothing leaves the file as it is."""
    store = SqliteStore(tmp_path / "noughts.db", kinds=TOY_KINDS)
    await store.open()
    node = ToyNode(store.machines(TOY), clock)
    await (await node.registry.create(Toy("t1"))).tell(SetAlarm(clock.ms + 86_400_000))
    log = tmp_path / "noughts.db-wal"
    size, written = log.stat().st_size, log.stat().st_mtime_ns
    for _ in range(20):
        assert not await node.scheduler.claim_due()
        clock.ms += 1_000
    assert (log.stat().st_size, log.stat().st_mtime_ns) == (size, written)
    with closing(sqlite3.connect(tmp_path / "noughts.db")) as db:
        sql = "SELECT id FROM toys WHERE (wake_at_ms, rowid)>(0, 0) AND wake_at_ms<=9 ORDER BY wake_at_ms, rowid"
        plan = " ".join(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {sql}"))
    assert "USING INDEX toys_due" in plan
    assert "TEMP B-TREE" not in plan
    await store.close()


# --- the end ------------------------------------------------------------------------------------------------------------


async def test_a_removed_value_is_gone_on_every_node(open_node: OpenNode, node: ToyNode, clock: ManualClock) -> None:
    other = await beside(open_node, node, clock)
    one, two = await two_actors(node, other)
    for actor in (one, two):
        actor.join(Screen("ann"))  # type: ignore[arg-type]
    await one.tell(SetAlarm(clock.ms))
    await one.tell(Remove(), ("p_ann", "end"))
    with pytest.raises(Rejection, match="not_found"):
        await two.tell(Add(1), ("p_ann", "late"))
    assert (one.closed, two.closed) == (True, True)
    assert await node.repository.load("t1") is None
    assert await node.repository.store.record("t1", 1) is None


async def test_kinds_do_not_meet(tmp_path: Path, clock: ManualClock) -> None:
    """A room and a toy of one id are two values."""
    store = SqliteStore(tmp_path / "noughts.db", kinds=TOY_KINDS)
    await store.open()
    toys = store.machines(TOY)
    await commit(store, new_room("same", data=b"a room"))
    await ToyNode(toys, clock).registry.create(Toy("same"))
    room, toy = await store.load("same"), await toys.load("same")
    assert room is not None
    assert toy is not None
    assert (room.data, toy.data != room.data) == (b"a room", True)
    assert [await rows.count() for rows in (store, toys)] == [1, 1]
    await store.close()
