"""Finds the primary: asks the sentinels, connects, and verifies the server's role."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol, TypeVar, cast

import hiredis

from noughts.store.address import Endpoint, RedisAddress
from noughts.store.redis.failures import LostError, reason_of
from noughts.store.redis.scripts import Word

CONNECT_S: Final = 1.0
"""Seconds for a connection, and for each answer while the primary is looked for."""

pack: Final[Callable[[tuple[Word, ...]], bytes]] = hiredis.pack_command  # type: ignore[assignment]  # its stub allows one word

_CLOSED: Final = "the connection to Redis was closed"
_INCOMPLETE: Final = object()
"""Returned by the parser while an answer is not complete. Its own value, False, is an answer in RESP3 too."""
_T = TypeVar("_T")


class Reading(Protocol):
    """Takes what a connection receives, in the turn of the event loop in which the bytes arrive. It must not raise."""

    def received(self, answers: list[Any]) -> None:
        """Take answers and pushes, in the order of Redis. Its errors are among them, as ``ReplyError``."""
        ...

    def ended(self, error: Exception) -> None:
        """Take the reason why nothing more comes."""
        ...


class PrimaryConnection(asyncio.Protocol):
    """One connection in RESP3. It is set up by one command at a time. Then its owner reads and writes many at a time.

    It parses bytes as they arrive. A stream, which a task reads, would cost a future and a task switch for each piece.
    """

    def __init__(self) -> None:
        parser = hiredis.Reader(notEnoughData=_INCOMPLETE)
        self._feed = parser.feed
        self._take = parser.gets
        self._reading: Reading = self
        self._transport: asyncio.Transport | None = None
        self._error: Exception | None = None
        self._answer: asyncio.Future[Any] | None = None

    # --- what asyncio calls -------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        take, answers = self._take, []
        self._feed(data)
        try:
            while (answer := take(False)) is not _INCOMPLETE:
                answers.append(answer)
        except hiredis.ProtocolError as error:  # these bytes are no answers
            self._reading.received(answers)
            self._end(error)
        else:
            self._reading.received(answers)

    def connection_lost(self, error: Exception | None) -> None:
        self._end(error or LostError(_CLOSED))

    def _end(self, error: Exception) -> None:
        if self._error is None:
            self._error = error
            self._reading.ended(error)

    # --- one command at a time ----------------------------------------------------------------------------------

    async def ask(self, *words: Word) -> Any:
        """Send a command and wait for its answer. Raise ``ReplyError`` for a rejection, :class:`LostError`, OSError."""
        self._answer = asyncio.get_running_loop().create_future()
        if self._error is not None:
            raise self._error
        self.write(pack(words))
        answer = await self._answer
        if isinstance(answer, Exception):
            raise answer
        return answer

    def received(self, answers: list[Any]) -> None:
        """Take the answer to :meth:`ask`."""
        for answer in answers:
            if self._answer is not None and not self._answer.done():
                self._answer.set_result(answer)

    def ended(self, error: Exception) -> None:
        """Take the end of the connection as the answer to :meth:`ask`."""
        self.received([error])

    # --- many at a time -----------------------------------------------------------------------------------------

    def read_by(self, reading: Reading) -> None:
        """Give everything that arrives from now on to this receiver. Raise :class:`LostError` if nothing more comes."""
        if self._error is not None:
            raise LostError(_CLOSED)
        self._reading = reading

    def write(self, commands: bytes) -> None:
        """Send packed commands. Errors show as the end of the connection."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(commands)

    def close(self) -> None:
        """Disconnect at once. What was not sent yet is dropped."""
        if self._transport is not None:
            self._transport.abort()


class PrimaryFinder:
    """Connects to the primary of one address, wherever it is at the moment."""

    def __init__(self, address: RedisAddress, client_name: str) -> None:
        self._address = address
        self._client_name = client_name
        self._endpoints = list(address.endpoints)

    async def connect(self) -> PrimaryConnection:
        """Return a connection to the primary after its handshake. Raise :class:`LostError` with the reason."""
        if self._address.topology == "server":
            return await self._primary(self._endpoints[0])
        reasons = []
        for endpoint in list(self._endpoints):
            try:
                connection = await self._primary(await self._ask_sentinel(endpoint))
            except LostError as error:
                reasons.append(str(error))
                continue
            self._endpoints.remove(endpoint)
            self._endpoints.insert(0, endpoint)
            return connection
        raise LostError("; ".join(dict.fromkeys(reasons)))

    async def _primary(self, endpoint: Endpoint) -> PrimaryConnection:
        connection = await self._connection(endpoint, self._address.password)
        try:
            if self._address.database:
                await _answered(endpoint, connection.ask("SELECT", self._address.database))
            role = await _answered(endpoint, connection.ask("ROLE"))
            if role[0] != b"master":
                raise LostError(f"{endpoint} is a replica: name its primary, or use redis+sentinel://")
        except BaseException:
            connection.close()
            raise
        return connection

    async def _ask_sentinel(self, endpoint: Endpoint) -> Endpoint:
        """Return where the primary is. A sentinel often has no password, so try without first."""
        password = self._address.password
        try:
            connection = await self._connection(endpoint, None)
        except LostError as error:
            if password is None or not isinstance(error.__cause__, hiredis.ReplyError):
                raise
            connection = await self._connection(endpoint, password)
        try:
            request = connection.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._address.name)
            answer = await _answered(endpoint, request)
        finally:
            connection.close()
        if not answer:
            raise LostError(f"the sentinel {endpoint} knows no primary named {self._address.name}")
        return Endpoint(answer[0].decode(), int(answer[1]))

    async def _connection(self, endpoint: Endpoint, password: str | None) -> PrimaryConnection:
        """Connect to a server and authenticate."""
        address = self._address
        context = ssl.create_default_context(cafile=address.certificates) if address.tls else None
        loop = asyncio.get_running_loop()
        opening = loop.create_connection(PrimaryConnection, endpoint.host, endpoint.port, ssl=context)
        _, connection = await _answered(endpoint, opening)
        words = () if password is None else ("AUTH", address.account or "default", password)
        try:
            await _answered(endpoint, connection.ask("HELLO", 3, *words, "SETNAME", self._client_name))
        except BaseException:
            connection.close()
            raise
        return connection


async def _answered(endpoint: Endpoint, request: Awaitable[_T]) -> _T:
    """Wait for a server. Raise :class:`LostError`, which names it."""
    try:
        async with asyncio.timeout(CONNECT_S):
            return await request
    except TimeoutError as error:
        raise LostError(f"{endpoint}: no answer within {CONNECT_S:g} s") from error
    except (hiredis.ReplyError, LostError, OSError) as error:
        raise LostError(f"{endpoint}: {reason_of(error)}") from error
