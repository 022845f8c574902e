"""The connection: batches, order, answers that do not come, and coming back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from redis.exceptions import ResponseError

from noughts.store.address import RedisAddress, store_address
from noughts.store.contract import StoreUnavailableError
from noughts.store.redis.connection import RedisConnection
from noughts.store.redis.failures import LostError
from noughts.store.redis.primary import PrimaryFinder
from noughts.store.redis.scripts import Script
from tests.support.redis_server import RedisFarm, RedisServer, redis_farm, redis_program, valkey_program
from tests.support.tcp_proxy import tcp_proxy

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


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_farm(tmp_path_factory.mktemp("redis")) as farm:
        yield farm.server(appendonly="no")


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[RedisFarm]:
    with redis_farm(tmp_path) as opened:
        yield opened


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


# --- commands and answers ---------------------------------------------------------------------------------------------


async def test_commands_of_one_turn_leave_in_one_write(redis: RedisServer) -> None:
    async with connected(redis.url) as connection:
        before = connection.stats.batches
        answers = await asyncio.gather(*[connection.call("ECHO", number) for number in range(100)])
        assert answers == [str(number).encode() for number in range(100)]
        assert connection.stats.batches == before + 1


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


async def test_what_has_no_bytes_is_a_value_error(redis: RedisServer) -> None:
    async with connected(redis.url) as connection:
        with pytest.raises(ValueError, match="cannot hold"):
            await connection.call("ECHO", "half \ud800 a pair")
        assert await connection.call("ECHO", "whole") == b"whole"


async def test_a_receiver_that_raises_stops_no_other(redis: RedisServer) -> None:
    def fail(answer: Any) -> None:
        raise ZeroDivisionError

    loop = asyncio.get_running_loop()
    errors: list[object] = []
    before = loop.get_exception_handler()
    loop.set_exception_handler(lambda _, context: errors.append(context["exception"]))
    try:
        async with connected(redis.url) as connection:
            connection.ask(fail, "PING")
            assert await connection.call("ECHO", "next") == b"next"
    finally:
        loop.set_exception_handler(before)
    assert [type(error) for error in errors] == [ZeroDivisionError]


async def test_a_forgotten_script_is_sent_again(redis: RedisServer) -> None:
    """Redis forgets scripts when it restarts, and by SCRIPT FLUSH. It has not run what it does not know."""
    script = Script("load", "{test}:")
    async with connected(redis.url) as connection:
        for _ in range(2):
            redis.command("SCRIPT", "FLUSH")
            answers = await asyncio.gather(*[connection.carry_out(script, "{test}:x", "r1") for _ in range(3)])
            assert answers == [None, None, None]


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


async def test_thousands_of_pushes_without_an_answer_arrive(redis: RedisServer) -> None:
    """The library's own way of skipping pushes ends in a RecursionError."""
    pushes = Pushes()
    async with connected(redis.url, pushes), connected(redis.url) as sender:
        await asyncio.gather(*[sender.call("PUBLISH", "inbox", number) for number in range(5_000)])
        await until(lambda: len(pushes.log) == 5_000)


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
        assert 0.9 < loop.time() - began_s < 1.5
        with pytest.raises(StoreUnavailableError):  # at once: there is no connection
            await connection.call("PING")
        assert loop.time() - began_s < 1.6
        assert connection.stats.timeouts == 1
        proxy.thaw()
        await back(connection)
        assert int(redis.command("GET", "counter")) in (0, 10)
        await connection.call("INCR", "counter")
        assert int(redis.command("GET", "counter")) in (1, 11)


async def test_lost_answers_are_unknown(redis: RedisServer) -> None:
    redis.command("SET", "counter", 0)
    async with tcp_proxy(redis.port) as proxy, connected(proxy.url) as connection:
        proxy.drops_answers = True
        with pytest.raises(StoreUnavailableError, match="did not answer"):
            await connection.call("INCR", "counter")
        proxy.mend()
        await back(connection)
        assert redis.command("GET", "counter") == "1"


async def test_a_killed_connection_comes_back_at_once(redis: RedisServer) -> None:
    pushes = Pushes()
    async with connected(redis.url, pushes) as connection:
        for _ in range(3):
            before = pushes.greetings
            with suppress(StoreUnavailableError):
                await connection.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no")
            redis.command("CLIENT", "KILL", "TYPE", "pubsub")
            await until(lambda before=before: pushes.greetings > before)  # type: ignore[misc]
            await back(connection)
            assert await connection.call("ECHO", "back") == b"back"


