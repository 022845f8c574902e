"""The messages of one client: its hello, then commands, each of which costs credit and gets an answer."""

from __future__ import annotations

import asyncio
import time
from typing import TypeAlias

import structlog

from noughts.app.delivery.connection import Connection
from noughts.app.machines.replies import not_stored
from noughts.app.rooms.actor import RoomActor
from noughts.app.runtime.clock import ServerClock
from noughts.app.runtime.limits import (
    CHAT,
    CHAT_ADDRESS,
    EXCESS,
    EXCESS_OF_ADDRESS,
    MAX_MALFORMED_MESSAGES,
    MAX_UNREAD_S,
    MESSAGES,
    MESSAGES_OF_ADDRESS,
    MESSAGES_OF_PLAYER,
    PINGS,
    REACTIONS,
    Limit,
    Limits,
)
from noughts.app.runtime.metrics import Metrics
from noughts.app.runtime.tasks import Tasks
from noughts.app.tournaments.door import TournamentDoor
from noughts.errors import Rejection, fault
from noughts.protocol.close_codes import TOO_MANY
from noughts.protocol.codec import MalformedCommandError, decode_command, decode_tournament_command, encode
from noughts.protocol.messages import Ok, Pong, Rejected
from noughts.room.commands import Chat, Ping, React, Request, RoomCommand, Visible
from noughts.room.idempotency import command_key
from noughts.store.contract import StoreUnavailableError
from noughts.store.coordination import Bucket
from noughts.tournament.commands import TournamentCommand, Watch
from noughts.values import Value

log = structlog.get_logger()


class CommandReceiver:
    """The receiver of a client's frames. The first text is the hello; after :meth:`begin` each text is a command."""

    __slots__ = (
        "_actor", "_begun", "_clock", "_connection", "_credit", "_limits", "_malformed", "_metrics", "_tasks",
        "_tournament", "hello",
    )  # fmt: skip

    def __init__(
        self, connection: Connection, limits: Limits, clock: ServerClock, metrics: Metrics, tasks: Tasks
    ) -> None:
        self.hello: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """The first text. What follows waits until the client is in its room or the lobby."""
        self._begun = False
        self._connection = connection
        self._actor: RoomActor | None = None
        self._tournament: TournamentDoor | None = None
        self._limits = limits
        self._clock = clock
        self._metrics = metrics
        self._tasks = tasks
        self._credit = ClientCredit(connection, limits)
        self._malformed = 0

    def begin(self, actor: RoomActor | None, tournament: TournamentDoor | None = None) -> None:
        """Take commands for a room or a tournament, or in the lobby. The player of the connection is known now."""
        self._begun, self._actor, self._tournament = True, actor, tournament
        self._credit = ClientCredit(self._connection, self._limits)
        self._connection.resume()

    # --- frames -------------------------------------------------------------------------------------------------

    def text_received(self, text: str) -> None:
        """Answer one text frame, or keep the hello and read no further."""
        connection = self._connection
        if not self._begun:
            connection.pause()
            self.hello.set_result(text)
            return
        connection.received_s = now_s = time.monotonic()
        command: RoomCommand | TournamentCommand | Watch | Visible | Ping
        try:
            command = decode_command(text) if self._tournament is None else decode_tournament_command(text)
        except MalformedCommandError as error:
            self._malformed_received(error, now_s)
            return
        reply = CommandReply(connection, self._actor, command.id, type(command).__name__, now_s, self._metrics)
        try:
            self._carry_out(command, reply, now_s)
        except Exception as error:
            reply.failed(error)

    def _carry_out(
        self, command: RoomCommand | TournamentCommand | Watch | Visible | Ping, reply: CommandReply, now_s: float
    ) -> None:
        """Carry out one command. Raise :class:`Rejection` before it reaches the room."""
        connection, actor = self._connection, self._actor
        self._credit.charge(now_s, ping=type(command) is Ping)
        if type(command) is Ping:
            connection.send(encode(Pong(command.id, self._clock.now_ms())))
            return
        person, tournament = connection.person, self._tournament
        if tournament is not None and isinstance(command, Watch):
            tournament.watch(connection, command, reply)
            return
        if person is None:
            raise Rejection("unauthorized", "You are watching without a name: say hello with a token to take part.")
        if tournament is not None:
            tournament.submit(person, command, reply)  # type: ignore[arg-type] # decoded for a tournament
            return
        if actor is None:
            raise Rejection("forbidden", "This is the lobby: connect to a room to do that.")
        if type(command) is Visible:
            actor.visible_changed(connection, visible=command.visible)
            reply(actor.room.version)
            return
        request = Request(person, command)  # type: ignore[arg-type] # decoded for a room
        key = command_key(person.player, command.id)
        if type(command) is Chat or type(command) is React:
            connection.pause()
            self._tasks.run(self._talk(actor, request, key, reply))
        else:
            actor.submit(request, key, reply)

    async def _talk(self, actor: RoomActor, request: Request, key: tuple[str, str], reply: CommandReply) -> None:
        """Submit chat or a reaction once the limit that all nodes share allows it. No further frame is read before that."""
        limit = CHAT if type(request.command) is Chat else REACTIONS
        try:
            await self._limits.take_shared(limit, request.by.player)
            if limit is CHAT:
                await self._limits.take_for_address(CHAT_ADDRESS, self._connection.address)
            actor.submit(request, key, reply)
        except Exception as error:
            reply.failed(error)
        finally:
            self._connection.resume()

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
        elif self._actor is not None:
            self._actor.lag_measured()

    def _malformed_received(self, error: MalformedCommandError, now_s: float) -> None:
        self._connection.send(_rejected(error.id, error.rejection))
        self._metrics.command_answered("none", error.rejection.code)
        # A malformed command that has an id counts only once the client is out of credit.
        if error.id is None or self._credit.is_out(now_s):
            self._malformed += 1
        if self._malformed == MAX_MALFORMED_MESSAGES:
            self._connection.close(TOO_MANY, "too many malformed messages")


class CommandReply(Value):
    """Sends the answer to one command, which is of this kind and arrived at ``began_s``."""

    connection: Connection
    actor: RoomActor | None
    id: str
    kind: str
    began_s: float
    metrics: Metrics

    def __call__(self, answer: int | Rejection) -> None:
        connection, metrics = self.connection, self.metrics
        if not isinstance(answer, Rejection):
            connection.send(encode(Ok(self.id, answer)))
            metrics.command_seconds.observe(time.monotonic() - self.began_s)
            metrics.command_answered(self.kind, "ok")
            return
        connection.send(_rejected(self.id, answer))
        metrics.command_answered(self.kind, answer.code)
        if answer.code == "internal":
            metrics.faults += 1
        elif answer.code in ("stale", "illegal_move") and self.actor is not None:
            self.actor.visitors.resend(connection, self.actor.room)

    def failed(self, error: Exception) -> None:
        """Answer with the rejection that was raised, or with a fault, which is logged."""
        if isinstance(error, StoreUnavailableError):
            error = not_stored()
        if not isinstance(error, Rejection):
            log.error("a command failed", command=self.kind, exc_info=error)
            error = fault()
        self(error)


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
