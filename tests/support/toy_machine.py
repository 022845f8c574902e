"""A machine that is no room: a counter with an alarm. Each alarm that rings leaves a record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from noughts.app.machines.actor import Actor, ActorParts
from noughts.app.machines.deadlines import Deadlines
from noughts.app.machines.kind import EventCodec, Loaded, Step
from noughts.app.machines.on_node import Pace
from noughts.app.machines.registry import Registry, SharedRegistry
from noughts.app.machines.repository import Repository
from noughts.app.machines.scheduler import Scheduler
from noughts.app.runtime.downtime import DowntimeLog
from noughts.app.runtime.node_state import NodeState
from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection
from noughts.protocol.codec import GAP, around_gaps, encode
from noughts.room.seat import Names
from noughts.store.kinds import KINDS, Kind
from noughts.store.machine_store import (
    Change,
    CommitAnswer,
    CommitReceiver,
    IndexEntry,
    Line,
    MachineStore,
)
from noughts.store.machine_store import Unavailable as UnavailableAnswer
from noughts.values import Value
from tests.support.manual_clock import ManualClock

TOY: Final = "toy"
RING: Final = 100
"""How much an alarm adds."""
NEVER_MS: Final = 2**62
"""The stored deadline of a toy without an alarm."""


class Toy(Value, array_like=True):
    """A counter. ``alarm_ms`` is when its alarm rings, ``rung`` how often it has."""

    id: str
    version: int = 1
    count: int = 0
    alarm_ms: int | None = None
    rung: int = 0
    closed: bool = False
    owner: str = "p_ann"


def toy_from(data: bytes) -> Toy:
    """Return a counter from its stored bytes. Raise ``msgspec.DecodeError``."""
    return msgspec.msgpack.decode(data, type=Toy)


TOY_KIND: Final = Kind(TOY, toy_from, bytes.decode, lambda data: 0)
TOY_KINDS: Final = (*KINDS, TOY_KIND)
"""The kinds of a store that has counters too."""


class Add(Value):
    amount: int


class SetAlarm(Value):
    at_ms: int


class Remove(Value):
    pass


class Disown(Value):
    """Forgets the owner."""


class Ring(Value):
    """Rings what is due, and nothing else."""


class Moment(NamedTuple):
    now_ms: int


class Shown(Value):
    version: int
    count: int
    you: Any


def step_toy(toy: Toy, command: object, now_ms: int) -> Step[Toy, str]:
    """Ring the alarm if it is due, then carry out the command."""
    after, events, records = toy, [], []
    if toy.alarm_ms is not None and toy.alarm_ms <= now_ms:
        after = replace(after, count=toy.count + RING, alarm_ms=None, rung=toy.rung + 1)
        events.append("rang")
        records.append((after.rung, b"rang at %d" % toy.alarm_ms))
    if isinstance(command, Add):
        if command.amount < 0:
            raise Rejection("forbidden", "A counter only rises.")
        after = replace(after, count=after.count + command.amount)
    elif isinstance(command, SetAlarm):
        after = replace(after, alarm_ms=command.at_ms)
    elif isinstance(command, Disown):
        after = replace(after, owner="")
    elif isinstance(command, Remove):
        after = replace(after, closed=True)
    if after is not toy:
        after = replace(after, version=toy.version + 1)
    return Step(after, tuple(events), tuple(records))


class Screen:
    """A client that sees a counter. Its own part of a message is its name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.messages: list[Any] = []


class ToyKind:
    """A :class:`~noughts.app.machines.kind.Kind`."""

    name: Final = TOY
    wake: Final = Ring()
    events: Final = EventCodec(tuple[str, ...])

    def step(self, value: Toy, command: object, at: Moment) -> Step[Toy, str]:
        return step_toy(value, command, at.now_ms)

    def closed(self, value: Toy, version: int) -> Toy:
        return replace(value, closed=True, version=version)

    def unknown(self) -> Rejection:
        return Rejection("not_found", "There is no such toy.")

    def encode(self, value: Toy) -> bytes:
        return msgspec.msgpack.encode(value)

    def decode(self, data: bytes, current: Toy | None = None) -> Toy:
        return toy_from(data)

    def index_entry(self, value: Toy) -> IndexEntry:
        return IndexEntry(value.alarm_ms or NEVER_MS, "on", "plain", (value.owner,), value.alarm_ms is not None)

    def index_change(self, before: Toy, after: Toy) -> IndexEntry | None:
        return self.index_entry(after) if (before.alarm_ms, before.owner) != (after.alarm_ms, after.owner) else None

    async def names(self, value: Toy, lines: Sequence[Line]) -> Names:
        return {}


