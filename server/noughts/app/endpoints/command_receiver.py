"""The messages of one client: its hello, then commands, each of which costs credit and gets an answer."""

from __future__ import annotations

import asyncio
import time
from typing import TypeAlias

import structlog

from noughts.app.delivery.connection import Connection
from noughts.app.machines.replies import rejection_of
from noughts.app.machines.wing import Door
from noughts.app.runtime.clock import ServerClock
from noughts.app.runtime.limits import (
    EXCESS,
    EXCESS_OF_ADDRESS,
    MAX_MALFORMED_MESSAGES,
    MAX_UNREAD_S,
    MESSAGES,
    MESSAGES_OF_ADDRESS,
    MESSAGES_OF_PLAYER,
    PINGS,
    Limit,
    Limits,
)
from noughts.app.runtime.metrics import Metrics
from noughts.errors import Rejection
from noughts.protocol.close_codes import TOO_MANY
from noughts.protocol.codec import MalformedCommandError, encode
from noughts.protocol.messages import Ok, Pong, Rejected
from noughts.room.commands import Ping
from noughts.store.coordination import Bucket
from noughts.values import Value

log = structlog.get_logger()


class CommandReceiver:
    """The receiver of a client's frames. The first text is the hello; after :meth:`begin` each text is a command."""

    __slots__ = (
        "_clock", "_connection", "_credit", "_door", "_limits", "_malformed", "_metrics", "hello",
    )  # fmt: skip

    def __init__(self, connection: Connection, limits: Limits, clock: ServerClock, metrics: Metrics) -> None:
        self.hello: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """The first text. What follows waits until the client has entered."""
        self._connection = connection
        self._door: Door | None = None
        """What the client talks to; None until it has entered."""
        self._limits = limits
        self._clock = clock
        self._metrics = metrics
        self._credit = ClientCredit(connection, limits)
        self._malformed = 0

    def begin(self, door: Door) -> None:
        """Pass commands to a door from now on. The player of the connection is known now."""
        self._door = door
        self._credit = ClientCredit(self._connection, self._limits)
        self._connection.resume()

    # --- frames -------------------------------------------------------------------------------------------------

    def text_received(self, text: str) -> None:
        """Answer one text frame, or keep the hello and read no further."""
        connection, door = self._connection, self._door
        if door is None:
            connection.pause()
            self.hello.set_result(text)
            return
        connection.received_s = now_s = time.monotonic()
        try:
            command = door.decode(text)
        except MalformedCommandError as error:
            self._malformed_received(error, now_s)
            return
        kind = type(command).__name__
        reply = CommandReply(connection, door, command.id, kind, now_s, self._metrics).send
        ping = type(command) is Ping
        try:
            self._credit.charge(now_s, ping=ping)
            if ping:
                connection.send(encode(Pong(command.id, self._clock.now_ms())))
            else:
                door.submit(connection.person, command, reply)
        except Exception as error:
            reply(rejection_of(error, kind))

    def ping_received(self, payload: bytes) -> None:
        """Answer a client's Ping if the client has credit."""
        self._connection.received_s = now_s = time.monotonic()
        if not self._credit.is_out(now_s):
            self._connection.pong(payload)

    def pong_received(self, payload: bytes) -> None:
        """Take a Pong. The answer to our own Ping is free; any other costs one credit."""
        self._connection.received_s = now_s = time.monotonic()
        if not self._connection.pong_received(payload, now_s):
            self._credit.is_out(now_s)
        elif self._door is not None:
            self._door.lag_measured()

    def _malformed_received(self, error: MalformedCommandError, now_s: float) -> None:
        self._connection.send(_rejected(error.id, error.rejection))
        self._metrics.commands["none", error.rejection.code] += 1
        # A malformed command that has an id counts only once the client is out of credit.
        if error.id is None or self._credit.is_out(now_s):
            self._malformed += 1
        if self._malformed == MAX_MALFORMED_MESSAGES:
            self._connection.close(TOO_MANY, "too many malformed messages")


