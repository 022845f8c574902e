"""Bots in a tournament: a bot's evening, played by the client, from the PIN to the last rank."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from noughts.bots.bot_file import BotError
from noughts.bots.bot_player import BotPlan, BotPlayer
from noughts.bots.level_chooser import LevelChooser
from noughts.client import Rejected, connect
from noughts.protocol.messages import View
from noughts.tournament import timers
from tests.support.local_server import LocalServer, local_server
from tests.support.player import WAIT_S, friends_room, guest
from tests.support.server import RunningServer
from tests.support.tournament_client import check_results, new_cup


class First:
    """Chooses the first legal cell."""

    async def choose(self, view: View) -> str:
        assert view.game is not None
        return view.game.legal[0]


async def test_bots_play_a_tournament_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timers, "ROUND_MS", 100)
    async with local_server(tmp_path) as server:
        await play_to_the_end(server)


async def play_to_the_end(server: LocalServer) -> None:
    cup = await new_cup(server, "round_robin", bots="only")
    lines: list[str] = []

    def report(room: str, text: str, detail: str = "") -> None:
        lines.append(text)

    bots = [BotPlayer(BotPlan(server.url, ("classic",), 1, pin=cup.pin), First(), report) for _ in range(3)]
    tasks = [asyncio.create_task(bot.run()) for bot in bots]
    await cup.until_entrants(3)
    await cup.ok("start")
    async with asyncio.timeout(WAIT_S):
        await asyncio.gather(*tasks)
    standings, matches = await cup.standings(), await cup.matches()
    check_results(standings, matches)
    assert [row["games"] for row in standings] == [4, 4, 4]
    assert all(row["bot"] for row in standings)
    assert sum("the tournament is over: rank 1 with" in line for line in lines) >= 1


def test_the_engine_joins_by_the_command(server: RunningServer) -> None:
    pin, host = asyncio.run(_two_engines(server))
    assert host == "over"
    assert len(pin) == 6


async def _two_engines(server: RunningServer) -> tuple[str, str]:
    cup = await new_cup(server, "knockout", bots="yes", games=1)
    command = [sys.executable, "-m", "noughts", "bot", "--server", server.url, "--join", cup.pin, "--level"]
    processes = [
        subprocess.Popen([*command, level], stdout=subprocess.PIPE, text=True) for level in ("novice", "perfect")
    ]
    try:
        await cup.until_entrants(2)
        await cup.ok("start")
        state = (await cup.until_over())["state"]
        for process in processes:
            output, _ = await asyncio.to_thread(process.communicate, None, WAIT_S)
            assert process.returncode == 0
            assert "the tournament is over: rank" in output
    finally:
        for process in processes:
            process.kill()
            process.wait()
    return cup.pin, state


async def test_a_client_joins_pauses_and_leaves(server: RunningServer) -> None:
    cup = await new_cup(server)
    async with connect(server.url, name="Ann") as me:
        tournament = await me.join_tournament(cup.pin, "Anna")
        assert tournament.url.endswith(f"/t/{cup.id}")
        assert tournament.view.state == "open"
        with pytest.raises(RuntimeError):
            _ = tournament.match
        with pytest.raises(RuntimeError):
            await tournament.pause()
        async with tournament:
            assert tournament.match is None
            assert tournament.message.you.entrant == tournament.entrant == 1
            await tournament.pause()
            await tournament.resume()
            await tournament.leave()
            with pytest.raises(Rejected):
                await tournament.leave()
            async for message in tournament:
                assert message.you.row is not None
                if message.you.row.state == "left":
                    break
        with pytest.raises(Rejected):
            await me.join_tournament("000000" if cup.pin != "000000" else "000001")


async def test_the_engine_of_a_level_chooses(server: RunningServer) -> None:
    ann = await guest(server.url)
    async with connect(server.url) as me:
        room = await me.join((await friends_room(server, ann))["room"]["id"])
        with pytest.raises(BotError):
            await LevelChooser("novice").choose(room.view)
        game = await me.create("classic", opponent="engine", mark="X")
        for level in ("novice", "master"):
            chosen = await LevelChooser(level, 0.1).choose(game.view)
            assert game.view.game is not None
            assert chosen in game.view.game.legal
