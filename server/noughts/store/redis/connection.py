"""The connection of one node to the primary, for as long as the node runs: one RESP3 connection after another.

Commands, answers and pushes of a connection are in the order of Redis. Commands of one turn of the event loop leave in one
write. No command is sent twice: a command without an answer within a second is *unknown*, and so is every command of a
connection that was lost. Redis may carry out such a command later, so each script must be harmless then: it compares
versions, or knows the id of what it does. Between two connections, commands are answered at once: they were not sent.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Protocol, TypeAlias

from hiredis import PushNotification
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import NoScriptError, RedisError, ResponseError

from noughts.store.contract import ConnectionStats, StoreUnavailableError
from noughts.store.redis.client import CLOSED, Answer, pack, send
from noughts.store.redis.failures import ANSWER_S, LostError, is_elsewhere, is_incapable, reason_of
from noughts.store.redis.scripts import Script, Word

BACKOFF_S: Final = (0.05, 0.5)
"""The longest pause before the second attempt to connect; it doubles to the second number. The pause is random."""

AnswerReceiver: TypeAlias = Callable[[Answer], None]
"""Takes an answer, or an exception: a ``ResponseError`` of Redis, or a :class:`LostError`."""


class PushReceiver(Protocol):
    """Takes messages in their order between answers. It must not wait."""

    @property
    def acting(self) -> bool:
        """Whether a task was woken that must run before the next answer is delivered, and has not run yet."""
        ...

    def pushed(self, channel: bytes, payload: bytes) -> None:
        """Take a message. Raise ValueError for one that cannot be read."""
        ...


class Setup(Protocol):
    """Prepares each new connection before others may use it."""

    async def run(self, connection: AbstractConnection) -> None:
        """Prepare the server and check it. Raise :class:`LostError` with the reason if it cannot be used now."""
        ...


class RedisConnection:
    """The connection of one node. It connects again by itself for as long as it is open."""

    def __init__(
        self, connect: Callable[[], Awaitable[AbstractConnection]], setup: Setup, receiver: PushReceiver
    ) -> None:
        """``connect`` returns a new connection, or raises :class:`LostError`."""
        self._connect = connect
        self._setup = setup
        self._receiver = receiver
        self._life: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._queued: list[tuple[bytes, AnswerReceiver]] = []
        self._to_write = asyncio.Event()
        self._sent: deque[tuple[AnswerReceiver, float]] = deque()
        """The commands that have no answer yet, and when each was sent."""
        self.connected = False
        """Whether commands may be sent: the setup has prepared the server, and the connection is not lost."""
        self.loss_reason = "the store is not open"
        """Why there is no connection."""
        self.attempts = 0
        """Attempts to connect since it was last connected."""
        self.stats = ConnectionStats()

    # --- life ---------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to connect, unless that has begun."""
        if self._life is None:
            self.loss_reason = "the store is not connected yet"
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
        while not life.done():  # redis-py may swallow a cancellation as it connects
            life.cancel()
            await asyncio.wait([life], timeout=1.0)
        self.loss_reason = "the store is not open"

    async def _live(self) -> None:
        while True:
            reason = CLOSED
            try:
                await self._serve()
            except LostError as error:
                reason = str(error)
            except Exception as error:  # a fault of ours or of the library must not end the attempts
                reason = "the connection to Redis failed: see the log"
                _report("a fault in the connection to Redis", error)
            finally:
                self._lose(reason)
            self._announce()
            if self.attempts:
                longest_s = min(BACKOFF_S[1], BACKOFF_S[0] * 2**self.attempts)
                await asyncio.sleep(random.uniform(0.0, longest_s))
            self.attempts += 1

    async def _serve(self) -> None:
        """Connect, and use the connection until it is lost. Raise :class:`LostError` with the reason."""
        connection = await self._connect()
        tasks: list[asyncio.Task[None]] = []
        try:
            await self._setup.run(connection)
            self.connected, self.attempts, self.loss_reason = True, 0, ""
            self.stats.connects += 1
            self._announce()
            work = (self._read(connection), self._write(connection), self._limit_time())
            tasks += [asyncio.get_running_loop().create_task(part) for part in work]
            (first, *_), _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            await first
        except (RedisError, OSError) as error:
            raise LostError(reason_of(error)) from error
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await connection.disconnect(nowait=True)

    def _lose(self, reason: str) -> None:
        """Take no more commands. Answer those that have no answer: their outcome is not known."""
        self.connected, self.loss_reason = False, reason
        expecting = [answered for answered, _ in self._sent] + [answered for _, answered in self._queued]
        self._sent.clear()
        self._queued = []
        for answered in expecting:
            deliver(answered, LostError(reason))

    def _announce(self) -> None:
        self._changed.set()
        self._changed.clear()

    # --- one connection: each of these ends with an error -------------------------------------------------------

    async def _write(self, connection: AbstractConnection) -> None:
        """Write the commands of each turn in one piece."""
        while True:
            await self._to_write.wait()
            self._to_write.clear()
            commands, self._queued = self._queued, []
            now_s = asyncio.get_running_loop().time()
            self._sent += [(answered, now_s) for _, answered in commands]
            self.stats.batches += 1
            self.stats.commands += len(commands)
            await send(connection, b"".join([command for command, _ in commands]))

    async def _read(self, connection: AbstractConnection) -> None:
        """Deliver answers and pushes, in the order of Redis."""
        loop, read, stats, receiver = asyncio.get_running_loop(), connection.read_response, self.stats, self._receiver
        while True:
            try:
                answer = await read(disable_decoding=True, timeout=math.inf, push_request=True)
            except ResponseError as error:
                answer = error
            except RedisError as error:
                stats.incapable += is_incapable(error)
                raise
            if type(answer) is PushNotification:
                stats.pushes += 1
                try:
                    receiver.pushed(answer[1], answer[2])
                except ValueError:  # its text may quote the message. Now everything is read again
                    raise LostError("a message of another node cannot be read") from None
                continue
            if receiver.acting:
                await asyncio.sleep(0)  # Redis sent those messages before this answer
            if not self._sent:
                raise LostError("Redis sent an answer to no command")
            answered, sent_s = self._sent.popleft()
            stats.round_trip_s = loop.time() - sent_s
            deliver(answered, answer)
            if isinstance(answer, ResponseError):
                stats.incapable += is_incapable(answer)
                if is_elsewhere(answer):
                    raise answer

    async def _limit_time(self) -> None:
        """Raise :class:`LostError` when a command has no answer in time."""
        loop = asyncio.get_running_loop()
        while True:
            now_s = loop.time()
            deadline_s = (self._sent[0][1] if self._sent else now_s) + ANSWER_S
            if deadline_s <= now_s:
                self.stats.timeouts += 1
                raise LostError(f"Redis did not answer within {ANSWER_S:g} s")
            await asyncio.sleep(deadline_s - now_s)

    # --- commands -----------------------------------------------------------------------------------------------

    def ask(self, answered: AnswerReceiver, *words: Word) -> None:
        """Send a command with the others of this turn. Raise ``UnicodeEncodeError`` for text without a UTF-8 form."""
        command = pack(words)
        if self.connected:
            self._queued.append((command, answered))
            self._to_write.set()
        else:
            asyncio.get_running_loop().call_soon(deliver, answered, LostError(self.loss_reason))

    def run(self, answered: AnswerReceiver, script: Script, key: Word, *words: Word) -> None:
        """Run a script on a key, as :meth:`ask` does. Send its text if Redis has forgotten it: then it did not run."""

        def taken(answer: Answer) -> None:
            if isinstance(answer, NoScriptError):
                self.ask(answered, "EVAL", script.text, 1, key, *words)
            else:
                answered(answer)

        self.ask(taken, "EVALSHA", script.sha, 1, key, *words)

    async def call(self, *words: Word) -> Answer:
        """Send a command and wait. Raise ValueError for words that cannot be sent, ``StoreUnavailableError``."""
        return await _awaited(lambda answered: self.ask(answered, *words))

    async def carry_out(self, script: Script, key: Word, *words: Word) -> Answer:
        """Run a script and wait. Raise as :meth:`call` does."""
        return await _awaited(lambda answered: self.run(answered, script, key, *words))


def ignore(answer: Answer) -> None:
    """Take an answer that changes nothing. After a lost connection, a node says everything again, and leases end."""


def deliver(answered: AnswerReceiver, answer: Answer) -> None:
    """Deliver an answer. A receiver that raises does not stop the others."""
    try:
        answered(answer)
    except Exception as error:
        _report("the receiver of a store's answer failed", error)


def _report(message: str, error: Exception) -> None:
    asyncio.get_running_loop().call_exception_handler({"message": message, "exception": error})


async def _awaited(send: Callable[[AnswerReceiver], None]) -> Answer:
    future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    try:
        send(lambda answer: None if future.done() else future.set_result(answer))
    except UnicodeEncodeError as error:
        raise ValueError(f"the store cannot hold this: {error}") from error
    answer = await future
    if isinstance(answer, Exception):
        raise StoreUnavailableError(reason_of(answer)) from None
    return answer
