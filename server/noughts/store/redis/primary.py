"""Finds the primary: asks the sentinels or the cluster, connects, and verifies the server's role."""

from __future__ import annotations

import binascii
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import hiredis
from redis._parsers import _AsyncHiredisParser
from redis._parsers.hiredis import NOT_ENOUGH_DATA
from redis.asyncio.connection import Connection, SSLConnection
from redis.exceptions import AuthenticationError, RedisError, ResponseError

from noughts.store.address import Endpoint, RedisAddress
from noughts.store.redis.failures import LostError, reason_of

CONNECT_S: Final = 1.0
"""Seconds for a connection, and for each answer while the primary is looked for."""


class _PlainParser(_AsyncHiredisParser):
    """Hands a push on as it is. The library's own handler formats each push for a debug log, which costs 5 µs."""

    async def received(self) -> list[Any]:
        """Wait until something is complete. Return everything that is."""
        received: list[Any] = []
        reader: hiredis.Reader = self._reader  # type: ignore[assignment]  # it is None before the connection
        take = reader.gets
        while True:
            while (answer := take(False)) is not NOT_ENOUGH_DATA:
                received.append(answer)
            if received:
                return received
            await self.read_from_socket()  # type: ignore[no-untyped-call]

    async def handle_push_response(self, response: Any, **_: Any) -> Any:
        return response


class PrimaryConnection(Connection):
    """A connection whose answers are read many at a time."""

    _parser: _PlainParser

    async def received(self) -> list[Any]:
        """Wait for bytes. Return every answer and push that is complete. Errors of Redis are among them, as exceptions.

        Raise ``ConnectionError`` or OSError if the server closed the connection. One at a time, through the library, an
        answer costs 4 µs more.
        """
        return await self._parser.received()


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
            "parser_class": _PlainParser,
        }
        if address.topology == "sentinel" and password is None:
            del settings["client_name"]
        if not address.tls:
            return PrimaryConnection(**settings)
        certificates = None if address.certificates is None else str(address.certificates)
        return _TlsPrimaryConnection(ssl_ca_certs=certificates, **settings)


async def _connect(connection: Connection, endpoint: Endpoint) -> None:
    try:
        await connection.connect()  # type: ignore[no-untyped-call]
    except (RedisError, OSError) as error:
        raise LostError(f"{endpoint}: {reason_of(error)}") from error


async def _ask(connection: Connection, endpoint: Endpoint, *words: str) -> Any:
    try:
        await connection.send_command(*words)
        return await connection.read_response(disable_decoding=True)
    except (RedisError, OSError) as error:
        raise LostError(f"{endpoint}: {reason_of(error)}") from error


async def _close(connection: Connection) -> None:
    with suppress(RedisError, OSError):
        await connection.disconnect(nowait=True)
