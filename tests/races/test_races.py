"""Players, double logins and seat grabbers in one room, over lines that fail and with a server that is killed.

The history of all that was sent and received is then checked: see :mod:`tests.races.history`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial

import pytest

from tests.conftest import StartServer
from tests.races.history import History, View, check
from tests.races.racer import Racer
from tests.support.player import WAIT_S, Api, Message, guest
from tests.support.server import RunningServer
from tests.support.tcp_proxy import TcpProxy, tcp_proxy
from tests.support.waiting import until

RACERS = ("ann 1", "ann 2", "ben 1", "ben 2", "cat", "dan", "eve")
"""Connections, each named for its player. Ann and Ben are there twice; all grab seats that are empty."""
POLL_S = 0.02


FAULTS: tuple[Callable[[TcpProxy], None], ...] = (
    TcpProxy.cut,
    TcpProxy.freeze,
    TcpProxy.close_connections,
    lambda proxy: setattr(proxy, "delay_s", 0.02),
    lambda proxy: setattr(proxy, "splits", True),
    lambda proxy: setattr(proxy, "drops_answers", True),
    lambda proxy: setattr(proxy, "drops_requests", True),
)


def has_gone_on(history: History, answers: int, tasks: list[asyncio.Task[None]]) -> bool:
    return len(history.answers) >= answers or any(task.done() for task in tasks)


async def race(server: RunningServer, answers: int, kills: int, seed: int) -> tuple[History, View]:
    """Let all race until so many commands were answered. Return the history, and the view that is stored in the end."""
    rng, history = random.Random(seed), History()
    people = {name: await guest(server.url, name.title()) for name in sorted({name.split()[0] for name in RACERS})}
    body = {"variant": "classic", "opponent": "anyone", "mark": "X"}
    room = (await people["ann"].post("/api/rooms", body))["room"]["id"]
    kill_at = {answers * (n + 1) // (kills + 1) for n in range(kills)}
    async with AsyncExitStack() as stack:
        racers = []
        for name in RACERS:
            proxy = await stack.enter_async_context(tcp_proxy(server.port))
            racers.append(Racer(name, people[name.split()[0]], room, proxy, history, seed))
        tasks = [asyncio.create_task(racer.race()) for racer in racers]
        try:
            step = 10
            for count in range(step, answers + 1, step):
                proxy = rng.choice(racers).proxy
                rng.choice(FAULTS)(proxy)
                if kill_at & set(range(count - step, count)):
                    await asyncio.to_thread(server.kill)
                    await asyncio.to_thread(server.start)
                await until(partial(has_gone_on, history, count, tasks))
                proxy.mend()
            for racer in racers:
                racer.stop()
            await until(lambda: all(racer.idle for racer in racers))
            stored = await settled(server, room, racers)
        finally:
            for task in tasks:
                task.cancel()
            ends = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(end, asyncio.CancelledError) for end in ends), ends
    return history, stored


async def settled(server: RunningServer, room: str, racers: list[Racer]) -> View:
    """Return the stored view once every racer has seen it."""
    async with asyncio.timeout(WAIT_S):
        while True:
            stored: Message = await Api(server.url).get(f"/api/rooms/{room}")
            if all(racer.view == stored for racer in racers):
                return stored
            await asyncio.sleep(POLL_S)


async def check_race(server: RunningServer, answers: int, kills: int, seed: int) -> None:
    history, stored = await race(server, answers, kills, seed)
    accepted = history.accepted()
    print(
        f"seed {seed}: {len(history.answers)} answers, {len(accepted)} accepted, {len(history.sights)} views, {kills} kills"
    )
    check(history, stored)
    assert {"move", "sit"} <= {history.commands[key]["type"] for key in accepted}
    assert len(accepted) > answers // 4


async def test_a_room_keeps_one_order(start_server: StartServer) -> None:
    await check_race(start_server(workers=1), answers=200, kills=1, seed=1)


@pytest.mark.long
async def test_a_room_keeps_one_order_for_long(start_server: StartServer) -> None:
    for _ in range(8):
        await check_race(start_server(workers=1), answers=1_500, kills=6, seed=random.randrange(1 << 32))
