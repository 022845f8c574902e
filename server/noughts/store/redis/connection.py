"""One RESP3 connection to the primary, for commands, answers and pushes in the order in which Redis did things.

Commands of one turn of the event loop leave in one write. One task reads. No command is sent twice: a command without an
answer within a second is *unknown*, and so is every command of a connection that was lost. Redis may carry out such a
command later, so each script must be harmless then: it compares versions, or knows the id of what it does.

With ``replicas``, each write ends with a change and a WAIT. All answers and pushes that were received up to that change are
delivered only after this many replicas have confirmed it.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Protocol, TypeAlias

from hiredis import PushNotification, pack_command
from redis.asyncio.connection import Connection
from redis.exceptions import NoScriptError, RedisError, ResponseError

from noughts.store.connection_stats import ConnectionStats
from noughts.store.contract import StoreUnavailableError
from noughts.store.redis.failures import LostError, is_elsewhere, is_incapable, reason_of
from noughts.store.redis.primary import PrimaryFinder
from noughts.store.redis.replica_gate import (
    AnswerReceiver,
    PushReceiver,
    ReplicaGate,
    barrier_confirmed,
    barrier_written,
    deliver,
)
from noughts.store.redis.scripts import Script

ANSWER_S: Final = 1.0
"""Seconds after which a command without an answer is unknown."""
WAIT_MS: Final = 800
"""Milliseconds for replicas to confirm."""
BACKOFF_S: Final = (0.05, 0.5)
"""The longest pause before the second attempt to connect; it doubles to the second number. The pause is random."""

Word: TypeAlias = str | bytes | int
_Commands: TypeAlias = list[tuple[bytes, AnswerReceiver]]
_pack: Final[Callable[[tuple[Word, ...]], bytes]] = pack_command  # type: ignore[assignment]  # its stub allows one word


class Greeting(Protocol):
    """Prepares each new connection before others may use it."""

    async def greet(self, connection: RedisConnection) -> None:
        """Prepare the server and check it. Raise :class:`LostError` with the reason if it cannot be used now."""
        ...


class RedisConnection:
    """The connection of one node. It connects again by itself for as long as it is open."""

    def __init__(
        self,
        finder: PrimaryFinder,
        greeting: Greeting,
        receiver: PushReceiver,
        replicas: int = 0,
        barrier: Word = "barrier",
    ) -> None:
        """Wait for ``replicas`` with each write. ``barrier`` is the key of the change before each WAIT."""
        self._finder = finder
        self._greeting = greeting
        self._receiver = receiver
        self._replicas = replicas
        self._barrier_command = _pack(("SET", barrier, "1")) + _pack(("WAIT", replicas, WAIT_MS))
        self._life: asyncio.Task[None] | None = None
        self._queued: _Commands = []
        self._wanted = asyncio.Event()
        self._sent: deque[tuple[AnswerReceiver, float]] = deque()
        self._lost: asyncio.Future[str] | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._gate = ReplicaGate()
        self._changed = asyncio.Event()
        self.connected = False
        self.trouble = "the store is not open"
        """Why there is no connection."""
        self.attempts = 0
        """Attempts to connect since it was last connected."""
        self.stats = ConnectionStats()

    # --- life ---------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to connect, unless that has begun."""
        if self._life is None:
            self.trouble = "the store is not connected yet"
            self._life = asyncio.get_running_loop().create_task(self._live(), name="redis connection")

    async def attempted(self) -> bool:
        """Wait until it is connected, or the next attempt has failed. Return whether it is connected."""
        if not self.connected:
            await self._changed.wait()
        return self.connected

    async def close(self) -> None:
        """Carry out every command so far, then disconnect. Commands from now on are rejected."""
        life, self._life = self._life, None
        if life is None:
            return
        with suppress(StoreUnavailableError):
            await self.call("PING")  # its answer comes after all others
        self.connected = False
        life.cancel()
        await asyncio.wait([life])
        self.trouble = "the store is not open"

    async def _live(self) -> None:
        while True:
            try:
                connection = await self._finder.connect()
            except LostError as error:
                self._failed(str(error))
            else:
                with_reason = await self._serve(connection)
                self._failed(with_reason)
            if self.attempts:
                longest_s = min(BACKOFF_S[1], BACKOFF_S[0] * 2**self.attempts)
                await asyncio.sleep(random.uniform(0.0, longest_s))
            self.attempts += 1

    def _failed(self, reason: str) -> None:
        self.trouble = reason
        self._announce()

    def _announce(self) -> None:
        self._changed.set()
        self._changed.clear()

    async def _serve(self, connection: Connection) -> str:
        """Use a connection until it is lost. Return why."""
        loop = asyncio.get_running_loop()
        self._lost = loop.create_future()
        lost: asyncio.Future[Any] = self._lost
        tasks: list[asyncio.Future[Any]] = [
            loop.create_task(self._read(connection)),
            loop.create_task(self._write(connection)),
        ]
        greet: asyncio.Future[Any] = loop.create_task(self._greeting.greet(self))
        reason = "the connection to Redis was closed"
        try:
            done, _ = await asyncio.wait([*tasks, greet, lost], return_when=asyncio.FIRST_COMPLETED)
            if greet in done and greet.exception() is None:
                self.connected = True
                self.attempts = 0
                self.trouble = ""
                self.stats.connects += 1
                self._announce()
                done, _ = await asyncio.wait([*tasks, lost], return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                if task is lost:
                    reason = lost.result()
                elif (error := task.exception()) is not None:
                    reason = _reason(error)
        finally:
            self.connected = False
            self.trouble = reason
            for task in (lost, greet, *tasks):
                task.cancel()
            self._give_up(reason)
            await asyncio.gather(greet, *tasks, return_exceptions=True)
            with suppress(RedisError, OSError):
                await connection.disconnect(nowait=True)
        return reason

    def _give_up(self, reason: str) -> None:
        """Answer every command that has no answer: its outcome is not known."""
        error = LostError(reason)
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        held, sent, queued = self._gate.clear(), list(self._sent), self._queued
        self._sent.clear()
        self._queued = []
        for answered in [*held, *(entry[0] for entry in sent), *(entry[1] for entry in queued)]:
            deliver(answered, error)

    # --- commands -----------------------------------------------------------------------------------------------

    def ask(self, answered: AnswerReceiver, *words: Word) -> None:
        """Send a command with the others of this turn. Raise ``UnicodeEncodeError`` for text without a UTF-8 form."""
        if self.connected:
            self._enqueue(_pack(words), answered)
        else:
            asyncio.get_running_loop().call_soon(deliver, answered, LostError(self.trouble))

    def run(self, answered: AnswerReceiver, script: Script, key: Word, *words: Word) -> None:
        """Run a script on a key, as :meth:`ask` does."""
        self.ask(_ScriptRun(self, answered, script, key, words), "EVALSHA", script.sha, 1, key, *words)

    async def call(self, *words: Word) -> Any:
        """Send a command and wait. Raise ValueError for words that cannot be sent, ``StoreUnavailableError``."""
        return await _awaited(lambda answered: self.ask(answered, *words))

    async def carry_out(self, script: Script, key: Word, *words: Word) -> Any:
        """Run a script and wait. Raise as :meth:`call` does."""
        return await _awaited(lambda answered: self.run(answered, script, key, *words))

    async def prepare(self, *words: Word) -> Any:
        """Send a command while the connection is being prepared. Raise a ``RedisError`` or :class:`LostError`.

        SUBSCRIBE must name one channel: each channel has an answer of its own.
        """
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._enqueue(_pack(words), lambda answer: None if future.done() else future.set_result(answer))
        answer = await future
        if isinstance(answer, Exception):
            raise answer
        return answer

    def send_again(self, answered: AnswerReceiver, script: Script, key: Word, words: tuple[Word, ...]) -> None:
        """Send a script with its text: Redis did not run it, because it has forgotten the text."""
        self.ask(answered, "EVAL", script.text, 1, key, *words)

    def _enqueue(self, command: bytes, answered: AnswerReceiver) -> None:
        if not self._queued:
            self._wanted.set()
        self._queued.append((command, answered))

    async def _write(self, connection: Connection) -> None:
        loop = asyncio.get_running_loop()
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
                packed += self._barrier(now_s)
            if not packed:
                continue
            if self._watch is None:
                self._watch = loop.call_at(now_s + ANSWER_S, self._check_time)
            self.stats.batches += 1
            self.stats.commands += len(commands)
            await connection.send_packed_command(packed, check_health=False)

    # --- answers ------------------------------------------------------------------------------------------------

    async def _read(self, connection: Connection) -> None:
        receiver, stats, sent, gate = self._receiver, self.stats, self._sent, self._gate
        loop = asyncio.get_running_loop()
        woken = False
        while True:
            try:
                answer = await connection.read_response(disable_decoding=True, timeout=math.inf, push_request=True)
            except ResponseError as error:
                answer = error
                stats.incapable += is_incapable(error)
            # The answer to SUBSCRIBE is a push too.
            if type(answer) is PushNotification and answer[0] != b"subscribe":
                if answer[0] != b"message":
                    continue
                stats.pushes += 1
                if self._replicas:
                    gate.hold_push(answer[1], answer[2])
                    if not gate.coming:
                        self._wanted.set()
                else:
                    woken = receiver.pushed(answer[1], answer[2]) or woken
                continue
            if woken:
                # Let the task that waits for messages act on them first: Redis sent them before this answer.
                woken = False
                await asyncio.sleep(0)
            answered, sent_s = sent.popleft()
            stats.round_trip_s = loop.time() - sent_s
            if not self._replicas:
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
        self.stats.timeouts += 1
        self._lose(f"Redis did not answer within {ANSWER_S:g} s")

    def _lose(self, reason: str) -> None:
        if self._lost is not None and not self._lost.done():
            self.connected = False
            self.trouble = reason
            self._lost.set_result(reason)
            self._give_up(reason)

    # --- replicas -----------------------------------------------------------------------------------------------

    def _barrier(self, now_s: float) -> list[bytes]:
        """Return a write and a WAIT. WAIT counts from the last write of this connection, so there must be one."""
        self._gate.coming += 1
        self._sent.append((barrier_written, now_s))
        self._sent.append((barrier_confirmed, now_s))
        return [self._barrier_command]

    def _check_confirmed(self, answer: Any) -> None:
        """Raise :class:`LostError` unless the answer to WAIT says that enough replicas have the change."""
        if isinstance(answer, Exception):
            raise LostError(reason_of(answer))
        if answer < self._replicas:
            raise LostError(f"{answer} of {self._replicas} replicas confirmed the change in time")


class _ScriptRun:
    """Takes the answer of a script, and sends its text if Redis has forgotten it."""

    __slots__ = ("_answered", "_connection", "_key", "_script", "_words")

    def __init__(
        self, connection: RedisConnection, answered: AnswerReceiver, script: Script, key: Word, words: tuple[Word, ...]
    ) -> None:
        self._connection, self._answered = connection, answered
        self._script, self._key, self._words = script, key, words

    def __call__(self, answer: Any) -> None:
        if type(answer) is NoScriptError:
            self._connection.send_again(self._answered, self._script, self._key, self._words)
        else:
            self._answered(answer)


async def _awaited(send: Callable[[AnswerReceiver], None]) -> Any:
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    try:
        send(lambda answer: None if future.done() else future.set_result(answer))
    except UnicodeEncodeError as error:
        raise ValueError(f"the store cannot hold this: {error}") from error
    answer = await future
    if isinstance(answer, Exception):
        raise StoreUnavailableError(reason_of(answer)) from None
    return answer


def _reason(error: BaseException) -> str:
    return reason_of(error) if isinstance(error, Exception) else "the connection to Redis was closed"
