"""One connection to the primary, from its handshake until it is lost: commands, answers and pushes in the order of Redis.

Commands of one turn of the event loop leave in one write. Answers are delivered in the turn in which their bytes arrive. No
command is sent twice: a command without an answer within a second is *unknown*, and so is every command of a connection that
was lost. Redis may carry out such a command later, so each script must be harmless then: it compares versions, or knows the
id of what it does.

With ``replicas``, each write ends with a change and a WAIT. All answers and pushes that were received up to that change are
delivered only after this many replicas have confirmed it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from itertools import chain
from typing import Any, Final, Protocol, TypeAlias

from hiredis import PushNotification, ReplyError

from noughts.store.connection_stats import ConnectionStats
from noughts.store.redis.failures import LostError, is_elsewhere, is_incapable, reason_of
from noughts.store.redis.primary import PrimaryConnection, pack
from noughts.store.redis.scripts import Word

ANSWER_S: Final = 1.0
"""Seconds after which a command without an answer is unknown."""
WAIT_MS: Final = 800
"""Milliseconds for replicas to confirm."""

AnswerReceiver: TypeAlias = Callable[[Any], None]
"""Takes an answer, or an exception: a ``ReplyError`` of Redis, or a :class:`LostError`."""
_Entry: TypeAlias = tuple[AnswerReceiver | None, Any, Any]
"""The receiver, the answer and nothing; or, for a push, no receiver, the channel and the message."""


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

    async def run(self, pipeline: RedisPipeline) -> None:
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
        """Whether commands may be sent: the setup has prepared the server, and the connection is not lost."""
        self.loss_reason = ""
        """Why the connection is lost."""
        self._connection = connection
        self._receiver = receiver
        self._stats = stats
        self._replicas = replicas
        self._barrier_command = pack(("SET", barrier, "1")) + pack(("WAIT", replicas, WAIT_MS))
        self._queued: list[tuple[bytes, AnswerReceiver]] = []
        self._scheduled = False
        self._sent: deque[tuple[AnswerReceiver, float]] = deque()
        self._barriers = 0
        """Barriers that were sent, and whose write has no answer yet."""
        self._held: list[_Entry] = []
        """What was received since the newest barrier was written."""
        self._unconfirmed: deque[list[_Entry]] = deque()
        """What was received before each barrier that was written, and that the replicas have not confirmed yet."""
        self._ready: deque[_Entry] = deque()
        self._paused = False
        self._loop = asyncio.get_running_loop()
        self._lost: asyncio.Future[str] = self._loop.create_future()
        self._watch: asyncio.TimerHandle | None = None

    # --- life ---------------------------------------------------------------------------------------------------

    async def begin(self, setup: Setup) -> None:
        """Begin to write and to read, and let the setup prepare the server. Raise :class:`LostError`."""
        self._connection.read_by(self)
        running = self._loop.create_task(setup.run(self))
        ends: list[asyncio.Future[Any]] = [self._lost, running]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        if self._lost.done():
            raise LostError(self.loss_reason)
        error = running.exception()
        if isinstance(error, Exception):
            raise LostError(reason_of(error)) from error
        self.open = True

    async def wait_until_lost(self) -> str:
        """Wait until the connection is lost. Return the reason."""
        return await asyncio.shield(self._lost)

    async def end(self, reason: str) -> None:
        """Give up every command that has no answer, and disconnect."""
        self._lose(reason)
        self._connection.close()

    def ended(self, error: Exception) -> None:
        """Give up every command that has no answer: the connection is lost."""
        self._lose(reason_of(error))

    def _lose(self, reason: str) -> None:
        """Take no more commands. Answer those that have no answer: their outcome is not known."""
        if self._lost.done():
            return
        self.open = False
        self.loss_reason = reason
        self._lost.set_result(reason)
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        error = LostError(reason)
        received = [*self._ready, *chain.from_iterable(self._unconfirmed), *self._held]
        expecting = [answered for answered, _, _ in received if answered is not None]
        expecting += [entry[0] for entry in self._sent]
        expecting += [entry[1] for entry in self._queued]
        self._ready.clear()
        self._unconfirmed.clear()
        self._held = []
        self._sent.clear()
        self._queued = []
        for answered in expecting:
            deliver(answered, error)

    # --- commands -----------------------------------------------------------------------------------------------

    def send(self, command: bytes, answered: AnswerReceiver) -> None:
        """Send a packed command with the others of this turn."""
        self._queued.append((command, answered))
        if not self._scheduled:
            self._write_soon()

    async def prepare(self, *words: Word) -> Any:
        """Send a command while the connection is being prepared. Raise a ``ReplyError`` or :class:`LostError`.

        SUBSCRIBE must name one channel: each channel has an answer of its own.
        """
        future: asyncio.Future[Any] = self._loop.create_future()
        self.send(pack(words), lambda answer: None if future.done() else future.set_result(answer))
        answer = await future
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _write_soon(self) -> None:
        self._scheduled = True
        self._loop.call_soon(self._write)

    def _write(self) -> None:
        """Write the commands of this turn in one piece."""
        self._scheduled = False
        if self._lost.done():
            return
        commands, self._queued = self._queued, []
        now_s = self._loop.time()
        packed = []
        for command, answered in commands:
            packed.append(command)
            self._sent.append((answered, now_s))
        if self._replicas:
            # WAIT counts from the last write of this connection, so there must be one before it.
            packed.append(self._barrier_command)
            self._barriers += 1
            self._sent += ((_barrier_written, now_s), (_barrier_confirmed, now_s))
        if self._watch is None:
            self._watch = self._loop.call_at(now_s + ANSWER_S, self._check_time)
        self._stats.batches += 1
        self._stats.commands += len(commands)
        self._connection.write(b"".join(packed))

    # --- answers ------------------------------------------------------------------------------------------------

    def received(self, answers: list[Any]) -> None:
        """Take answers and pushes, in the order of Redis."""
        if self._lost.done():
            return
        stats, sent, gated = self._stats, self._sent, bool(self._replicas)
        now_s, reason = self._loop.time(), ""
        for answer in answers:
            # The answer to SUBSCRIBE is a push too.
            if type(answer) is PushNotification and answer[0] != b"subscribe":
                if answer[0] != b"message":
                    continue
                stats.pushes += 1
                (self._held if gated else self._ready).append((None, answer[1], answer[2]))
                if gated and not (self._barriers or self._scheduled):
                    self._write_soon()
                continue
            if isinstance(answer, ReplyError):
                stats.incapable += is_incapable(answer)
                if is_elsewhere(answer):
                    reason = reason_of(answer)
            if not sent:
                reason = "Redis sent an answer to no command"
                break
            answered, sent_s = sent.popleft()
            stats.round_trip_s = now_s - sent_s
            if not gated:
                self._ready.append((answered, answer, None))
            elif answered is _barrier_written:
                self._barriers -= 1
                self._unconfirmed.append(self._held)
                self._held = []
            elif answered is _barrier_confirmed:
                reason = reason or self._shortage(answer)
                if not reason:
                    self._ready.extend(self._unconfirmed.popleft())
            else:
                self._held.append((answered, answer, None))
            if reason:
                break
        if not self._paused:
            self._deliver_ready()
        if reason:
            self._lose(reason)

    def _deliver_ready(self) -> None:
        """Deliver what need not wait for replicas any more."""
        self._paused = False
        ready, receiver = self._ready, self._receiver
        while ready:
            answered, first, second = ready[0]
            if answered is not None and receiver.acting:
                # Let the task that waits for messages act on them first: Redis sent them before this answer.
                self._paused = True
                self._loop.call_soon(self._deliver_ready)
                return
            ready.popleft()
            if answered is not None:
                deliver(answered, first)
                continue
            try:
                receiver.pushed(first, second)
            except ValueError:  # its text may quote the message
                self._lose("a message of another node cannot be read")  # then everything is read again

    def _check_time(self) -> None:
        self._watch = None
        if not self._sent:
            return
        deadline_s = self._sent[0][1] + ANSWER_S
        if deadline_s > self._loop.time():
            self._watch = self._loop.call_at(deadline_s, self._check_time)
            return
        self._stats.timeouts += 1
        self._lose(f"Redis did not answer within {ANSWER_S:g} s")

    def _shortage(self, answer: Any) -> str:
        """Return why the answer to a WAIT does not confirm the change, an empty text if it does."""
        if isinstance(answer, Exception):
            return reason_of(answer)
        if answer < self._replicas:
            return f"{answer} of {self._replicas} replicas confirmed the change in time"
        return ""


def deliver(answered: AnswerReceiver, answer: Any) -> None:
    """Deliver an answer. A receiver that raises does not stop the others."""
    try:
        answered(answer)
    except Exception as error:
        context = {"message": "the receiver of a store's answer failed", "exception": error}
        asyncio.get_running_loop().call_exception_handler(context)


def ignore(answer: Any) -> None:
    """Take an answer that changes nothing. After a lost connection, a node says everything again, and leases end."""


def _barrier_written(answer: Any) -> None:
    """Stand for the receiver of the answer to a barrier's write, which the connection reads itself."""


def _barrier_confirmed(answer: Any) -> None:
    """Stand for the receiver of the answer to a barrier's WAIT, which the connection reads itself."""
