"""One connection to the primary, from its handshake until it is lost: commands, answers and pushes in the order of Redis.

Commands of one turn of the event loop leave in one write. One task reads. No command is sent twice: a command without an
answer within a second is *unknown*, and so is every command of a connection that was lost. Redis may carry out such a
command later, so each script must be harmless then: it compares versions, or knows the id of what it does.

With ``replicas``, each write ends with a change and a WAIT. All answers and pushes that were received up to that change are
delivered only after this many replicas have confirmed it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Protocol, TypeAlias

from hiredis import PushNotification, pack_command
from redis.exceptions import RedisError, ResponseError

from noughts.store.connection_stats import ConnectionStats
from noughts.store.redis.failures import LostError, is_elsewhere, is_incapable, reason_of
from noughts.store.redis.primary import PrimaryConnection
from noughts.store.redis.replica_gate import (
    AnswerReceiver,
    PushReceiver,
    ReplicaGate,
    barrier_confirmed,
    barrier_written,
    deliver,
)
from noughts.store.redis.scripts import Word

ANSWER_S: Final = 1.0
"""Seconds after which a command without an answer is unknown."""
WAIT_MS: Final = 800
"""Milliseconds for replicas to confirm."""

_Commands: TypeAlias = list[tuple[bytes, AnswerReceiver]]
pack: Final[Callable[[tuple[Word, ...]], bytes]] = pack_command  # type: ignore[assignment]  # its stub allows one word


class Greeting(Protocol):
    """Prepares each new connection before others may use it."""

    async def greet(self, pipeline: RedisPipeline) -> None:
        """Prepare the server and check it. Raise :class:`LostError` with the reason if it cannot be used now."""
        ...


class RedisPipeline:
    """One connection to the primary."""

    def __init__(
        self,
        connection: PrimaryConnection,
        receiver: PushReceiver,
        stats: ConnectionStats,
        replicas: int = 0,
        barrier: Word = "barrier",
    ) -> None:
        """Wait for ``replicas`` with each write. ``barrier`` is the key of the change before each WAIT."""
        self.open = False
        """Whether commands may be sent: the greeting has prepared the server, and the connection is not lost."""
        self.trouble = ""
        """Why the connection is lost."""
        self._connection = connection
        self._receiver = receiver
        self._stats = stats
        self._replicas = replicas
        self._barrier_command = pack(("SET", barrier, "1")) + pack(("WAIT", replicas, WAIT_MS))
        self._queued: _Commands = []
        self._wanted = asyncio.Event()
        self._sent: deque[tuple[AnswerReceiver, float]] = deque()
        self._gate = ReplicaGate()
        self._lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._watch: asyncio.TimerHandle | None = None
        self._tasks: list[asyncio.Future[None]] = []

    # --- life ---------------------------------------------------------------------------------------------------

    async def begin(self, greeting: Greeting) -> None:
        """Begin to write and to read, and let the greeting prepare the server. Raise :class:`LostError`."""
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._read()), loop.create_task(self._write())]
        greet = loop.create_task(greeting.greet(self))
        try:
            await self._first_end(greet)
        finally:
            greet.cancel()
            await asyncio.gather(greet, return_exceptions=True)
        self.open = True

    async def last(self) -> None:
        """Wait until the connection is lost, then raise :class:`LostError` with the reason."""
        await self._first_end()

    async def _first_end(self, *others: asyncio.Future[None]) -> None:
        """Wait until the connection is lost or another task ends. Raise :class:`LostError` if it is lost or that fails."""
        ends: list[asyncio.Future[Any]] = [self._lost, *self._tasks, *others]
        done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if self._lost in done:
            raise LostError(self._lost.result())
        for task in done:
            error = task.exception()
            if error is not None:
                raise LostError(_reason(error)) from error

    async def end(self, reason: str) -> None:
        """Give up every command that has no answer, and disconnect."""
        self._lose(reason)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(RedisError, OSError):
            await self._connection.disconnect(nowait=True)

    def _lose(self, reason: str) -> None:
        """Take no more commands. Answer those that have no answer: their outcome is not known."""
        if self._lost.done():
            return
        self.open = False
        self.trouble = reason
        self._lost.set_result(reason)
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        error = LostError(reason)
        sent, queued = [entry[0] for entry in self._sent], [entry[1] for entry in self._queued]
        self._sent.clear()
        self._queued = []
        for answered in [*self._gate.clear(), *sent, *queued]:
            deliver(answered, error)

    # --- commands -----------------------------------------------------------------------------------------------

    def send(self, command: bytes, answered: AnswerReceiver) -> None:
        """Send a packed command with the others of this turn."""
        if not self._queued:
            self._wanted.set()
        self._queued.append((command, answered))

    async def prepare(self, *words: Word) -> Any:
        """Send a command while the connection is being prepared. Raise a ``RedisError`` or :class:`LostError`.

        SUBSCRIBE must name one channel: each channel has an answer of its own.
        """
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.send(pack(words), lambda answer: None if future.done() else future.set_result(answer))
        answer = await future
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def _write(self) -> None:
        loop, connection, stats = asyncio.get_running_loop(), self._connection, self._stats
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            commands, self._queued = self._queued, []
            now_s = loop.time()
            packed = []
            for command, answered in commands:
                packed.append(command)
                self._sent.append((answered, now_s))
            if self._replicas:
                packed.append(self._barrier(now_s))
            if not packed:
                continue
            if self._watch is None:
                self._watch = loop.call_at(now_s + ANSWER_S, self._check_time)
            stats.batches += 1
            stats.commands += len(commands)
            await connection.send_packed_command(packed, check_health=False)

    # --- answers ------------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        receiver, stats, sent, gate = self._receiver, self._stats, self._sent, self._gate
        connection, gated = self._connection, bool(self._replicas)
        loop = asyncio.get_running_loop()
        woken = False
        while True:
            for answer in await connection.received():
                # The answer to SUBSCRIBE is a push too.
                if type(answer) is PushNotification and answer[0] != b"subscribe":
                    if answer[0] != b"message":
                        continue
                    stats.pushes += 1
                    if gated:
                        gate.hold_push(answer[1], answer[2])
                        if not gate.coming:
                            self._wanted.set()
                    else:
                        woken = receiver.pushed(answer[1], answer[2]) or woken
                    continue
                if isinstance(answer, RedisError):
                    stats.incapable += is_incapable(answer)
                    if not isinstance(answer, ResponseError):  # it ends the connection, as too many clients do
                        raise answer
                if woken:
                    # Let the task that waits for messages act on them first: Redis sent them before this answer.
                    woken = False
                    await asyncio.sleep(0)
                if not sent:
                    return  # the connection was lost meanwhile
                answered, sent_s = sent.popleft()
                stats.round_trip_s = loop.time() - sent_s
                if not gated:
                    deliver(answered, answer)
                elif answered is barrier_written:
                    gate.mark()
                elif answered is barrier_confirmed:
                    self._check_confirmed(answer)
                    for receiving, first, second in gate.released():
                        if receiving is None:
                            woken = receiver.pushed(first, second) or woken
                            continue
                        if woken:
                            woken = False
                            await asyncio.sleep(0)
                        deliver(receiving, first)
                else:
                    gate.hold_answer(answered, answer)
                if isinstance(answer, ResponseError) and is_elsewhere(answer):
                    raise LostError(reason_of(answer))

    def _check_time(self) -> None:
        self._watch = None
        if not self._sent:
            return
        loop = asyncio.get_running_loop()
        deadline_s = self._sent[0][1] + ANSWER_S
        if deadline_s > loop.time():
            self._watch = loop.call_at(deadline_s, self._check_time)
            return
        self._stats.timeouts += 1
        self._lose(f"Redis did not answer within {ANSWER_S:g} s")

    # --- replicas -----------------------------------------------------------------------------------------------

    def _barrier(self, now_s: float) -> bytes:
        """Return a write and a WAIT. WAIT counts from the last write of this connection, so there must be one."""
        self._gate.coming += 1
        self._sent.append((barrier_written, now_s))
        self._sent.append((barrier_confirmed, now_s))
        return self._barrier_command

    def _check_confirmed(self, answer: Any) -> None:
        """Raise :class:`LostError` unless the answer to WAIT says that enough replicas have the change."""
        if isinstance(answer, Exception):
            raise LostError(reason_of(answer))
        if answer < self._replicas:
            raise LostError(f"{answer} of {self._replicas} replicas confirmed the change in time")


def _reason(error: BaseException) -> str:
    return reason_of(error) if isinstance(error, Exception) else "the connection to Redis was closed"