class ToyOnNode(Actor[Toy, object, Moment, str]):
    """One counter on a node, with its screens."""

    def __init__(self, parts: ActorParts[Toy, object, Moment, str], loaded: Loaded[Toy]) -> None:
        self.connections: list[Any] = []
        self.stored: list[int] = []
        """The versions that this node has stored."""
        super().__init__(parts, loaded)

    @property
    def resting(self) -> bool:
        return not self.connections

    def moment(self, now_ms: int, arrived_ms: int = 0) -> Moment:
        return Moment(now_ms)

    def wake_at_ms(self) -> int | None:
        return self.value.alarm_ms

    def pace(self) -> Pace:
        return "still" if self.value.alarm_ms is None else "slow"

    def note_stored(self, step: Step[Toy, str]) -> None:
        self.stored.append(step.value.version)

    def publish(self, after: Toy, events: tuple[str, ...], line: Line | None) -> Toy:
        start, end = around_gaps(Shown(after.version, after.count, GAP))
        for screen in self.connections:
            screen.messages.append(msgspec.json.decode(start + encode([screen.name]) + end))
        return after

    def publish_loaded(self, after: Toy, loaded: Loaded[Toy] | None) -> Toy:
        return self.publish(after, (), None) if after.version != self.value.version else after

    def rename(self, names: Names) -> None: ...

    def released(self) -> None:
        pass

    def add(self, connection: Any) -> bool:
        self.connections.append(connection)
        return False

    def remove(self, connection: Any) -> bool:
        self.connections.remove(connection)
        return False


class LosingStore:
    """A store of machines that may carry out a change and lose the answer."""

    def __init__(self, store: MachineStore) -> None:
        self._store = store
        self.loses_answers = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def submit(self, change: Change, receiver: CommitReceiver) -> None:
        self._store.submit(change, _Losing(receiver) if self.loses_answers else receiver)


class _Losing:
    def __init__(self, receiver: CommitReceiver) -> None:
        self._receiver = receiver

    def commit_answered(self, change: Change, answer: CommitAnswer) -> None:
        self._receiver.commit_answered(change, UnavailableAnswer("the answer was lost"))


class ToyNode:
    """One node with counters, and nothing else."""

    def __init__(self, store: Any, clock: ManualClock, actor: Callable[..., ToyOnNode] = ToyOnNode) -> None:
        self.clock = clock
        self.store = LosingStore(store)
        toys: Any = self.store
        self.tasks = Tasks()
        self.wakes = Deadlines(clock)
        self.state = NodeState(clock, DowntimeLog(shared=store.shared))
        kind = ToyKind()
        self.repository: Repository[Toy] = Repository(kind, toys, self.state)
        registry_class = SharedRegistry if store.shared else Registry
        self.registry: Registry[ToyOnNode, Toy] = registry_class(
            actor, ActorParts(kind, self.repository, self.wakes, self.state, self.tasks)
        )
        self.attended: list[str] = []
        """The ids of the actors that were woken."""
        self.scheduler = Scheduler(
            self.wakes, self.registry, self.state, toys, self.tasks, lambda actor: self.attended.append(actor.id)
        )

    async def wake_due(self) -> None:
        """Wake what is due by now on this node."""
        task = asyncio.create_task(self.scheduler.wake_due())
        await self.idle()
        task.cancel()
        await asyncio.wait([task])

    async def idle(self) -> None:
        """Wait until nothing is carried out any more."""
        for _ in range(3):
            await asyncio.sleep(0.02)
            await self.registry.settled(2.0)


def counts(screens: Sequence[Screen]) -> list[list[int]]:
    """Return the counts that each screen was shown."""
    return [[message["count"] for message in screen.messages] for screen in screens]
