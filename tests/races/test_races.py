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
from tests.races.history import Answer, History, HistoryError, Sight, View, check
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


# --- the checks themselves ----------------------------------------------------------------------------------------


def view(version: int, *moves: str, number: int = 1) -> View:
    """Return a view after some moves of a game that is on."""
    turn = "XO"[len(moves) % 2]
    game = {"number": number, "moves": list(moves), "marks": dict.fromkeys(moves), "turn": turn, "outcome": None}
    seats = {"X": {"player": "a"}, "O": {"player": "b"}}
    return {"version": version, "variant": "classic", "phase": "playing", "game": game, "seats": seats}


def move(ply: int, cell: str) -> View:
    return {"type": "move", "game": 1, "ply": ply, "cell": cell}


def sound() -> History:
    """Return a history of two moves."""
    return History(
        {("a", "1"): move(0, "b2"), ("b", "1"): move(1, "a1")},
        {("a", "1"): 1.0, ("b", "1"): 3.0},
        [Answer(("a", "1"), 2, "ok", 2.0), Answer(("b", "1"), 3, "ok", 4.0)],
        [Sight(1, 1, view(1), 0.5), Sight(1, 2, view(2, "b2"), 1.9), Sight(1, 3, view(3, "b2", "a1"), 3.9)],
    )


STORED = view(3, "b2", "a1")


def last_view(*moves: str) -> History:
    """Return the sound history with other moves in its last view."""
    history = sound()
    history.sights[-1] = Sight(1, 3, view(3, *moves), 3.9)
    return history


def with_sight(sight: Sight) -> History:
    history = sound()
    history.sights.append(sight)
    return history


def with_answer(key: tuple[str, str], version: int | None, code: str) -> History:
    """Return the sound history with another answer. A key without a command gets one that was sent first."""
    history = sound()
    history.commands.setdefault(key, move(2, "c3"))
    history.sent_s.setdefault(key, 0.0)
    history.answers.append(Answer(key, version, code, 5.0))
    return history


def sent_late() -> History:
    history = sound()
    history.sent_s["a", "1"] = 3.95
    return history


def another_move() -> History:
    history = sound()
    history.commands["b", "1"] = move(1, "c1")
    return history


@pytest.mark.parametrize(
    ("history", "stored", "fault"),
    [
        (with_sight(Sight(2, 2, view(2, "c3"), 2.5)), STORED, "views_agree"),
        (with_sight(Sight(1, 2, view(2, "b2"), 5.0)), STORED, "went back"),
        (sound(), view(2, "b2"), "is stored"),
        (with_answer(("a", "1"), 3, "ok"), STORED, "answers_agree"),
        (with_answer(("a", "1"), None, "stale"), STORED, "then rejected"),
        (with_answer(("a", "2"), 3, "ok"), STORED, "answers_agree"),
        (sent_late(), STORED, "order_is_real"),
        (last_view("b2", "b2"), view(3, "b2", "b2"), "games_are_legal"),
        (last_view("b2", "a1", "c1", "c3"), view(3, "b2", "a1", "c1", "c3"), "games_are_legal"),
        (another_move(), STORED, "moves_are_there"),
    ],
)
def test_a_history_that_the_contract_forbids(history: History, stored: View, fault: str) -> None:
    """Each check finds the fault that it is for, and none in the sound history."""
    check(sound(), STORED)
    with pytest.raises(HistoryError, match=fault):
        check(history, stored)