async def test_a_server_that_comes_back_is_found(farm: RedisFarm) -> None:
    redis = farm.server()
    async with connected(redis.url) as connection:
        redis.kill()
        await until(lambda: not connection.connected)
        with pytest.raises(StoreUnavailableError):
            await connection.call("PING")
        redis.start()
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        await back(connection)
        assert loop.time() - began_s < 1.0
        assert await connection.call("ECHO", "back") == b"back"


async def test_a_paused_server_is_lost_and_found(farm: RedisFarm) -> None:
    redis = farm.server(appendonly="no")
    async with connected(redis.url) as connection:
        redis.pause()
        with pytest.raises(StoreUnavailableError, match="within 1 s"):
            await connection.call("PING")
        redis.resume()
        await back(connection)


async def test_an_overflowing_client_buffer_is_a_lost_connection(farm: RedisFarm) -> None:
    """Redis closes the connection. Nothing can be missed without noticing."""
    redis = farm.server(appendonly="no", client_output_buffer_limit="pubsub 100kb 50kb 1")
    pushes = Pushes()
    async with tcp_proxy(redis.port) as proxy, connected(proxy.url, pushes) as connection:
        proxy.freeze()
        for _ in range(80):
            redis.command("PUBLISH", "inbox", "x" * 100_000)
        proxy.thaw()
        await until(lambda: pushes.greetings == 2)
        await back(connection)
        assert await connection.call("ECHO", "back") == b"back"


async def test_too_many_clients_is_a_clear_reason(farm: RedisFarm) -> None:
    redis = farm.server(appendonly="no")
    async with connected(redis.url) as first:
        redis.set("maxclients", 1)
        address = store_address(redis.url)
        assert isinstance(address, RedisAddress)
        connection = RedisConnection(PrimaryFinder(address, "test", "tester"), Pushes(), Pushes())
        connection.start()
        try:
            assert not await connection.attempted()
            assert "too many clients" in connection.trouble
            await first.call("CONFIG", "SET", "maxclients", 100)
            await back(connection)
        finally:
            await connection.close()


async def test_a_rejected_write_keeps_the_connection(farm: RedisFarm) -> None:
    """Without memory or a healthy disk, Redis still reads."""
    redis = farm.server(appendonly="no", save="3600 1", stop_writes_on_bgsave_error="yes")
    async with connected(redis.url) as connection:
        redis.set("maxmemory", 1)
        with pytest.raises(StoreUnavailableError, match="no memory left"):
            await connection.call("SET", "a", 1)
        redis.set("maxmemory", 0)
        await connection.call("SET", "a", 1)
        (redis.directory / "dump.rdb").mkdir()  # the snapshot cannot be renamed to a directory
        redis.command("BGSAVE")
        await until(lambda: "rdb_last_bgsave_status:err" in redis.command("INFO", "persistence"))
        with pytest.raises(StoreUnavailableError, match="cannot write to its disk"):
            await connection.call("SET", "a", 2)
        redis.set("stop-writes-on-bgsave-error", "no")
        await connection.call("SET", "a", 3)
        assert connection.stats.connects == 1


async def test_a_primary_that_became_a_replica_is_left(farm: RedisFarm) -> None:
    redis, other = farm.server(), farm.server()
    async with connected(redis.url) as connection:
        redis.command("REPLICAOF", "127.0.0.1", other.port)
        with pytest.raises(StoreUnavailableError, match="replica"):
            await connection.call("SET", "a", 1)
        await until(lambda: "is a replica" in connection.trouble)
        redis.command("REPLICAOF", "NO", "ONE")
        await back(connection)
        await connection.call("SET", "a", 1)


# --- replicas ---------------------------------------------------------------------------------------------------------


async def test_answers_and_pushes_wait_for_the_replicas(farm: RedisFarm) -> None:
    """Also reads, and what other nodes push: it may be lost with this primary."""
    primary = farm.server(appendonly="no")
    replica = farm.replica(primary, appendonly="no")
    pushes = Pushes()
    async with connected(primary.url, pushes, replicas=1) as connection:
        await connection.call("SET", "a", 1)
        assert await connection.call("GET", "a") == b"1"
        primary.command("PUBLISH", "inbox", "hello")
        await until(lambda: pushes.log == [b"hello"])
        replica.pause()
        waiting = asyncio.ensure_future(connection.call("GET", "a"))
        primary.command("PUBLISH", "inbox", "lost")
        with pytest.raises(StoreUnavailableError, match="0 of 1 replicas"):
            await waiting
        assert pushes.log == [b"hello"]
        replica.resume()
        await back(connection)
        assert await connection.call("GET", "a") == b"1"


