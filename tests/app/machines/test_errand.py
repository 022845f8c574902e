"""Work outside a step, at the counters of the toy machine: once, one at a time, retried, and called off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from noughts.app.machines.errand import Errand, Postponed
from noughts.app.machines.replies import RETRY_MS
from noughts.errors import Rejection
from noughts.store.sqlite.store import SqliteStore
from tests.support.manual_clock import ManualClock
from tests.support.toy_machine import TOY, TOY_KINDS, Add, Remove, Toy, ToyNode, ToyOnNode

ODD_MS = 500


class Evening(Errand[ToyOnNode, Toy, int]):
    """Makes odd counts even. A test answers each question that is asked."""

    def __init__(self, node: ToyNode) -> None:
        super().__init__(node.state, node.tasks)
        self.asked: list[asyncio.Future[Any]] = []
        self.lost: list[str] = []

    def concerns(self, value: Toy) -> bool:
        return True

    def due_at_ms(self, actor: ToyOnNode) -> int | None:
        return ODD_MS if actor.value.count % 2 else None

    def about(self, actor: ToyOnNode) -> int:
        return actor.value.count

    def wanted_by(self, value: Toy, about: int) -> bool:
        return value.count == about and not value.closed

    async def answer(self, actor: ToyOnNode, about: int) -> Add:
        question: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.asked.append(question)
        answer = await question
        if isinstance(answer, Exception):
            raise answer
        return Add(1)

    def note_lost(self, error: BaseException) -> None:
        self.lost.append(type(error).__name__)


class Asking(ToyOnNode):
    """A counter that asks for an errand."""

    def __init__(self, errands: list[Evening], *parts: Any) -> None:
        self.errands = errands
        super().__init__(*parts)

    def wake_at_ms(self) -> int | None:
        return next((errand.next_ms(self) for errand in self.errands), None)

    def publish(self, after: Toy, events: tuple[str, ...], line: Any) -> Toy:
        for errand in self.errands:
            errand.settle(self, after)
        return super().publish(after, events, line)


class World:
    """A node with one counter, which is odd."""

    def __init__(self, node: ToyNode, errand: Evening, actor: Asking) -> None:
        self.node, self.errand, self.actor = node, errand, actor

    async def start(self) -> None:
        """Start what is due, and let it ask."""
        self.errand.start_due(self.actor)
        await self.node.idle()

    async def answer(self, answer: object) -> None:
        self.errand.asked[-1].set_result(answer)
        await self.node.idle()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    store = SqliteStore(tmp_path / "noughts.db", kinds=TOY_KINDS)
    await store.open()
    errands: list[Evening] = []
    node = ToyNode(store.machines(TOY), ManualClock(), partial(Asking, errands))
    errands.append(Evening(node))
    actor = await node.registry.create(Toy("t1", count=1))
    assert isinstance(actor, Asking)
    yield World(node, errands[0], actor)
    await node.tasks.stop(0.0)
    await store.close()


async def test_work_is_done_once_and_one_at_a_time(world: World) -> None:
    assert world.node.wakes.at_ms.get("t1") == ODD_MS
    for _ in range(3):
        await world.start()
    assert (len(world.errand.asked), world.errand.next_ms(world.actor)) == (1, None)
    await world.answer(True)
    await world.start()
    assert (world.actor.value.count, len(world.errand.asked), world.node.wakes.at_ms.get("t1")) == (2, 1, None)


@pytest.mark.parametrize(
    ("failure", "retry_ms", "lost"),
    [
        (Postponed(7_000), 7_000, []),
        (Rejection("unavailable", "Later.", retry_ms=3_000), 3_000, ["Rejection"]),
        (OSError("a fault"), RETRY_MS, ["OSError"]),
    ],
)
async def test_work_that_fails_is_retried(world: World, failure: Exception, retry_ms: int, lost: list[str]) -> None:
    """The deadline of the value itself comes first, if it is earlier."""
    world.node.clock.ms = 0
    await world.start()
    assert world.errand.asked == []
    world.node.clock.ms = ODD_MS
    await world.start()
    await world.answer(failure)
    assert world.node.wakes.at_ms.get("t1") == ODD_MS + retry_ms
    assert world.errand.lost == lost
    await world.start()
    await world.answer(True)
    assert world.actor.value.count == 2


@pytest.mark.parametrize(("command", "questions"), [(Add(1), 1), (Add(2), 2), (Remove(), 1)])
async def test_work_that_is_wanted_no_more_is_cancelled(world: World, command: object, questions: int) -> None:
    """The counter asks again if it is odd again."""
    await world.start()
    await world.actor.tell(command)
    await world.node.idle()
    assert (world.errand.asked[0].cancelled(), world.errand.runs, world.errand.lost) == (True, {}, ["CancelledError"])
    await world.start()
    assert len(world.errand.asked) == questions


async def test_an_answer_on_its_way_is_not_cancelled(world: World) -> None:
    """Its outcome is unknown, so it is asked for again. The value that is read then asks no more."""
    await world.start()
    world.node.store.loses_answers = True
    await world.answer(True)
    assert (world.errand.lost, world.errand.runs) == (["Rejection"], {})
    assert world.node.wakes.at_ms.get("t1") == world.node.clock.ms + RETRY_MS
    world.node.store.loses_answers = False
    world.node.state.downtime.end(world.node.clock.ms)
    await world.actor.refresh()
    assert (world.actor.value.count, world.errand.next_ms(world.actor)) == (2, None)
