"""Turns of requests: how many of each network begin at once, in which order, and who waits for whom."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from noughts.app.endpoints.middleware import RequestTurns
from noughts.app.runtime.limits import BEGUN_AT_ONCE, INTERVAL_S, WIDER
from tests.support.virtual_time import in_virtual_time


class Begun:
    """Requests that begin when it is their turn. ``times_s`` has when each that has begun did, in their order."""

    def __init__(self) -> None:
        self.turns = RequestTurns()
        self.times_s: dict[str, float] = {}
        self.tasks: list[asyncio.Task[None]] = []

    def ask(self, network: str, count: int, name: str = "") -> None:
        self.tasks += [asyncio.create_task(self._begin(network, f"{name or network}{n}")) for n in range(count)]

    async def _begin(self, network: str, name: str) -> None:
        await self.turns.begin(network)
        self.times_s[name] = asyncio.get_running_loop().time()


def times_of(requests: Callable[[Begun], Awaitable[None]]) -> dict[str, float]:
    """Return when each request began, if all were asked for at time 0."""

    async def run() -> dict[str, float]:
        begun = Begun()
        await requests(begun)
        await asyncio.wait(begun.tasks)
        return begun.times_s

    return in_virtual_time(run())


def intervals(times_s: dict[str, float], name: str) -> list[int]:
    return [round(time_s / INTERVAL_S) for request, time_s in times_s.items() if request.startswith(name)]


def test_few_requests_of_a_network_begin_in_an_interval() -> None:
    """All begin in the end, the oldest first."""

    async def requests(begun: Begun) -> None:
        begun.ask("a", 5 * BEGUN_AT_ONCE)

    times_s = times_of(requests)
    assert list(times_s) == [f"a{n}" for n in range(5 * BEGUN_AT_ONCE)]
    assert intervals(times_s, "a") == [n // BEGUN_AT_ONCE for n in range(5 * BEGUN_AT_ONCE)]


def test_a_network_waits_for_no_other() -> None:
    async def requests(begun: Begun) -> None:
        begun.ask("a", 100)
        begun.ask("b", BEGUN_AT_ONCE)

    assert intervals(times_of(requests), "b") == [0] * BEGUN_AT_ONCE


def test_the_networks_of_a_subscriber_take_turns() -> None:
    """A /56 begins four times as many requests as one /64, and each /64 of it gets its turn."""

    async def requests(begun: Begun) -> None:
        for n in range(12):
            begun.ask(f"2001:db8:0:{n:x}::1", BEGUN_AT_ONCE)

    times_s = times_of(requests)
    assert [intervals(times_s, f"2001:db8:0:{n:x}::1")[0] for n in range(12)] == [n // WIDER[1] for n in range(12)]


def test_a_later_request_does_not_overtake() -> None:
    async def requests(begun: Begun) -> None:
        begun.ask("a", 3 * BEGUN_AT_ONCE)
        for _ in range(4):
            await asyncio.sleep(0.3 * INTERVAL_S)
            begun.ask("a", 1, "later")

    times_s = times_of(requests)
    assert list(times_s)[: 3 * BEGUN_AT_ONCE] == [f"a{n}" for n in range(3 * BEGUN_AT_ONCE)]


def test_a_request_that_is_cancelled_takes_no_turn() -> None:
    async def requests(begun: Begun) -> None:
        begun.ask("a", 3 * BEGUN_AT_ONCE)
        await asyncio.sleep(0)
        for task in begun.tasks[BEGUN_AT_ONCE : 2 * BEGUN_AT_ONCE]:
            task.cancel()

    assert intervals(times_of(requests), "a") == [0] * BEGUN_AT_ONCE + [1] * BEGUN_AT_ONCE


def test_a_network_that_was_quiet_waits_for_nothing() -> None:
    async def requests(begun: Begun) -> None:
        begun.ask("a", 2 * BEGUN_AT_ONCE)
        await asyncio.sleep(5 * INTERVAL_S)
        begun.ask("a", BEGUN_AT_ONCE, "later")

    assert intervals(times_of(requests), "later") == [5] * BEGUN_AT_ONCE
