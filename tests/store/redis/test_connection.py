"""The connection of a node: batches, order, answers that do not come, its life, and coming back."""

from __future__ import annotations

import asyncio
import itertools
from functools import partial
from typing import Any

import pytest
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ResponseError

from noughts.store.contract import StoreUnavailableError
from noughts.store.redis.change_feed import ChangeFeed
from noughts.store.redis.client import connect
from noughts.store.redis.connection import RedisConnection, ignore
from noughts.store.redis.failures import LostError, reason_of
from noughts.store.redis.scripts import Script
from noughts.store.relay import NodeDied
from tests.support.player import WAIT_S
from tests.support.redis_connections import Pushes, back, connected
from tests.support.redis_server import RedisServer
from tests.support.redis_stores import address_of
from tests.support.tcp_proxy import tcp_proxy
from tests.support.waiting import until

# --- commands and answers ---------------------------------------------------------------------------------------------


async def test_an_error_is_the_answer_of_its_command_alone(redis: RedisServer) -> None:
    async with connected(redis.url) as connection:
        answers: list[Any] = []
        for words in (("ECHO", "one"), ("NOSUCH",), ("ECHO", "two")):
            connection.ask(answers.append, *words)
        assert await connection.call("ECHO", "three") == b"three"
        assert answers[::2] == [b"one", b"two"]
        assert isinstance(answers[1], ResponseError)
        with pytest.raises(StoreUnavailableError, match="unknown command"):
            await connection.call("NOSUCH")


async def test_a_push_is_acted_on_before_the_next_answer(redis: RedisServer) -> None:
    """The task that waits for messages runs between them, although all may arrive in one piece."""
    feed, log = ChangeFeed("one"), list[Any]()

    async def listen() -> None:
        while True:
            message = await feed.received()
            assert isinstance(message, NodeDied)
            log.append(message.node)

    listener = asyncio.create_task(listen())
    async with connected(redis.url, receiver=feed) as connection:
        for number in range(20):
            connection.ask(log.append, "ECHO", number)
            connection.ask(ignore, "PUBLISH", "inbox", f"d5 {number}")
        await connection.call("PING")
    listener.cancel()
    assert log == [entry for number in range(20) for entry in (str(number).encode(), str(number))]


# --- faults -----------------------------------------------------------------------------------------------------------


async def test_without_an_answer_a_command_is_unknown_after_a_second(redis: RedisServer) -> None:
    """It is never sent again, although Redis may carry it out later: once."""
    redis.command("SET", "counter", 0)
    async with tcp_proxy(redis.port) as proxy, connected(proxy.url) as connection:
        proxy.freeze()
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        answers = await asyncio.gather(*[connection.call("INCR", "counter") for _ in range(10)], return_exceptions=True)
        assert {type(answer) for answer in answers} == {StoreUnavailableError}
        assert 0.9 < loop.time() - began_s < WAIT_S / 2
        with pytest.raises(StoreUnavailableError):  # at once: there is no connection
            await connection.call("PING")
        assert connection.stats.timeouts == 1
        proxy.thaw()
        await back(connection)
        assert int(redis.command("GET", "counter")) in (0, 10)
        await connection.call("INCR", "counter")
        assert int(redis.command("GET", "counter")) in (1, 11)


async def test_bytes_that_are_no_answer_end_the_connection(redis: RedisServer) -> None:
    """What came before them counts."""
    answers: list[Any] = []
    async with tcp_proxy(redis.port) as proxy, connected(proxy.url) as connection:
        proxy.drops_requests = True
        for word in ("one", "two"):
            connection.ask(answers.append, "ECHO", word)
        await until(lambda: connection.stats.batches > 0)
        proxy.answer(b"$3\r\nOne\r\n?\r\n")
        await until(lambda: len(answers) == 2)
        assert answers[0] == b"One"
        assert isinstance(answers[1], LostError)
        assert "Protocol error" in str(answers[1])
        proxy.mend()
        await back(connection)
        assert await connection.call("ECHO", "again") == b"again"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("LOADING Redis is loading the dataset in memory", "Redis is still reading its data"),
        (
            "READONLY You can't write against a read only replica.",
            "this Redis is a replica now: another one became the primary",
        ),
    ],
)
async def test_a_redis_that_serves_nobody_is_given_up(redis: RedisServer, answer: str, reason: str) -> None:
    """The node looks for the primary again. A Redis that no node can use is counted."""
    answers: list[Any] = []
    async with tcp_proxy(redis.port) as proxy, connected(proxy.url) as connection:
        proxy.drops_requests = True
        connection.ask(answers.append, "SET", "a", 1)
        await until(lambda: connection.stats.batches > 0)
        proxy.answer(f"-{answer}\r\n".encode())
        await until(lambda: answers != [])
        assert reason_of(answers[0]) == reason
        assert connection.stats.incapable == answer.startswith("LOADING")
        proxy.mend()
        await back(connection)
        assert connection.stats.connects == 2