class CommandReply(Value):
    """Sends the answer to one command, which is of this kind and arrived at ``began_s``."""

    connection: Connection
    door: Door
    id: str
    kind: str
    began_s: float
    metrics: Metrics

    def send(self, answer: int | Rejection) -> None:
        """Send the answer."""
        connection, metrics = self.connection, self.metrics
        if isinstance(answer, int):
            connection.send(encode(Ok(self.id, answer)))
            metrics.command_seconds.observe(time.monotonic() - self.began_s)
            metrics.commands[self.kind, "ok"] += 1
            return
        connection.send(_rejected(self.id, answer))
        metrics.commands[self.kind, answer.code] += 1
        if answer.code == "internal":
            metrics.faults += 1
        elif answer.code in ("stale", "illegal_move"):
            self.door.resend()


def _rejected(command_id: str | None, rejection: Rejection) -> bytes:
    return encode(Rejected(command_id, rejection.code, rejection.message, rejection.retry_ms))


# --- credit ---------------------------------------------------------------------------------------------------------

_Credits: TypeAlias = tuple[tuple[Bucket, Limit], ...]
"""Every bucket that a message uses, with its limit. All that a socket shares with others is looked up once."""


class ClientCredit:
    """Charges the messages of one connection.

    A client without credit is rejected, and is not read until it has credit again. A client far beyond its credit is
    closed.
    """

    __slots__ = ("_connection", "_excess", "_limits", "_messages", "_pings")

    def __init__(self, connection: Connection, limits: Limits) -> None:
        self._connection = connection
        self._limits = limits
        self._messages: _Credits = ()
        self._pings: _Credits = ()
        self._excess: tuple[Bucket, ...] | None = None

    def charge(self, now_s: float, *, ping: bool = False) -> None:
        """Use one credit. A command of type ping has credits of its own. Raise ``rate_limited``."""
        if self._limits.off:
            return
        for bucket, limit in (self._pings if ping else self._messages) or self._opened(now_s, ping):
            retry_ms = bucket.take(now_s)
            if retry_ms:
                self._limits.bites.note(limit.name, self._connection.address)
                self._note_rejection(retry_ms, now_s)
                raise limit.rejection(retry_ms)

    def is_out(self, now_s: float) -> bool:
        """Use one credit for a frame that is not a command. Return whether there was none."""
        try:
            self.charge(now_s)
        except Rejection:
            return True
        return False

    def _opened(self, now_s: float, ping: bool) -> _Credits:
        """Return the credits that a first message uses, or a first ping."""
        if ping:
            self._pings = ((Bucket(PINGS.rate, now_s), PINGS),)
            return self._pings
        limits, person = self._limits, self._connection.person
        buckets = limits.buckets_of_networks(MESSAGES_OF_ADDRESS, self._connection.address, now_s)
        shared = [(bucket, MESSAGES_OF_ADDRESS) for bucket in buckets]
        if person is not None:
            shared.append((limits.bucket(MESSAGES_OF_PLAYER, person.player, now_s), MESSAGES_OF_PLAYER))
        self._messages = ((Bucket(MESSAGES.rate, now_s), MESSAGES), *shared)
        return self._messages

    def _note_rejection(self, retry_ms: int, now_s: float) -> None:
        """Stop reading until there is credit. Close the connection of a client far beyond it."""
        excess = self._excess
        if excess is None:
            of_networks = self._limits.buckets_of_networks(EXCESS_OF_ADDRESS, self._connection.address, now_s)
            excess = self._excess = (Bucket(EXCESS.rate, now_s), *of_networks)
        if any(bucket.take(now_s) for bucket in excess):
            self._connection.close(TOO_MANY, "too many messages")
        else:
            self._connection.rest(min(retry_ms / 1000, MAX_UNREAD_S))
