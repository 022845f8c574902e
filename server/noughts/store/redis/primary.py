"""Finds the primary: asks the sentinels or the cluster, connects, and verifies the server's role."""

from __future__ import annotations

import asyncio
import binascii
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Final, Protocol

import hiredis
from redis._parsers.hiredis import NOT_ENOUGH_DATA
from redis._parsers.socket import SERVER_CLOSED_CONNECTION_ERROR
from redis.asyncio.connection import Connection, SSLConnection
from redis.exceptions import AuthenticationError, ConnectionError, RedisError, ResponseError

from noughts.store.address import Endpoint, RedisAddress
from noughts.store.redis.failures import LostError, reason_of

CONNECT_S: Final = 1.0
"""Seconds for a connection, and for each answer while the primary is looked for."""

_CLOSED: Final = "the connection to Redis was closed"


class Reading(Protocol):
    """Takes what a connection receives, in the turn of the event loop in which the bytes arrive. It must not raise."""

    def received(self, answers: list[Any]) -> None:
        """Take answers and pushes, in the order of Redis. Its errors are among them, as exceptions."""
        ...

    def ended(self, error: Exception) -> None:
        """Take the reason why nothing more comes."""
        ...


class _Incoming(asyncio.Protocol):
    """Parses bytes as they arrive. A stream, which a task reads, would cost a future and a task switch for each piece."""

    def __init__(self, parser: hiredis.Reader, reading: Reading) -> None:
        self._feed = parser.feed
        self._take = parser.gets
        self._reading = reading

    def data_received(self, data: bytes) -> None:
        take, answers = self._take, []
        self._feed(data)
        try:
            while (answer := take(False)) is not NOT_ENOUGH_DATA:
                answers.append(answer)
        except RedisError as error:  # these bytes are no answers
            self._reading.received(answers)
            self._reading.ended(error)
        else:
            self._reading.received(answers)

    def connection_lost(self, error: Exception | None) -> None:
        self._reading.ended(error or ConnectionError(SERVER_CLOSED_CONNECTION_ERROR))


class PrimaryConnection(Connection):
    """A connection that is set up by the library. Then its owner reads and writes many answers and commands at a time."""

    def read_by(self, reading: Reading) -> None:
        """Give everything that arrives from now on to this receiver. Nothing may be under way. Raise :class:`LostError`."""
        reader: hiredis.Reader = self._parser._reader  # type: ignore[attr-defined]  # of hiredis
        transport = self._transport
        if transport.is_closing():  # the end was reported to the stream before
            raise LostError(_CLOSED)
        transport.set_protocol(_Incoming(reader, reading))

    def write(self, commands: bytes) -> None:
        """Send packed commands. Errors show as the end of the connection."""
        self._transport.write(commands)

    @property
    def _transport(self) -> asyncio.WriteTransport:
        if self._writer is None:
            raise LostError(_CLOSED)
        return self._writer.transport


class _TlsPrimaryConnection(SSLConnection, PrimaryConnection):
    """The same over TLS."""


