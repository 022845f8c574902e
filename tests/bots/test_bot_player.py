"""A bot on a server: many rooms at once, and the same player and rooms after restarts."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from noughts.bots.bot_player import BotPlan, BotPlayer
from noughts.client import ConnectError, Rejected, connect
from noughts.client.token_file import TokenFile
from noughts.protocol.messages import View
from noughts.room.clock import MoveClock
from tests.conftest import StartServer
from tests.support.player import WAIT_S
from tests.support.server import RunningServer

ROOMS = 50


class First:
    """Chooses the first legal cell."""

    async def choose(self, view: View) -> str:
        assert view.game is not None
        return view.game.legal[0]


class Reports:
    """Records the ends of games in each room, and tells when there are enough."""

    def __init__(self, wanted: int) -> None:
        self.games: Counter[str] = Counter()
        self.lines: list[str] = []
        self.enough = asyncio.Event()
        self._wanted = wanted

    def __call__(self, room: str, text: str, detail: str = "") -> None:
        self.lines.append(text)
        if text.startswith("game "):
            self.games[room] += 1
        if len(self.games) == self._wanted:
            self.enough.set()


async def test_fifty_rooms_at_once_lose_no_game_by_time(start_server: StartServer) -> None:
    """Against the engine without a pace and with the server's limits, on a clock of three seconds a move."""
    server = start_server(limits="on")
    reports = Reports(ROOMS)
    plan = BotPlan(server.url, ("classic", "misere"), ROOMS, against="novice", clock=MoveClock(3_000))
    task = asyncio.create_task(BotPlayer(plan, First(), reports).run())
    async with asyncio.timeout(WAIT_S):
        await asyncio.wait([task, asyncio.ensure_future(reports.enough.wait())], return_when=asyncio.FIRST_COMPLETED)
    task.cancel()
    await asyncio.wait([task])
    assert len(reports.games) == ROOMS
    assert not [text for text in reports.lines if "timeout" in text or "aborted" in text]


async def test_a_bot_comes_back_to_its_rooms(server: RunningServer, tmp_path: Path) -> None:
    plan = BotPlan(server.url, ("classic",), 2, name="Robin", token_file=tmp_path / "token")

    async def run_until_it_waits() -> TokenFile:
        task = asyncio.create_task(BotPlayer(plan, First(), Reports(0)).run())
        async with asyncio.timeout(WAIT_S), connect(server.url, guest=False) as anyone:
            async for lobby in anyone.lobby():
                own = {room.id for room in lobby.open if room.owner.name == "Robin" and room.owner.bot}
                if len(own) == 2 and own == set(TokenFile(plan.token_file).rooms):
                    break
        task.cancel()
        await asyncio.wait([task])
        return TokenFile(plan.token_file)

    first, second = await run_until_it_waits(), await run_until_it_waits()
    assert (first.token, sorted(first.rooms)) == (second.token, sorted(second.rooms))


async def test_what_cannot_work_is_said_at_the_start(server: RunningServer, tmp_path: Path) -> None:
    plan = BotPlan(server.url, ("chess",), 1)
    with pytest.raises(Rejected, match="The server has no variant 'chess'"):
        await BotPlayer(plan, First(), Reports(1)).run()
    with pytest.raises(ConnectError):
        await BotPlayer(plan._replace(server="http://127.0.0.1:1"), First(), Reports(1)).run()
    (tmp_path / "token").write_text("unknown")
    with pytest.raises(Rejected, match="unauthorized"):
        await BotPlayer(plan._replace(token_file=tmp_path / "token"), First(), Reports(1)).run()
