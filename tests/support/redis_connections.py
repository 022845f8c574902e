"""Connections of a store to a Redis, without the store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from noughts.store.address import RedisAddress, store_address
from noughts.store.redis.connection import RedisConnection
from noughts.store.redis.primary import PrimaryFinder

WAIT_S = 30.0
"""How long a test waits for something that must come, never how long it takes."""


class Pushes:
    """Takes pushes, and counts greetings."""

    def __init__(self) -> None:
        self.log: list[Any] = []
        self.greetings = 0

    async def greet(self, connection: RedisConnection) -> None:
        self.greetings += 1
        await connection.prepare("SUBSCRIBE", "inbox")

    def pushed(self, channel: bytes, payload: bytes) -> bool:
        self.log.append(payload)
        return False


@asynccontextmanager
async def connected(url: str, pushes: Pushes | None = None, replicas: int = 0) -> AsyncIterator[RedisConnection]:
    """Connect to a server."""
    address = store_address(url)
    assert isinstance(address, RedisAddress)
    receiver = pushes or Pushes()
    connection = RedisConnection(PrimaryFinder(address, "test", "tester"), receiver, receiver, replicas)
    connection.start()
    try:
        async with asyncio.timeout(WAIT_S):
            while not await connection.attempted():
                pass
        yield connection
    finally:
        await connection.close()


async def back(connection: RedisConnection) -> None:
    """Wait until a connection is back."""
    async with asyncio.timeout(WAIT_S):
        while not connection.connected:
            await connection.attempted()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not condition():  # noqa: ASYNC110 - it shows in a value, not in an event
            await asyncio.sleep(0.005)