async def test_an_answer_to_no_command_ends_the_connection(redis: RedisServer) -> None:
    """Otherwise each later command would get the answer of another."""
    async with tcp_proxy(redis.port) as proxy, connected(proxy.url) as connection:
        proxy.answer(b"+OK\r\n")
        await until(lambda: connection.stats.connects == 2)
        assert await connection.call("ECHO", "one") == b"one"


async def test_a_message_that_cannot_be_read_is_a_lost_connection(redis: RedisServer) -> None:
    """The node reads everything again, because it does not know what the message said. The reason quotes nothing of it."""

    class Strict(Pushes):
        def pushed(self, channel: bytes, payload: bytes) -> None:
            if payload == b"?":
                raise ValueError("no change")
            super().pushed(channel, payload)

    pushes = Strict()
    answers: list[Any] = []
    async with connected(redis.url, pushes) as connection:
        connection.ask(answers.append, "BLPOP", "empty", 0)
        for payload in ("before", "?"):
            redis.command("PUBLISH", "inbox", payload)
        await until(lambda: pushes.setups == 2)
        assert [str(answer) for answer in answers] == ["a message of another node cannot be read"]
        await back(connection)
        redis.command("PUBLISH", "inbox", "after")
        await until(lambda: pushes.log == [b"before", b"after"])


# --- life ------------------------------------------------------------------------------------------------------------


async def test_a_forgotten_script_is_sent_again(redis: RedisServer) -> None:
    """Redis forgets scripts when it restarts, and by SCRIPT FLUSH. It has not run what it does not know."""
    script = Script("load", "{test}:")
    async with connected(redis.url) as connection:
        for _ in range(2):
            redis.command("SCRIPT", "FLUSH")
            answers = await asyncio.gather(*[connection.carry_out(script, "{test}:x", "r1") for _ in range(3)])
            assert answers == [None, None, None]


async def test_a_connection_can_be_closed_as_it_connects(redis: RedisServer) -> None:
    """At any moment: the library ignores a cancellation as it connects, and a node must end all the same."""
    pushes = Pushes()
    connections = [RedisConnection(partial(connect, address_of(redis), "tester"), pushes, pushes) for _ in range(100)]
    async with asyncio.timeout(WAIT_S):
        for turns, connection in enumerate(connections):
            connection.start()
            for _ in range(turns):
                await asyncio.sleep(0)
            await connection.close()


async def test_a_setup_that_fails_is_tried_again(redis: RedisServer) -> None:
    class Rejecting(Pushes):
        async def run(self, connection: AbstractConnection) -> None:
            await super().run(connection)
            if self.setups < 3:
                raise LostError("not yet")

    pushes = Rejecting()
    async with connected(redis.url, pushes):
        assert pushes.setups == 3


async def test_a_fault_does_not_end_the_attempts(redis: RedisServer) -> None:
    """A fault is logged with its traceback, and the node connects again."""

    attempts = itertools.count(1)

    async def connect_late() -> AbstractConnection:
        if next(attempts) < 3:
            raise RuntimeError("no such thing")
        return await connect(address_of(redis), "tester")

    faults: list[dict[str, Any]] = []
    loop, pushes = asyncio.get_running_loop(), Pushes()
    connection = RedisConnection(connect_late, pushes, pushes)
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
