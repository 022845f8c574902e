"""The connection of a node: what it sends again, its life, and coming back."""

from __future__ import annotations

import asyncio
from typing import Any

from noughts.store.redis.connection import RedisConnection
from noughts.store.redis.failures import LostError
from noughts.store.redis.pipeline import RedisPipeline
from noughts.store.redis.primary import PrimaryConnection, PrimaryFinder
from noughts.store.redis.scripts import Script
from tests.support.player import WAIT_S
from tests.support.redis_connections import Pushes, back, connected
from tests.support.redis_server import RedisFarm, RedisServer
from tests.support.redis_stores import address_of
from tests.support.tcp_proxy import tcp_proxy
from tests.support.waiting import until


async def test_a_forgotten_script_is_sent_again(redis: RedisServer) -> None:
    """Redis forgets scripts when it restarts, and by SCRIPT FLUSH. It has not run what it does not know."""
    script = Script("load", "{test}:")
    async with connected(redis.url) as connection:
        for _ in range(2):
            redis.command("SCRIPT", "FLUSH")
            answers = await asyncio.gather(*[connection.carry_out(script, "{test}:x", "r1") for _ in range(3)])
            assert answers == [None, None, None]


async def test_a_connection_starts_once(redis: RedisServer) -> None:
    """An attempt is over at once for what is connected. What was not started has nothing to close."""
    async with connected(redis.url) as connection:
        connection.start()
        assert await connection.attempted()
        assert connection.stats.connects == 1
    pushes = Pushes()
    await RedisConnection(PrimaryFinder(address_of(redis), "tester"), pushes, pushes).close()
    assert pushes.setups == 0


async def test_a_connection_can_be_closed_as_it_connects(redis: RedisServer) -> None:
    """At any moment: the library ignores a cancellation as it connects, and a node must end all the same."""
    pushes = Pushes()
    connections = [RedisConnection(PrimaryFinder(address_of(redis), "tester"), pushes, pushes) for _ in range(100)]
    async with asyncio.timeout(WAIT_S):
        for turns, connection in enumerate(connections):
            connection.start()
            for _ in range(turns):
                await asyncio.sleep(0)
            await connection.close()


async def test_a_setup_that_fails_is_tried_again(redis: RedisServer) -> None:
    class Rejecting(Pushes):
        async def run(self, pipeline: RedisPipeline) -> None:
            await super().run(pipeline)
            if self.setups < 3:
                raise LostError("not yet")

    pushes = Rejecting()
    async with connected(redis.url, pushes):
        assert pushes.setups == 3


async def test_a_fault_does_not_end_the_attempts(redis: RedisServer) -> None:
    """A fault is logged with its traceback, and the node connects again."""

    class Faulty(PrimaryFinder):
        attempts = 0

        async def connect(self) -> PrimaryConnection:
            self.attempts += 1
            if self.attempts < 3:
                raise RuntimeError("no such thing")
            return await super().connect()

    faults: list[dict[str, Any]] = []
    loop, pushes = asyncio.get_running_loop(), Pushes()
    connection = RedisConnection(Faulty(address_of(redis), "tester"), pushes, pushes)
    loop.set_exception_handler(lambda loop, context: faults.append(context))
    try:
        connection.start()
        async with asyncio.timeout(WAIT_S):
            assert not await connection.attempted()
        assert connection.loss_reason == "the connection to Redis failed: see the log"
        await back(connection)
        assert [str(fault["exception"]) for fault in faults] == ["no such thing"] * 2
    finally:
        loop.set_exception_handler(None)
        await connection.close()


async def test_an_overflowing_client_buffer_is_a_lost_connection(farm: RedisFarm) -> None:
    """Redis closes the connection. Nothing can be missed without noticing."""
    redis = farm.server(appendonly="no", client_output_buffer_limit="pubsub 100kb 50kb 1")
    pushes = Pushes()
    async with tcp_proxy(redis.port) as proxy, connected(proxy.url, pushes) as connection:
        proxy.freeze()
        for _ in range(80):
            redis.command("PUBLISH", "inbox", "x" * 100_000)
        proxy.thaw()
        await until(lambda: pushes.setups == 2)
        await back(connection)
        assert await connection.call("ECHO", "back") == b"back"


async def test_too_many_clients_is_a_clear_reason(farm: RedisFarm) -> None:
    redis = farm.server(appendonly="no")
    async with connected(redis.url) as first:
        redis.set("maxclients", 1)
        connection = RedisConnection(PrimaryFinder(address_of(redis), "tester"), Pushes(), Pushes())
        connection.start()
        try:
            assert not await connection.attempted()
            assert "too many clients" in connection.loss_reason
            await first.call("CONFIG", "SET", "maxclients", 100)
            await back(connection)
        finally:
            await connection.close()