@pytest.mark.parametrize("program", [redis_program, valkey_program])
async def test_a_read_waits_for_what_another_connection_wrote(farm: RedisFarm, program: Callable[[], str]) -> None:
    """Valkey's WAIT counts from the last write of the connection itself. So there must be a write before each WAIT."""
    primary = farm.server(program(), appendonly="no")
    replica = farm.replica(primary, program(), appendonly="no")
    async with connected(primary.url, replicas=1) as connection:
        await connection.call("SET", "own", 1)
        replica.pause()
        primary.command("SET", "other", 1)
        with pytest.raises(StoreUnavailableError, match="0 of 1 replicas"):
            await connection.call("GET", "other")
        replica.resume()
        await back(connection)
        assert await connection.call("GET", "other") == b"1"


@pytest.mark.parametrize("replicas", [0, 1])
async def test_a_push_is_acted_on_before_the_next_answer(farm: RedisFarm, replicas: int) -> None:
    """The task that waits for messages runs between them, also when both waited for the replicas."""

    class Acting(Pushes):
        def pushed(self, channel: bytes, payload: bytes) -> bool:
            asyncio.get_running_loop().call_soon(self.log.append, payload)
            return True

    primary = farm.server(appendonly="no")
    farm.replica(primary, appendonly="no")
    pushes = Acting()
    async with connected(primary.url, pushes, replicas) as connection:
        for number in range(20):
            connection.ask(lambda answer: pushes.log.append(None), "PUBLISH", "inbox", number)
        await connection.call("PING")
    pairs = list(zip(pushes.log[::2], pushes.log[1::2], strict=True))
    assert pairs == [(str(number).encode(), None) for number in range(20)]


async def test_a_connection_lost_before_a_confirmation_comes_back(farm: RedisFarm) -> None:
    """The next connection counts its own writes and confirmations only."""
    primary = farm.server(appendonly="no")
    replica = farm.replica(primary, appendonly="no")
    async with tcp_proxy(primary.port) as proxy, connected(proxy.url, replicas=1) as connection:
        replica.pause()
        waiting = [asyncio.ensure_future(connection.call("INCR", "a"))]
        await until(lambda: primary.command("GET", "a") == "1")
        waiting.append(asyncio.ensure_future(connection.call("INCR", "a")))
        await asyncio.sleep(0)
        proxy.close_connections()
        assert {type(answer) for answer in await asyncio.gather(*waiting, return_exceptions=True)} == {
            StoreUnavailableError
        }
        replica.resume()
        await back(connection)
        assert await connection.call("ECHO", "back") == b"back"


async def test_a_sentinel_fails_over_to_one_that_has_every_change(farm: RedisFarm) -> None:
    """Each change that a replica confirmed is there, and the new primary's changes are confirmed too."""
    primary = farm.server(appendonly="no")
    replicas = [farm.replica(primary, appendonly="no") for _ in range(2)]
    addresses = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in farm.sentinels(primary))
    async with connected(f"redis+sentinel://{addresses}/noughts", replicas=1) as connection:
        confirmed = 0

        async def count() -> None:
            nonlocal confirmed
            while True:
                try:
                    confirmed = max(confirmed, int(await connection.call("INCR", "counter")))
                except StoreUnavailableError:
                    await connection.attempted()

        counting = [asyncio.ensure_future(count()) for _ in range(4)]
        await until(lambda: confirmed > 100)
        primary.kill()
        await until(lambda: not connection.connected)
        before = confirmed
        await until(lambda: confirmed > before)
        for task in counting:
            task.cancel()
        await asyncio.wait(counting)
        assert max(int(replica.command("GET", "counter")) for replica in replicas) >= confirmed


# --- life -------------------------------------------------------------------------------------------------------------


async def test_close_waits_for_the_answers(redis: RedisServer) -> None:
    answers: list[Any] = []
    async with connected(redis.url) as connection:
        connection.ask(answers.append, "ECHO", "last")
        await connection.close()
        assert answers == [b"last"]
        connection.ask(answers.append, "ECHO", "late")
        assert answers == [b"last"]
        await asyncio.sleep(0)
        assert isinstance(answers[1], LostError)
        assert str(answers[1]) == "the store is not open"
        connection.start()
        await back(connection)


async def test_a_greeting_that_fails_is_tried_again(redis: RedisServer) -> None:
    class Rejecting(Pushes):
        async def greet(self, connection: RedisConnection) -> None:
            await super().greet(connection)
            if self.greetings < 3:
                raise LostError("not yet")

    pushes = Rejecting()
    async with connected(redis.url, pushes):
        assert pushes.greetings == 3
