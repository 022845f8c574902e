"""Connections to a Redis of a test, with what takes their pushes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from noughts.store.redis.connection import RedisConnection
from noughts.store.redis.pipeline import RedisPipeline
from noughts.store.redis.primary import PrimaryFinder
from tests.support.player import WAIT_S
from tests.support.redis_stores import address_of


class Pushes:
    """Takes pushes, and counts setups."""

    def __init__(self) -> None:
        self.log: list[Any] = []
        self.setups = 0
        self.acting = False

    async def run(self, pipeline: RedisPipeline) -> None:
        self.setups += 1
        await pipeline.prepare("SUBSCRIBE", "inbox")

    def pushed(self, channel: bytes, payload: bytes) -> None:
        self.log.append(payload)


@asynccontextmanager
async def connected(url: str, pushes: Pushes | None = None, replicas: int = 0) -> AsyncIterator[RedisConnection]:
    """Connect to a server."""
    receiver = pushes or Pushes()
    connection = RedisConnection(PrimaryFinder(address_of(url), "tester"), receiver, receiver, replicas)
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
