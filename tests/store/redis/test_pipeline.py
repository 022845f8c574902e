"""One connection to Redis: batches, order, answers that do not come, and the confirmations of replicas."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hiredis import PushNotification, ReplyError

from noughts.store.connection_stats import ConnectionStats
from noughts.store.contract import StoreUnavailableError
from noughts.store.redis.change_feed import ChangeFeed
from noughts.store.redis.failures import LostError
from noughts.store.redis.pipeline import RedisPipeline
from noughts.store.redis.primary import PrimaryConnection
from noughts.store.relay import NodeDied
from tests.support.player import WAIT_S
from tests.support.redis_connections import Pushes, back, connected
from tests.support.redis_server import RedisServer
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
        assert isinstance(answers[1], ReplyError)
        with pytest.raises(StoreUnavailableError, match="unknown command"):
            await connection.call("NOSUCH")


async def test_pushes_and_answers_come_in_the_order_of_redis(redis: RedisServer) -> None:
    pushes = Pushes()
    async with connected(redis.url, pushes) as connection:
        for number in range(50):
            connection.ask(lambda answer: pushes.log.append(None), "PUBLISH", "inbox", number)
        await connection.call("PING")
    numbers = [entry for entry in pushes.log if entry is not None]
    assert numbers == [str(number).encode() for number in range(50)]
    for index, entry in enumerate(pushes.log):
        if entry is None:
            assert pushes.log[:index].count(None) < sum(1 for each in pushes.log[: index + 2] if each is not None)


class Unconnected(PrimaryConnection):
    """A connection to nothing. The test says what arrives."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []

    def write(self, commands: bytes) -> None:
        self.written.append(commands)


LATER = PushNotification([b"message", b"all", b"d6 three"])


@pytest.mark.parametrize(
    ("reads", "order"),
    [
        ([[b"one", b"two"]], ["two", b"one", b"two"]),
        ([[LATER, b"one"], [b"two"]], ["two", "three", b"one", b"two"]),
        ([[b"one"], [LATER, b"two"]], ["two", b"one", "three", b"two"]),
    ],
)
async def test_answers_wait_for_a_message_of_an_earlier_read(reads: list[list[Any]], order: list[Any]) -> None:
    """All reads are in one turn of the event loop, so the task that waits for messages has not run between them."""
    feed, log = ChangeFeed("one"), list[Any]()
    pipeline = RedisPipeline(Unconnected(), feed, ConnectionStats())
    for _ in range(2):
        pipeline.send(b"", log.append)

    async def listen() -> None:
        while True:
            message = await feed.received()
            assert isinstance(message, NodeDied)
            log.append(message.node)

    listener = asyncio.create_task(listen())
    await asyncio.sleep(0)
    pipeline.received([PushNotification([b"message", b"all", b"d5 two"])])
    for read in reads:
        pipeline.received(read)
    await until(lambda: b"two" in log)
    listener.cancel()
    assert log == order
    await pipeline.end("the end of the test")


async def test_pushes_of_other_kinds_are_ignored(redis: RedisServer) -> None:
    """Redis may tell of changed keys too."""
    pushes = Pushes()
    async with connected(redis.url, pushes) as connection:
        await connection.call("CLIENT", "TRACKING", "ON", "BCAST")
        redis.command("SET", "changed", 1)
        redis.command("PUBLISH", "inbox", "one")
        assert await connection.call("ECHO", "next") == b"next"
    assert pushes.log == [b"one"]


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


async def test_a_server_that_reads_its_data_is_incapable() -> None:
    """Its answer is counted, as no node can use it, and the connection is given up."""
    log, stats = list[Any](), ConnectionStats()
    pipeline = RedisPipeline(Unconnected(), ChangeFeed("one"), stats)
    pipeline.send(b"read", log.append)
    await asyncio.sleep(0)
    pipeline.received([ReplyError("LOADING Redis is loading the dataset in memory")])
    assert (stats.incapable, pipeline.loss_reason) == (1, "Redis is still reading its data")
    assert [type(answer) for answer in log] == [ReplyError]


async def test_nothing_is_written_or_delivered_after_the_end() -> None:
    """Neither a command that was to leave in this turn, nor an answer that arrives too late."""
    log, connection = list[Any](), Unconnected()
    pipeline = RedisPipeline(connection, ChangeFeed("one"), ConnectionStats())
    pipeline.send(b"late", log.append)
    pipeline.ended(OSError("the line is cut"))
    await asyncio.sleep(0)
    pipeline.received([b"answer"])
    assert connection.written == []
    assert [type(answer) for answer in log] == [LostError]
    assert await pipeline.wait_until_lost() == pipeline.loss_reason == "Redis: the line is cut"


@pytest.mark.parametrize(
    ("confirmed", "reason"),
    [(0, "0 of 1 replicas confirmed the change in time"), (ReplyError("ERR WAIT is disabled"), "WAIT is disabled")],
)
async def test_a_change_without_its_replicas_is_unknown(confirmed: object, reason: str) -> None:
    log = list[Any]()
    pipeline = RedisPipeline(Unconnected(), ChangeFeed("one"), ConnectionStats(), replicas=1)
    pipeline.send(b"change", log.append)
    await asyncio.sleep(0)
    pipeline.received([b"stored", b"OK", confirmed])
    assert [type(answer) for answer in log] == [LostError]
    assert reason in pipeline.loss_reason
