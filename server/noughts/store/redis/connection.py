"""The connection of one node to the primary, for as long as the node runs: one RESP3 connection after another.

Each of them is a :class:`~noughts.store.redis.pipeline.RedisPipeline`, which says how commands are answered. Between two of
them, commands are answered at once: they were not sent.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from hiredis import ReplyError

from noughts.store.connection_stats import ConnectionStats
from noughts.store.contract import StoreUnavailableError
from noughts.store.redis.failures import LostError, error_code, reason_of
from noughts.store.redis.pipeline import AnswerReceiver, PushReceiver, RedisPipeline, Setup, deliver
from noughts.store.redis.primary import PrimaryFinder, pack
from noughts.store.redis.scripts import Script, Word

BACKOFF_S: Final = (0.05, 0.5)
"""The longest pause before the second attempt to connect; it doubles to the second number. The pause is random."""


class RedisConnection:
    """The connection of one node. It connects again by itself for as long as it is open."""

    def __init__(
        self,
        finder: PrimaryFinder,
        setup: Setup,
        receiver: PushReceiver,
        replicas: int = 0,
        barrier: Word = "barrier",
    ) -> None:
        """Wait for ``replicas`` with each write. ``barrier`` is the key of the change before each WAIT."""
        self._finder = finder
        self._setup = setup
        self._receiver = receiver
        self._replicas = replicas
        self._barrier = barrier
        self._life: asyncio.Task[None] | None = None
        self._pipeline: RedisPipeline | None = None
        self._loss_reason = "the store is not open"
        self._changed = asyncio.Event()
        self.attempts = 0
        """Attempts to connect since it was last connected."""
        self.stats = ConnectionStats()

    # --- life ---------------------------------------------------------------------------------------------------

    @property
    def connected(self) -> bool:
        return self._pipeline is not None and self._pipeline.open

    @property
    def loss_reason(self) -> str:
        """Why there is no connection."""
        return (self._pipeline is not None and self._pipeline.loss_reason) or self._loss_reason

    def start(self) -> None:
        """Begin to connect, unless that has begun."""
        if self._life is None:
            self._loss_reason = "the store is not connected yet"
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
        life.cancel()
        await asyncio.wait([life])
        self._loss_reason = "the store is not open"

    async def _live(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                await self._serve()
            except LostError as error:
                self._loss_reason = str(error)
            except Exception as error:  # a fault of ours or of the library must not end the attempts
                self._loss_reason = "the connection to Redis failed: see the log"
                loop.call_exception_handler({"message": "a fault in the connection to Redis", "exception": error})
            self._announce()
            if self.attempts:
                longest_s = min(BACKOFF_S[1], BACKOFF_S[0] * 2**self.attempts)
                await asyncio.sleep(random.uniform(0.0, longest_s))
            self.attempts += 1

    async def _serve(self) -> None:
        """Connect, and use the connection until it is lost. Raise :class:`LostError` with the reason."""
        connection = await self._finder.connect()
        pipeline = RedisPipeline(connection, self._receiver, self.stats, self._replicas, self._barrier)
        self._pipeline = pipeline
        reason = "the connection to Redis was closed"
        try:
            await pipeline.begin(self._setup)
            self.attempts, self._loss_reason = 0, ""
            self.stats.connects += 1
            self._announce()
            raise LostError(await pipeline.wait_until_lost())
        except LostError as error:
            reason = str(error)
            raise
        finally:
            await pipeline.end(reason)
            self._pipeline, self._loss_reason = None, reason

    def _announce(self) -> None:
        self._changed.set()
        self._changed.clear()

    # --- commands -----------------------------------------------------------------------------------------------

    def ask(self, answered: AnswerReceiver, *words: Word) -> None:
        """Send a command with the others of this turn. Raise ``UnicodeEncodeError`` for text without a UTF-8 form."""
        pipeline = self._pipeline
        if pipeline is not None and pipeline.open:
            pipeline.send(pack(words), answered)
        else:
            asyncio.get_running_loop().call_soon(deliver, answered, LostError(self.loss_reason))

    def run(self, answered: AnswerReceiver, script: Script, key: Word, *words: Word) -> None:
        """Run a script on a key, as :meth:`ask` does."""
        self.ask(_ScriptRun(self, answered, script, key, words), "EVALSHA", script.sha, 1, key, *words)

    async def call(self, *words: Word) -> Any:
        """Send a command and wait. Raise ValueError for words that cannot be sent, ``StoreUnavailableError``."""
        return await _awaited(lambda answered: self.ask(answered, *words))

    async def carry_out(self, script: Script, key: Word, *words: Word) -> Any:
        """Run a script and wait. Raise as :meth:`call` does."""
        return await _awaited(lambda answered: self.run(answered, script, key, *words))

    def send_again(self, answered: AnswerReceiver, script: Script, key: Word, words: tuple[Word, ...]) -> None:
        """Send a script with its text: Redis did not run it, because it has forgotten the text."""
        self.ask(answered, "EVAL", script.text, 1, key, *words)


class _ScriptRun:
    """Takes the answer of a script, and sends its text if Redis has forgotten it."""

    __slots__ = ("_answered", "_connection", "_key", "_script", "_words")

    def __init__(
        self, connection: RedisConnection, answered: AnswerReceiver, script: Script, key: Word, words: tuple[Word, ...]
    ) -> None:
        self._connection, self._answered = connection, answered
        self._script, self._key, self._words = script, key, words

    def __call__(self, answer: Any) -> None:
        if type(answer) is ReplyError and error_code(answer) == "NOSCRIPT":
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