class PrimaryFinder:
    """Connects to the primary of one address, wherever it is at the moment."""

    def __init__(self, address: RedisAddress, tag: str, client_name: str) -> None:
        self._address = address
        self._hash_slot = binascii.crc_hqx(tag.encode(), 0) % 16_384
        self._client_name = client_name
        self._endpoints = list(address.endpoints)

    async def connect(self) -> PrimaryConnection:
        """Return a connection to the primary after its handshake. Raise :class:`LostError` with the reason."""
        if self._address.topology == "server":
            return await self._primary(self._endpoints[0])
        reasons = []
        for endpoint in list(self._endpoints):
            try:
                if self._address.topology == "sentinel":
                    primary = await self._ask_sentinel(endpoint)
                else:
                    primary = await self._ask_cluster(endpoint)
                connection = await self._primary(primary)
            except LostError as error:
                reasons.append(str(error))
                continue
            self._endpoints.remove(endpoint)
            self._endpoints.insert(0, endpoint)
            return connection
        raise LostError("; ".join(dict.fromkeys(reasons)))

    async def _primary(self, endpoint: Endpoint) -> PrimaryConnection:
        connection = self._connection(endpoint, self._address.database, self._address.password)
        try:
            await _connect(connection, endpoint)
            role = await _ask(connection, endpoint, "ROLE")
            if role[0] != b"master":
                raise LostError(f"{endpoint} is a replica: name its primary, or use redis+sentinel://")
        except BaseException:
            await _close(connection)
            raise
        connection.socket_timeout = None  # from now on, the caller watches the time
        return connection

    async def _ask_sentinel(self, endpoint: Endpoint) -> Endpoint:
        async with self._guide(endpoint) as connection:
            answer = await _ask(connection, endpoint, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._address.name)
        if not answer:
            raise LostError(f"the sentinel {endpoint} knows no primary named {self._address.name}")
        return Endpoint(answer[0].decode(), int(answer[1]))

    async def _ask_cluster(self, endpoint: Endpoint) -> Endpoint:
        async with self._guide(endpoint) as connection:
            ranges = await _ask(connection, endpoint, "CLUSTER", "SLOTS")
        for first, last, primary, *_ in ranges:
            if first <= self._hash_slot <= last:
                host = primary[0].decode() if primary[0] else ""
                return Endpoint(host if host not in ("", "?") else endpoint.host, int(primary[1]))
        raise LostError(f"the cluster of {endpoint} has no primary for the rooms")

    @asynccontextmanager
    async def _guide(self, endpoint: Endpoint) -> AsyncIterator[Connection]:
        """Connect to a server that knows where the primary is. A sentinel often has no password, so try without first."""
        password = self._address.password
        sentinel = self._address.topology == "sentinel"
        connection = self._connection(endpoint, 0, None if sentinel else password)
        try:
            try:
                await _connect(connection, endpoint)
            except LostError as error:
                if not (sentinel and password and isinstance(error.__cause__, AuthenticationError | ResponseError)):
                    raise
                await _close(connection)
                connection = self._connection(endpoint, 0, password)
                await _connect(connection, endpoint)
            yield connection
        finally:
            await _close(connection)

    def _connection(self, endpoint: Endpoint, database: int, password: str | None) -> PrimaryConnection:
        address = self._address
        settings: dict[str, Any] = {
            "host": endpoint.host,
            "port": endpoint.port,
            "db": database,
            "username": address.account if password is not None else None,
            "password": password,
            "client_name": self._client_name,
            "protocol": 3,
            "socket_timeout": CONNECT_S,
            "socket_connect_timeout": CONNECT_S,
            "driver_info": None,
        }
        if address.topology == "sentinel" and password is None:
            del settings["client_name"]
        if not address.tls:
            return PrimaryConnection(**settings)
        certificates = None if address.certificates is None else str(address.certificates)
        return _TlsPrimaryConnection(ssl_ca_certs=certificates, **settings)


async def _connect(connection: Connection, endpoint: Endpoint) -> None:
    with _reported_as_lost(endpoint):
        await connection.connect()  # type: ignore[no-untyped-call]


async def _ask(connection: Connection, endpoint: Endpoint, *words: str) -> Any:
    with _reported_as_lost(endpoint):
        await connection.send_command(*words)
        return await connection.read_response(disable_decoding=True)


@contextmanager
def _reported_as_lost(endpoint: Endpoint) -> Iterator[None]:
    try:
        yield
    except (RedisError, OSError) as error:
        raise LostError(f"{endpoint}: {reason_of(error)}") from error
    except RuntimeError as error:  # uvloop's error for a write after the other side has closed
        raise LostError(f"{endpoint}: {_CLOSED}") from error


async def _close(connection: Connection) -> None:
    with suppress(RedisError, OSError):
        await connection.disconnect(nowait=True)
