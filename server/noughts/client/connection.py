"""A WebSocket that comes back by itself, and sends again what was not answered.

Each command keeps its id, and the server carries out each id once. So a command has one effect, however often the connection
breaks on the way.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from typing import Final, NamedTuple, Protocol, TypeAlias

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, WebSocketException

from noughts.client.decoding import Message, RejectedText, decode
from noughts.client.errors import ConnectError, Rejected, RoomGone
from noughts.printable import printable
from noughts.protocol.close_codes import POLICY, ROOM_CLOSED, TOO_LARGE, UNAUTHORIZED, UNKNOWN_ROOM
from noughts.protocol.codec import encode
from noughts.protocol.messages import PROTOCOL, Hello, Ok, Pong, Welcome
from noughts.room.commands import Ping, RoomCommand, Visible
from noughts.tournament.commands import TournamentCommand

OPEN_S: Final = 10.0
"""Seconds for a handshake."""
PING_S: Final = 15.0
"""Seconds of silence after which the server is pinged, and seconds that it has to answer."""
CLOSE_S: Final = 1.0
"""Seconds for the closing handshake."""
MAX_MESSAGE: Final = 1 << 20
"""Bytes of the longest message, and of the longest answer to a request, that the client reads. A server sends far less."""
UNAVAILABLE_TRIES: Final = 8
"""How often a command is sent again after the code ``unavailable``."""
UNAVAILABLE_MS: Final = 500
"""The wait before the second try, if the server names none. It grows by as much with each try."""
_TRY_AGAIN: Final = frozenset((408, 425, 429, 500, 502, 503, 504))
"""HTTP statuses of a handshake that another try may not get."""

Command: TypeAlias = RoomCommand | TournamentCommand | Visible | Ping


class Receiver(Protocol):
    """Takes what the server sends."""

    def connected(self) -> None:
        """A connection was welcomed. What it sends may be older than what came before, if the server lost something."""
        ...

    def receive(self, message: Message) -> None:
        """A message came that answers no command."""
        ...

    def ended(self, error: Exception) -> None:
        """The connection will not come back."""
        ...


class _Pending(NamedTuple):
    """A command without an answer, as it was sent and will be sent again."""

    text: bytes
    answer: asyncio.Future[int]


class Connection:
    """One place in a room or a tournament that outlives its sockets."""

    def __init__(self, url: str, hello: Hello, receiver: Receiver, rng: random.Random) -> None:
        self._url = url
        self._hello = encode(hello)
        self._receiver = receiver
        self._rng = rng
        self._socket: ClientConnection | None = None
        self._pending: dict[str, _Pending] = {}
        self._ids = _command_ids()
        self._error: Exception | None = None
        self._task: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Begin to connect. The receiver learns of all that follows."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        """Disconnect, and end what runs. Commands that still wait raise :class:`ConnectError`."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        self._end(ConnectError("You have left: enter the room again to send commands."))

    def next_id(self) -> str:
        """Return an id for a new command."""
        return next(self._ids)

    async def ask(self, command: Command) -> int:
        """Send a command until it is answered. Return the room's version after it.

        A command that is answered with ``unavailable`` is sent again.
        Raise :class:`Rejected`, :class:`RoomGone` or :class:`ConnectError`.
        """
        tries = 0
        while True:
            tries += 1
            try:
                return await self._ask_once(command)
            except Rejected as rejection:  # it is not known whether the command took effect, so it keeps its id
                if rejection.code != "unavailable" or tries == UNAVAILABLE_TRIES:
                    raise
                await asyncio.sleep((rejection.retry_ms or UNAVAILABLE_MS * tries) / 1_000)

    async def _ask_once(self, command: Command) -> int:
        if self._error is not None:
            raise self._error
        pending = _Pending(encode(command), asyncio.get_running_loop().create_future())
        self._pending[command.id] = pending
        try:
            if self._socket is not None:
                await _send(self._socket, pending.text)
            return await pending.answer
        finally:
            self._pending.pop(command.id, None)

    # --- the connection -----------------------------------------------------------------------------------------

    async def _run(self) -> None:
        """Connect again and again, until something says that it is of no use."""
        tries = 0
        try:
            while True:
                welcomed = await self._live()
                tries = 1 if welcomed else tries + 1
                await asyncio.sleep(delay_s(tries, self._rng))
        except asyncio.CancelledError:
            raise
        except Exception as error:  # every waiting command gets it
            self._end(error)
        finally:
            self._socket = None

    async def _live(self) -> bool:
        """Hold one connection until it breaks. Return whether the server welcomed it."""
        welcomed = False
        try:
            async with connect(
                self._url,
                compression=None,
                proxy=None,
                max_size=MAX_MESSAGE,
                open_timeout=OPEN_S,
                ping_interval=PING_S,
                ping_timeout=PING_S,
                close_timeout=CLOSE_S,
            ) as socket:
                try:
                    await _send(socket, self._hello)
                    while True:
                        message = decode(await socket.recv(decode=False))
                        if isinstance(message, Welcome):
                            await self._welcomed(socket, message)
                            welcomed = True
                        elif message is not None:
                            self._receive(message)
                finally:
                    await socket.close()  # normally: an exception that leaves ``connect`` closes with 1011
        except ConnectionClosed as error:
            _raise_if_final(self._url, error)
        except InvalidStatus as error:
            if error.response.status_code not in _TRY_AGAIN:
                raise no_server(self._url, f"it answered {error.response.status_code}") from None
        except InvalidHandshake as error:
            if isinstance(error.__cause__, EOFError | OSError):
                return welcomed  # it broke in the middle of the handshake
            raise no_server(self._url, str(error)) from None
        except (OSError, WebSocketException):
            pass  # the network failed: another try may succeed
        except msgspec.DecodeError:
            raise no_server(self._url, "its messages cannot be read") from None
        finally:
            self._socket = None
        return welcomed

    async def _welcomed(self, socket: ClientConnection, welcome: Welcome) -> None:
        if welcome.protocol != PROTOCOL:
            raise other_protocol(self._url, f"it speaks {welcome.protocol}")
        self._receiver.connected()
        self._socket = socket
        for pending in tuple(self._pending.values()):
            await _send(socket, pending.text)

    def _receive(self, message: Message) -> None:
        if isinstance(message, Ok):
            self._answer(message.id, message.version)
        elif isinstance(message, RejectedText):
            self._rejected(message)
        elif isinstance(message, Pong):
            self._answer(message.id, 0)
        else:
            self._receiver.receive(message)

    # --- answers ------------------------------------------------------------------------------------------------

    def _answer(self, command_id: str, version: int) -> None:
        pending = self._pending.get(command_id)
        if pending is not None and not pending.answer.done():
            pending.answer.set_result(version)

    def _rejected(self, rejected: RejectedText) -> None:
        pending = self._pending.get(rejected.id or "")
        if pending is not None and not pending.answer.done():
            pending.answer.set_exception(Rejected(rejected.code, rejected.message, rejected.retry_ms))

    def _end(self, error: Exception) -> None:
        if self._error is None:
            self._error = error
            self._receiver.ended(error)
        for pending in self._pending.values():
            if not pending.answer.done():
                pending.answer.set_exception(self._error)


