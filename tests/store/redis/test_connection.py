"""The connection: batches, order, answers that do not come, and coming back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
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
from tests.support.redis_connections import Pushes, back, connected, until
from tests.support.redis_server import RedisFarm, RedisServer, redis_farm
from tests.support.tcp_proxy import tcp_proxy


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_farm(tmp_path_factory.mktemp("redis")) as farm:
        yield farm.server(appendonly="no")


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[RedisFarm]:
    with redis_farm(tmp_path) as opened:
        yield opened


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
