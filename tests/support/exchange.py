"""The shared store of several nodes in one process: what Redis does for nodes, over the SQLite store of the tests.

Messages wait in each node's inbox until the node looks at them, so a test decides how late they are.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence, Set
from typing import Any, cast

from msgspec.structs import replace

from noughts.app.runtime.clock import ServerClock
from noughts.room.downtime import Downtime
from noughts.room.idempotency import IdempotencyKeys
from noughts.store.contract import GAP_MS, NodeStatus, Pulse, Store, StoreUnavailableError
from noughts.store.machine_store import (
    Change,
    CommitAnswer,
    CommitReceiver,
    Due,
    HeldRow,
    ListedRow,
    Listing,
    Stored,
    Unavailable,
)
from noughts.store.presence import LEASE_MS, NO_ATTENDANCE, Attendance, PresenceReport, RoomPresence
from noughts.store.relay import Message, NodeDied, Notice, Reconnected


class _Record:
    """The presence of one room."""

    def __init__(self, since_ms: int) -> None:
        self.since_ms = since_ms
        self.last_left_ms = 0
        self.departed_ms: dict[str, int] = {}
        self.reports: dict[str, Attendance] = {}

    def left(self, at_ms: int, players: Sequence[str] = ()) -> None:
        self.last_left_ms = max(self.last_left_ms, at_ms)
        for player in players:
            self.departed_ms[player] = max(self.departed_ms.get(player, 0), at_ms)

    def taken(self) -> RoomPresence:
        return RoomPresence(self.since_ms, self.last_left_ms, dict(self.departed_ms), dict(self.reports))


class Exchange:
    """What the nodes share beside the rooms: who holds what, presence, beats, downtime and answered ids."""

    def __init__(self, store: Store, clock: ServerClock) -> None:
        self.store = store
        self.clock = clock
        self.links: dict[str, Link] = {}
        self.holders: dict[str, set[str]] = {}
        self.records: dict[str, _Record] = {}
        self.beats: dict[str, tuple[int, NodeStatus, Set[str]]] = {}
        self.downtimes: tuple[Downtime, ...] = ()
        self.ids: dict[str, IdempotencyKeys] = {}
        self.busy: dict[str, deque[tuple[Link, Change, CommitReceiver]]] = {}
        self._newest_ms = 0

    def link(self, node: str) -> Link:
        """Return a new node's access."""
        link = self.links[node] = Link(self, node)
        return link

    def now_ms(self) -> int:
        """Return the store's time, which never goes backwards."""
        self._newest_ms = max(self._newest_ms, self.clock.now_ms())
        return self._newest_ms

    def send(self, sender: str, message: Message, room: str | None = None) -> None:
        """Put a message into the inboxes of all other nodes, or of those that hold a room."""
        for node, link in self.links.items():
            if node != sender and (room is None or node in self.holders.get(room, ())):
                link.inbox.put_nowait(message)

    def record(self, room: str) -> _Record:
        return self.records.setdefault(room, _Record(self.now_ms()))

    def bury(self, node: str, at_ms: int) -> None:
        """Give up a node: it holds nothing any more, and its players left at its last beat."""
        del self.beats[node]
        link = self.links[node]
        link.buried = True
        for room, nodes in self.holders.items():
            nodes.discard(node)
            report = self.record(room).reports.pop(node, None)
            if report is not None:
                self.record(room).left(at_ms, tuple(report.players))
        self.send(node, NodeDied(node, at_ms))


