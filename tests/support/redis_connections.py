"""Connections to a Redis of a test, with what takes their pushes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from redis.asyncio.connection import AbstractConnection

from noughts.store.redis.client import connect, subscribe
from noughts.store.redis.connection import PushReceiver, RedisConnection
from tests.support.player import WAIT_S
from tests.support.redis_stores import address_of


class Pushes:
    """Takes pushes, and counts setups."""

    def __init__(self) -> None:
        self.log: list[Any] = []
        self.setups = 0
        self.acting = False

    async def run(self, connection: AbstractConnection) -> None:
        self.setups += 1
        await subscribe(connection, "inbox")

    def pushed(self, channel: bytes, payload: bytes) -> None:
        self.log.append(payload)


@asynccontextmanager
async def connected(
    url: str, pushes: Pushes | None = None, receiver: PushReceiver | None = None
) -> AsyncIterator[RedisConnection]:
    """Connect to a server."""
    setup = pushes or Pushes()
    connection = RedisConnection(partial(connect, address_of(url), "tester"), setup, receiver or setup)
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
