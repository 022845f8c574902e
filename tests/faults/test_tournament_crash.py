"""The server is killed between the steps that a tournament and its rooms take together: each game counts once."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.player import WAIT_S, Api
from tests.support.server import QUICK, RunningServer
from tests.support.tournament_client import Cup, check_results, new_cup, playing

KILLED_AT: Final = """
import importlib, os, runpy, signal, sys
module, owner, name, left = sys.argv[1:5]
kind = getattr(importlib.import_module(module), owner)
method, left = getattr(kind, name), int(left)
def counted(*arguments, **options):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    return method(*arguments, **options)
setattr(kind, name, counted)
sys.argv = sys.argv[7:]
runpy.run_module("noughts", run_name="__main__", alter_sys=True)
"""
"""A program that runs the server until a method is called for a number of times, and then kills it before the call."""
POINTS: Final = (
    ("noughts.app.tournaments.match_keeper", "MatchKeeper", "_carried_out", 2),  # match stored, room not made
    ("noughts.app.tournaments.match_keeper", "MatchKeeper", "_report_of", 12),  # room made, tournament not told
    ("noughts.app.tournaments.match_keeper", "MatchKeeper", "_pass_on", 12),  # game ended, not reported
    ("noughts.app.tournaments.kind", "TournamentKind", "step", 30),  # game reported, not counted
    ("noughts.app.tournaments.on_node", "TournamentOnNode", "publish", 30),  # counted, not sent
    ("noughts.app.tournaments.match_keeper", "MatchKeeper", "_carried_out", 20),  # next game due, not begun
)
"""The methods before a call of which the server is killed, and the number of the call since its start."""
PAIRED_S: Final = 6.0
KILLS: Final = 20
"""After a restart, pairing goes on within this time."""


async def check_games(cup: Cup) -> None:
    """Check that the tournament and the records of its rooms tell the same of every game."""
    standings, matches = await cup.standings(), await cup.matches()
    check_results(standings, matches)
    api = Api(cup.server.url)
    for match in matches:
        for game in match["games"]:
            record: Any = await api.get(f"/api/rooms/{match['room']}/games/{game['number']}")
            assert record["outcome"]["reason"] == game["reason"]
            names = {side["entrant"]: side["name"] for side in match["entrants"]}
            winner = record["outcome"]["winner"]
            assert record["players"]["X"]["name"] == names[game["X"]]
            assert (None if winner is None else record["players"][winner]["name"]) == names.get(game["winner"])


async def test_a_kill_between_two_steps(tmp_path: Path) -> None:
    """At each point in turn, in one tournament, which goes on after each restart."""
    server = RunningServer(tmp_path / "data", QUICK)
    try:
        start_until(server, POINTS[0])
        cup = await new_cup(server)
        entrants = await cup.entrants(5)
        async with playing(entrants):
            start = asyncio.create_task(cup.command("start"))
            for point in POINTS[1:]:
                await killed(server)
                await asyncio.gather(start, return_exceptions=True)
                start_until(server, point)
                if (await cup.show())["state"] == "open":
                    await cup.ok("start")
            await killed(server)
            server.start()
            began_s, before = time.monotonic(), len(await cup.matches())
            while len(await cup.matches()) <= before:
                assert time.monotonic() - began_s < PAIRED_S
                await asyncio.sleep(0.05)
            await cup.ok("stop")
            await cup.until_over()
        await check_games(cup)
    finally:
        server.kill()


def start_until(server: RunningServer, point: tuple[str, str, str, int]) -> None:
    """Start a server that is killed at a point."""
    server.start(sys.executable, "-c", KILLED_AT, *map(str, point))


async def killed(server: RunningServer) -> None:
    """Wait until a server has killed itself."""
    assert server.process is not None
    assert await asyncio.to_thread(server.process.wait, WAIT_S) == -signal.SIGKILL
    server.kill()


def stored_deadline_ms(directory: Path) -> int:
    """Return when the stored tournament is attended to next."""
    with closing(sqlite3.connect(directory / "data" / "noughts.db")) as db:
        return int(db.execute("SELECT wake_at_ms FROM tournaments").fetchone()[0])


@pytest.mark.long
async def test_kills_at_any_time(tmp_path: Path) -> None:
    """The bell moves by the time for which the server was away at least, and each restart attends to the tournament."""
    server = RunningServer(tmp_path / "data", QUICK)
    try:
        server.start()
        cup = await new_cup(server)
        entrants = await cup.entrants(7)
        async with playing(entrants):
            await cup.ok("start")
            bell_ms = (await cup.show())["bell_ms"]
            for number in range(KILLS):
                await asyncio.sleep(0.7 + number * 0.13 % 1)
                server.kill()
                await asyncio.sleep(0.5)
                assert await asyncio.to_thread(stored_deadline_ms, tmp_path) <= bell_ms - 600_000
                server.start()
            await cup.until_matches(len(await cup.matches()) + 3)
            assert (await cup.show())["bell_ms"] >= bell_ms + 500 * KILLS
            await cup.ok("stop")
            await cup.until_over()
        await check_games(cup)
    finally:
        server.kill()