class Link:
    """One node's store, relay and presence sender."""

    shared = True

    def __init__(self, exchange: Exchange, node: str) -> None:
        self.node = node
        self.inbox: asyncio.Queue[Message] = asyncio.Queue()
        self.buried = False
        self.cut = False
        """Whether this node does not reach the store."""
        self.loses_answers = False
        """Whether this node's requests are carried out and the answers lost."""
        self._exchange = exchange

    def as_store(self) -> Store:
        """Return this link as a whole store: what it does not define is the common store's."""
        return cast(Store, self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._exchange.store, name)

    def reconnect(self) -> None:
        """Lose every message that waits, as a node does whose connection is lost."""
        while not self.inbox.empty():
            self.inbox.get_nowait()
        for nodes in self._exchange.holders.values():
            nodes.discard(self.node)
        self.inbox.put_nowait(Reconnected())

    # --- rooms --------------------------------------------------------------------------------------------------

    def submit(self, change: Change, receiver: CommitReceiver) -> None:
        if self.cut or self.buried:
            reason = Unavailable("this node does not reach the store")
            asyncio.get_running_loop().call_soon(receiver.commit_answered, change, reason)
            return
        waiting = self._exchange.busy.get(change.id)
        if waiting is not None:
            waiting.append((self, change, receiver))
        else:
            self._exchange.busy[change.id] = deque()
            self.carry_out(change, receiver)

    def carry_out(self, change: Change, receiver: CommitReceiver) -> None:
        """Store one change of a room, with its id added to those that are stored."""
        exchange = self._exchange
        stored = change
        if change.command is not None and not change.checks:
            before = exchange.ids.get(change.id)
            ids = IdempotencyKeys.decoded(before.encoded() if before is not None else b"")
            ids.add(change.command, change.version)
            stored = replace(change, command_ids=ids.encoded())
        exchange.store.submit(stored, _Publication(self, change, receiver))

    def answered(self, change: Change, receiver: CommitReceiver, answer: CommitAnswer) -> None:
        """Publish a stored change to the other nodes that hold the room, then pass the answer on."""
        exchange = self._exchange
        if isinstance(answer, Stored) and not change.checks:
            line = None if change.line is None else change.line._replace(n=answer.line)
            message = replace(change, index_entry=None, command_ids=None, records=(), line=line)
            exchange.send(self.node, message, change.id)
            if change.command is not None:
                exchange.ids.setdefault(change.id, IdempotencyKeys()).add(change.command, change.version)
            if change.closes:
                for everything in (exchange.holders, exchange.records, exchange.ids):
                    cast(dict[str, object], everything).pop(change.id, None)
        receiver.commit_answered(change, Unavailable("lost") if self.loses_answers else answer)
        waiting = exchange.busy[change.id]
        if waiting:
            link, following, its_receiver = waiting.popleft()
            link.carry_out(following, its_receiver)
        else:
            del exchange.busy[change.id]

    def _check(self) -> None:
        if self.cut:
            raise StoreUnavailableError("this node does not reach the store")

    async def load(self, room: str) -> Any:
        self._check()
        return await self._exchange.store.load(room)

    async def hold(self, room: str) -> HeldRow | None:
        self._check()
        self._exchange.holders.setdefault(room, set()).add(self.node)
        stored = await self._exchange.store.load(room)
        if stored is None:
            self.release(room)
            return None
        return HeldRow(stored, self._exchange.record(room).taken())

    def release(self, room: str) -> None:
        exchange = self._exchange
        exchange.holders.get(room, set()).discard(self.node)
        if room in exchange.records and exchange.records[room].reports.pop(self.node, None) is not None:
            exchange.send(self.node, PresenceReport(room, self.node, NO_ATTENDANCE, {}, 0), room)

    async def claim_due(self, until_ms: int, limit: int, retry_ms: int) -> Sequence[Due]:
        self._check()
        now_ms = self._exchange.now_ms()
        store = self._exchange.store
        rows = await store.claim_due(now_ms, limit, retry_ms)
        for row in rows:
            await type(store).postpone(store, row.id, now_ms + retry_ms)
        return [row for row in rows if not self._exchange.holders.get(row.id)]

    async def listed(self, listing: Listing, variant: str | None, limit: int) -> Sequence[ListedRow]:
        self._check()
        rows = await self._exchange.store.listed(listing, variant, limit)
        return [row._replace(presence=self._exchange.record(row.id).taken()) for row in rows]

    async def newest(self, limit: int) -> Sequence[ListedRow]:
        self._check()
        rows = await self._exchange.store.newest(limit)
        return [row._replace(presence=self._exchange.record(row.id).taken()) for row in rows]

    # --- the node -----------------------------------------------------------------------------------------------

    async def beat(self, status: NodeStatus, now_ms: int, players: Set[str] = frozenset()) -> Pulse:
        self._check()
        exchange, now_ms = self._exchange, self._exchange.now_ms()
        newest_ms = max((at_ms for at_ms, *_ in exchange.beats.values()), default=now_ms)
        if now_ms - newest_ms > GAP_MS:
            exchange.downtimes = (*exchange.downtimes, Downtime(newest_ms, now_ms))
        if self.buried:
            self.buried = False
            self.reconnect()
        exchange.beats[self.node] = (now_ms, status, frozenset(players))
        if now_ms - newest_ms <= GAP_MS:  # after a downtime of all, each has the time of a lease to beat again
            for node, (at_ms, *_) in tuple(exchange.beats.items()):
                if now_ms - at_ms > LEASE_MS:
                    exchange.bury(node, at_ms)
        statuses = tuple([status for _, status, _ in exchange.beats.values()])
        everybody = frozenset[str]().union(*(connected for *_, connected in exchange.beats.values()))
        return Pulse(now_ms, exchange.downtimes, statuses, len(everybody))

    async def check_writer(self) -> None:
        """Do nothing: any number of nodes may write."""

    async def add_downtime(self, span: Downtime) -> None:
        """Do nothing: the beats show the downtime."""

    # --- the relay and the presence sender -----------------------------------------------------------------------

    def announce(self, notice: Notice) -> None:
        self._exchange.send(self.node, notice)

    async def received(self) -> Message:
        return await self.inbox.get()

    def send(self, report: PresenceReport) -> None:
        if self.cut or self.buried:
            return
        record = self._exchange.record(report.room)
        if report.report.connections:
            record.reports[report.node] = report.report
        else:
            record.reports.pop(report.node, None)
        record.left(report.last_left_ms)
        for player, at_ms in report.departed_ms.items():
            record.departed_ms[player] = max(record.departed_ms.get(player, 0), at_ms)
        self._exchange.send(self.node, report, report.room)


class _Publication:
    """Receives the answer to a change, for the node that submitted it."""

    def __init__(self, link: Link, change: Change, receiver: CommitReceiver) -> None:
        self._link = link
        self._change = change
        self._receiver = receiver

    def commit_answered(self, change: Change, answer: CommitAnswer) -> None:
        self._link.answered(self._change, self._receiver, answer)