async def _send(socket: ClientConnection, text: bytes) -> None:
    """Send text. If the connection is lost, the text is sent again on the next one."""
    with suppress(ConnectionClosed):
        await socket.send(text, text=True)


def _command_ids() -> Iterator[str]:
    """Yield ids that no other connection of the player uses."""
    prefix = secrets.token_urlsafe(9)
    return (f"{prefix}-{number}" for number in count(1))


def _raise_if_final(url: str, closed: ConnectionClosed) -> None:
    """Raise the exception of a close code after which another try is of no use."""
    if closed.sent is not None and closed.sent.code == TOO_LARGE:
        raise no_server(url, f"it sent a message of more than {MAX_MESSAGE} bytes")
    code, reason = (0, "") if closed.rcvd is None else (closed.rcvd.code, closed.rcvd.reason)
    if code == POLICY:
        raise other_protocol(url, f'it says "{reason}"')
    if code == UNAUTHORIZED:
        raise Rejected("unauthorized", "The server does not know this token: connect without it to be a new guest.")
    if code == UNKNOWN_ROOM:
        raise RoomGone(f"{printable(reason[:1].upper() + reason[1:])}: ask for another link, or make a room.")
    if code == ROOM_CLOSED:
        raise RoomGone("The room was closed: make another one.")


def no_server(url: str, reason: str) -> ConnectError:
    """Return the exception for an address at which no Noughts server answers."""
    return ConnectError(f"There is no Noughts server at {url}: {printable(reason)}. Check the URL.")


def other_protocol(url: str, reason: str) -> ConnectError:
    """Return the exception for a server that speaks another protocol."""
    return ConnectError(
        f"The server at {url} does not accept this client, which speaks protocol {PROTOCOL}: {printable(reason)}."
        " Install the version of noughts that the server has."
    )


FIRST_S: Final = 0.2
"""The longest delay before the second try, in seconds."""
LONGEST_S: Final = 10.0
"""The longest delay before any try, in seconds."""


def delay_s(tries: int, rng: random.Random) -> float:
    """Return the seconds to wait after a number of failed tries, from 1: exponential, with full jitter.

    Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015. The delay is drawn evenly between 0
    and a maximum that doubles, so that the clients of a server that comes back do not all arrive at the same moment.
    """
    return rng.uniform(0.0, min(LONGEST_S, FIRST_S * 2.0 ** min(tries - 1, 10)))
