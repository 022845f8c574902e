"""Time that the server or its disk uses is charged to no player on a clock."""

from __future__ import annotations

import asyncio
import signal
import statistics

import pytest

from tests.conftest import StartServer
from tests.support.metrics import metric
from tests.support.player import Message
from tests.support.rooms import Pair, pair
from tests.support.server import RunningServer
from tests.support.strace import slow_disk

MOVE_3S = {"mode": "move", "move_ms": 3_000}
FISCHER = {"mode": "fischer", "initial_ms": 60_000, "increment_ms": 0}
CELLS = ("b2", "a1", "c3", "a3", "a2", "c2", "b1", "b3", "c1")
"""A drawn game of classic."""


async def answer_at_once(room: Pair, cells: tuple[str, ...]) -> list[int]:
    """Let each player answer the other's move as soon as it is shown. Return what each move was charged."""
    charged = []
    played = len((await room.view())["game"]["moves"])
    for ply, cell in enumerate(cells, played):
        mark, socket = ("X", room.x) if ply % 2 == 0 else ("O", room.o)
        view = await socket.until_room(lambda view, ply=ply: len(view["game"]["moves"]) >= ply)  # type: ignore[misc]
        assert view["phase"] == "playing", view["game"]["outcome"]
        await socket.ok("move", ply=ply, cell=cell)
        charged.append(view["clock"][f"{mark}_ms"] - socket.room["clock"][f"{mark}_ms"])
    return charged


async def test_a_slow_flush_costs_no_player_time(traced: RunningServer) -> None:
    """A player's time begins when the opponent's move is stored and sent."""
    async with pair(traced, clock=FISCHER) as room:
        await answer_at_once(room, CELLS[:2])
        disk = await slow_disk(traced, 400)
        try:
            charged = await answer_at_once(room, CELLS[2:])
        finally:
            disk.mend()
        print(f"flushes of 400 ms: {statistics.median(charged)} ms charged for a move, {max(charged)} at most")
        assert statistics.median(charged) < 50, charged


async def stopped(server: RunningServer, seconds: float) -> None:
    """Stop the server's process as a paused machine does, and let it go on."""
    server.signal(signal.SIGSTOP)
    await asyncio.sleep(seconds)  # in which the other process stands still
    server.signal(signal.SIGCONT)


async def moved_while_stopped(server: RunningServer, room: Pair, seconds: float) -> Message:
    """Let X move while the server is stopped, and return the answer."""
    stop = asyncio.create_task(stopped(server, seconds))
    answer = await room.x.ask("move", ply=2, cell=CELLS[2])
    await stop
    return answer


@pytest.mark.parametrize("seconds", [4.0, pytest.param(30.0, marks=pytest.mark.long)])
async def test_a_stopped_process_costs_no_player_time(start_server: StartServer, seconds: float) -> None:
    """Neither a player whose move waits in the socket, nor one who moves later. Nobody is disconnected."""
    server = start_server()
    async with pair(server, clock=MOVE_3S) as room, pair(server, clock=MOVE_3S) as other:
        for each in (room, other):
            await answer_at_once(each, CELLS[:2])
        await room.x.until_room(lambda view: len(view["game"]["moves"]) == 2)
        answer = await moved_while_stopped(server, room, seconds)
        assert answer["type"] == "ok", answer
        await answer_at_once(room, CELLS[3:4])
        assert (await other.x.ask("move", ply=2, cell=CELLS[2]))["type"] == "ok"
        assert await metric(server, "noughts_standstills_total") >= 1
        noted_s = await metric(server, "noughts_standstill_seconds_total")
        assert noted_s >= seconds - 1
    assert "given the time back" in server.log
    print(f"stopped for {seconds:.0f} s: {noted_s:.1f} s noted, 0 flags in 2 games with 3 s a move")
