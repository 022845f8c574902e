"""A Redis that a copy is written to. Until the copy is complete, its schema has the number 0, which every node refuses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import RedisError

from noughts.store.address import RedisAddress
from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.kinds import KINDS, Kind
from noughts.store.presence import LEASE_MS
from noughts.store.redis.client import Answer, ask, connect
from noughts.store.redis.failures import LostError, reason_of
from noughts.store.redis.lease import INCOMPLETE, SCHEMA_VERSION
from noughts.store.redis.link import RedisLink
from noughts.store.redis.scripts import Word, key_prefix, kind_prefix
from noughts.store.redis.store import RedisStore

ATTEMPTS: Final = 5
"""Attempts to connect. Each waits up to a second for a server that is slow to answer."""
_KEYS_AT_ONCE: Final = 500


class RedisCopyTarget:
    """One connection that looks at a Redis, empties it, and marks what is in it as incomplete or complete."""

    def __init__(self, address: RedisAddress, prefix: str = "noughts", kinds: Sequence[Kind] = KINDS) -> None:
        self._address = address
        self._name = prefix
        self._prefix = key_prefix(prefix)
        self._kinds = kinds

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[AbstractConnection]:
        """Connect to the primary. Raise :class:`SchemaError` for data of another schema."""
        connection = await self._connected()
        try:
            schema = await ask(connection, "GET", f"{self._prefix}schema")
            if schema is not None and int(schema) not in (INCOMPLETE, SCHEMA_VERSION):
                raise SchemaError(
                    f"{self._address} has schema {int(schema)}, not {SCHEMA_VERSION}: use the same release."
                )
            yield connection
        except (RedisError, LostError, OSError) as error:
            raise StoreUnavailableError(f"{self._address}: {reason_of(error)}") from error
        finally:
            await connection.disconnect(nowait=True)

    async def living_nodes(self, connection: AbstractConnection) -> set[str]:
        """Return the nodes whose last beat is not older than their lease."""
        seconds, microseconds = map(int, await ask(connection, "TIME"))
        beats: dict[bytes, bytes] = await ask(connection, "HGETALL", f"{self._prefix}nodes")
        oldest_ms = seconds * 1_000 + microseconds // 1_000 - LEASE_MS
        return {node.decode() for node, beat in beats.items() if int(beat) > oldest_ms}

    async def is_incomplete(self, connection: AbstractConnection) -> bool:
        """Return whether there is a copy that was interrupted, or is being written."""
        schema = await ask(connection, "GET", f"{self._prefix}schema")
        return schema is not None and int(schema) == INCOMPLETE

    async def is_empty(self, connection: AbstractConnection) -> bool:
        """Return whether there is nothing but a copy that was interrupted."""
        if await self.is_incomplete(connection):
            return True
        lists = [*(kind_prefix(self._prefix, kind.name) + "created" for kind in self._kinds), f"{self._prefix}seen"]
        return not any([await ask(connection, "ZCARD", name) for name in lists])

    @asynccontextmanager
    async def emptied(self, connection: AbstractConnection, node: str) -> AsyncIterator[RedisStore]:
        """Delete everything, and yield a store for the copy. At the end of the block, let nodes use the data."""
        schema = f"{self._prefix}schema"
        await ask(connection, "SET", schema, INCOMPLETE)
        await self._delete_all(connection, schema)
        store = RedisStore(RedisLink(self._address, node, self._name, INCOMPLETE))
        await store.open()
        try:
            yield store
        finally:
            await store.close()
        await ask(connection, "SET", schema, SCHEMA_VERSION)

    async def _connected(self) -> AbstractConnection:
        for _ in range(ATTEMPTS - 1):
            with suppress(LostError):
                return await connect(self._address, "noughts-copy")
        try:
            return await connect(self._address, "noughts-copy")
        except LostError as error:
            raise StoreUnavailableError(f"Redis cannot be reached: {error}") from error

    async def _delete_all(self, connection: AbstractConnection, kept: str) -> None:
        cursor: Word = "0"
        while True:
            answer: Answer = await ask(connection, "SCAN", cursor, "MATCH", f"{self._prefix}*", "COUNT", _KEYS_AT_ONCE)
            cursor, keys = answer[0].decode(), [key for key in answer[1] if key != kept.encode()]
            if keys:
                await ask(connection, "DEL", *keys)
            if cursor == "0":
                return
