"""The connection to a primary with replicas: answers wait for their confirmations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from noughts.store.contract import StoreUnavailableError
from tests.support.redis_connections import Pushes, back, connected
from tests.support.redis_server import RedisFarm, redis_program, valkey_program
from tests.support.tcp_proxy import tcp_proxy
from tests.support.waiting import until

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
        def pushed(self, channel: bytes, payload: bytes) -> None:
            self.acting = True
            asyncio.get_running_loop().call_soon(self.act, payload)

        def act(self, payload: bytes) -> None:
            self.acting = False
            self.log.append(payload)

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
