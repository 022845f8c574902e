"""Players, double logins and seat grabbers in one room, over lines that fail and with a server that is killed.

The history of all that was sent and received is then checked: see :mod:`tests.races.history`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import NamedTuple

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


def _delay(proxy: TcpProxy) -> None:
    proxy.delay_s = 0.02


def _split(proxy: TcpProxy) -> None:
    proxy.splits = True


def _drop_answers(proxy: TcpProxy) -> None:
    proxy.drops_answers = True


def _drop_requests(proxy: TcpProxy) -> None:
    proxy.drops_requests = True


FAULTS: tuple[Callable[[TcpProxy], None], ...] = (
    _delay,
    TcpProxy.cut,
    TcpProxy.freeze,
    _split,
    _drop_answers,
    _drop_requests,
    TcpProxy.close_connections,
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


class Race(NamedTuple):
    """How much happened in a race."""

    answers: int
    accepted: int
    games: int
    views: int
    kills: int

    def __str__(self) -> str:
        return ", ".join(f"{number} {name}" for name, number in self._asdict().items())


async def check_race(server: RunningServer, answers: int, kills: int, seed: int) -> Race:
    history, stored = await race(server, answers, kills, seed)
    accepted = history.accepted()
    kinds = {history.commands[key]["type"] for key in accepted}
    games = stored["game"]["number"] if stored["game"] is not None else 0
    done = Race(len(history.answers), len(accepted), games, len(history.sights), kills)
    print(f"seed {seed}: {done}")
    check(history, stored)
    assert {"move", "sit"} <= kinds
    assert len(accepted) > answers // 4
    return done


async def test_a_room_keeps_one_order(start_server: StartServer) -> None:
    await check_race(start_server(workers=1), answers=200, kills=1, seed=1)


@pytest.mark.long
async def test_a_room_keeps_one_order_for_long(start_server: StartServer) -> None:
    races = [
        await check_race(start_server(workers=1), answers=1_500, kills=6, seed=random.randrange(1 << 32))
        for _ in range(8)
    ]
    print(f"{len(races)} races: {Race(*map(sum, zip(*races, strict=True)))}, 0 violations of one order")


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


def test_a_sound_history_passes() -> None:
    check(sound(), STORED)


def test_a_version_has_one_view() -> None:
    history = sound()
    history.sights.append(Sight(2, 2, view(2, "c3"), 2.5))
    with pytest.raises(HistoryError, match="views_agree"):
        check(history, STORED)


def test_a_connection_never_goes_back() -> None:
    history = sound()
    history.sights.append(Sight(1, 2, view(2, "b2"), 5.0))
    with pytest.raises(HistoryError, match="went back"):
        check(history, STORED)


def test_a_shown_version_is_stored() -> None:
    with pytest.raises(HistoryError, match="is stored"):
        check(sound(), view(2, "b2"))


def test_an_id_has_one_version() -> None:
    history = sound()
    history.answers.append(Answer(("a", "1"), 3, "ok", 5.0))
    with pytest.raises(HistoryError, match="answers_agree"):
        check(history, STORED)


def test_an_accepted_id_is_never_rejected() -> None:
    history = sound()
    history.answers.append(Answer(("a", "1"), None, "stale", 5.0))
    with pytest.raises(HistoryError, match="then rejected"):
        check(history, STORED)


def test_a_version_has_one_command() -> None:
    history = sound()
    history.commands["a", "2"] = move(2, "c3")
    history.sent_s["a", "2"] = 0.0
    history.answers.append(Answer(("a", "2"), 3, "ok", 5.0))
    with pytest.raises(HistoryError, match="answers_agree"):
        check(history, STORED)


def test_a_later_command_has_a_later_version() -> None:
    history = sound()
    history.sent_s["a", "1"] = 3.95
    with pytest.raises(HistoryError, match="order_is_real"):
        check(history, STORED)


@pytest.mark.parametrize("moves", [("b2", "b2"), ("b2", "a1", "c1", "c3")])
def test_a_step_is_legal(moves: tuple[str, ...]) -> None:
    history = sound()
    history.sights[-1] = Sight(1, 3, view(3, *moves), 3.9)
    with pytest.raises(HistoryError, match="games_are_legal"):
        check(history, view(3, *moves))


def test_an_accepted_move_is_there() -> None:
    history = sound()
    history.commands["b", "1"] = move(1, "c1")
    with pytest.raises(HistoryError, match="moves_are_there"):
        check(history, STORED)
