"""The clock of the machine is set while the server runs, and between two runs: no player gains or loses time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.node_processes import FAKETIME
from tests.support.player import Message, enter
from tests.support.rooms import pair
from tests.support.server import QUICK, RunningServer

MOVE_3S = {"mode": "move", "move_ms": 3_000}


def shifted(running: RunningServer, clock: Path) -> RunningServer:
    """Let a server read its wall clock through a file with the seconds by which it is shifted."""
    assert Path(FAKETIME).exists(), "faketime is missing: apt install faketime"
    running.environment |= {
        "LD_PRELOAD": FAKETIME,
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_TIMESTAMP_FILE": str(clock),
    }
    return running


def left_s(view: Message, now_ms: int) -> float:
    """Return the seconds that the side to move has left at this time of the server."""
    clock = view["clock"]
    return float(clock[f"{clock['running']}_ms"] - (now_ms - clock["at_ms"])) / 1000


@pytest.mark.long
@pytest.mark.parametrize("shift_s", [-7_200, -63_072_000, 7_200])
async def test_the_clock_is_set_between_two_runs(tmp_path: Path, shift_s: int) -> None:
    """Back by two hours or two years, or forward. The flag falls in time, and the player has no more than a move's time."""
    (tmp_path / "clock").write_text("+0")
    server = shifted(RunningServer(tmp_path / "data", QUICK), tmp_path / "clock")
    try:
        server.start()
        async with pair(server, clock=MOVE_3S) as room:
            await room.play("b2", "a1")
        server.kill()
        (tmp_path / "clock").write_text(f"{shift_s:+d}")
        server.start()
        async with enter(server, room.id, room.ann) as x:
            after_ms = int((await x.ask("ping"))["now_ms"])
            seconds = left_s(x.room, after_ms)
            assert 0 < seconds <= 3
            ended = await x.until_room(lambda view: view["phase"] != "playing")
            assert ended["game"]["outcome"]["reason"] == "timeout"
    finally:
        server.kill()
    print(f"the clock set by {shift_s:+} s between two runs: {seconds:.2f} s left of a move's 3 s")
