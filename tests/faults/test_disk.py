"""The disk fails under a running server: what is not stored is not acknowledged, and service goes on when it can."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.support.player import WAIT_S, Api, Message, guest
from tests.support.rooms import Pair, pair
from tests.support.server import RunningServer
from tests.support.strace import BrokenDisk


async def broken_disk(server: RunningServer, error: str, prober: Pair) -> BrokenDisk:
    """Break the disk, and wait until a command shows it."""
    disk = BrokenDisk(server, f"error={error}")
    async with asyncio.timeout(WAIT_S):
        while True:
            disk.check()
            answer = await prober.o.ask("chat", text="does it write?")
            if answer["type"] == "rejected":
                assert (answer["code"], answer["retry_ms"] > 0) == ("unavailable", True)
                return disk


async def moved(room: Pair) -> Message:
    """Send X's second move, always with the same id, until it is accepted."""
    async with asyncio.timeout(WAIT_S):
        while (answer := await room.x.ask("move", id="m", ply=2, cell="c3"))["type"] != "ok":
            assert answer["code"] == "unavailable", answer
    return answer


async def test_a_disk_that_fails_and_recovers(traced: RunningServer) -> None:
    """Nobody is shown a move that is not stored, and the server says that it is not ready."""
    api = Api(traced.url)
    async with pair(traced) as room, pair(traced) as prober:
        await room.play("b2", "a1")
        disk = await broken_disk(traced, "ENOSPC", prober)
        try:
            seen = len(room.o.seen)
            assert await room.x.rejected("move", id="m", ply=2, cell="c3") == "unavailable"
            assert (await room.o.ask("ping"))["type"] == "pong"
            views = [message for message in room.o.seen[seen:] if message["type"] == "room"]
            assert [view for view in views if len(view["room"]["game"]["moves"]) > 2] == []
            status, answer = await api.call("POST", "/api/players", {})
            assert (status, answer["error"]["code"]) == (503, "unavailable")
            assert (await api.call("GET", "/readyz"))[0] == 503
            assert (await api.call("GET", "/healthz"))[0] == 200
            faults = disk.faults
        finally:
            disk.mend()
        await moved(room)
        assert (await room.view())["game"]["moves"] == ["b2", "a1", "c3"]
        await room.play("a2")
        assert await api.get("/readyz") == {"status": "ready"}
        await guest(traced.url)
    traced.kill()
    traced.start()
    assert (await Api(traced.url).get(f"/api/rooms/{room.id}"))["game"]["moves"] == ["b2", "a1", "c3", "a2"]
    print(f"{faults} flushes failed: 0 unstored moves shown, 4 of 4 acknowledged moves stored")


@pytest.mark.long
async def test_clocks_stand_still_while_the_disk_fails(traced: RunningServer) -> None:
    """Also in a game that asked nothing of the store meanwhile, and in one whose flag was far away."""
    clock = {"mode": "move", "move_ms": 4_000}
    async with (
        pair(traced, clock=clock) as asking,
        pair(traced, clock=clock) as quiet,
        pair(traced, clock={"mode": "move", "move_ms": 60_000}) as long,
        pair(traced) as prober,
    ):
        for room in (asking, quiet, long):
            await room.play("b2", "a1")
        disk = await broken_disk(traced, "EIO", prober)
        try:
            until_s = time.monotonic() + 5
            while time.monotonic() < until_s:  # longer than a move may take
                assert await asking.x.rejected("move", ply=2, cell="c3") == "unavailable"
                await asyncio.sleep(0.2)
        finally:
            disk.mend()
        for room in (asking, quiet):
            await moved(room)
            assert (await room.view())["phase"] == "playing"
        # Here the clock runs from a later moment than the last move.
        await long.x.until_room(lambda view: bool(view["clock"]["at_ms"] > view["created_ms"] + 4_000))
        record = await Api(traced.url).get(f"/api/rooms/{long.id}/games/1")
        returned_ms = (await long.view())["clock"]["at_ms"] - record["moves"][1]["at_ms"]
        assert returned_ms >= 4_000
    print(f"a disk that fails for 5 s: {returned_ms} ms charged to nobody, 0 flags in 2 games with 4 s a move")
