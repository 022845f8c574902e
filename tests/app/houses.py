"""The hosts of a server without its sockets: a clock that stands until it is set, and a store that fails when told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from noughts.app.host import Host
from noughts.app.hosts import Hosts
from noughts.store.sqlite_store import SqliteStore

from noughts.app.runtime.telemetry import Metrics
from noughts.room.clock import ClockSetting
from noughts.room.commands import Move, Sit
from noughts.room.room import House
from noughts.room.seat import Person
from noughts.rules.variant import VARIANTS
from noughts.store.contract import StoreUnavailableError
from tests.support.player import WAIT_S

CLASSIC = VARIANTS["classic"]
ANN, BEN, EVE = Person("p_ann", "Ann"), Person("p_ben", "Ben"), Person("p_eve", "Eve")


class Clock:
    """Time that passes when the test says so."""

    def __init__(self) -> None:
        self.ms = 1_700_000_000_000

    def now_ms(self) -> int:
        return self.ms

    def now_s(self) -> float:
        return self.ms / 1000


class Store:
    """A real store; the calls named in ``failing`` (or all, with ``down``) fail, those in ``held`` wait for their event."""

    def __init__(self, path: Path) -> None:
        self.real = SqliteStore(path)
        self.down = False
        self.failing: set[str] = set()
        self.held: dict[str, asyncio.Event] = {}
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        real = getattr(self.real, name)

        async def call(*arguments: Any) -> Any:
            self.calls.append(name)
            if name in self.held:
                await self.held[name].wait()
            if self.down or name in self.failing:
                raise StoreUnavailableError("out of order")
            return await real(*arguments)

        return call


class Searches:
    """A search pool that only notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, ...]] = []
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def move(self, variant: Any, cells: tuple[int, ...], level: str, seconds: float, seed: int) -> Any:
        self.asked.append(cells)
        return await asyncio.shield(self.answer)


@asynccontextmanager
async def hosts_on(
    store: Store, clock: Clock, pool: Any = None, house: House | None = None, *, unlimited: bool = True
) -> AsyncIterator[Hosts]:
    """The hosts of one process on an open store."""
    hosts = Hosts(store, clock, house or House(), pool, Metrics(), 0.5, lambda: None, unlimited=unlimited)  # type: ignore[arg-type]
    await hosts.start()
    try:
        yield hosts
    finally:
        await hosts.stop()


@asynccontextmanager
async def open_store(directory: Path) -> AsyncIterator[Store]:
    store = Store(directory / "noughts.db")
    await store.real.open()
    try:
        yield store
    finally:
        await store.real.close()


async def timed_game(hosts: Hosts, setting: ClockSetting) -> Host:
    """Ann and Ben in a game on a clock, X to move, both first moves made."""
    host = await hosts.create(ANN, CLASSIC, "friend", "X", (), setting, None)
    assert host.room is not None
    await host.request(BEN, Sit("sit", "O", host.room.invite))
    await host.request(ANN, Move("one", 0, "b2"))
    await host.request(BEN, Move("two", 1, "a1"))
    return host


async def settled(hosts: Hosts) -> None:
    """Let what goes on in the background end."""
    while hosts.around.background._tasks:
        await asyncio.wait(hosts.around.background._tasks)


async def until(true: Callable[[], object]) -> None:
    """Let others go on until something is so."""
    async with asyncio.timeout(WAIT_S):
        while not true():  # noqa: ASYNC110 - it shows in a value, not in an event
            await asyncio.sleep(0.001)
