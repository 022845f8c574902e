"""A bot on a server: many rooms at once, and the same player and rooms after restarts."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from noughts.bots.bot_player import BotPlan, BotPlayer
from noughts.client import Client, ConnectError, Rejected, Room, connect
from noughts.client.token_file import TokenFile
from noughts.protocol.messages import View
from noughts.room.clock import MoveClock
from tests.conftest import StartServer
from tests.support.player import WAIT_S
from tests.support.server import RunningServer
from tests.support.waiting import until


class First:
    """Chooses the first legal cell."""

    async def choose(self, view: View) -> str:
        assert view.game is not None
        return view.game.legal[0]


class Reports:
    """Records the ends of games, and tells when there are enough. ``waiting`` lists the rooms without an opponent."""

    def __init__(self, wanted: int) -> None:
        self.games: Counter[str] = Counter()
        self.lines: list[str] = []
        self.waiting: list[str] = []
        self.enough = asyncio.Event()
        self._wanted = wanted

    def __call__(self, room: str, text: str, detail: str = "") -> None:
        self.lines.append(text)
        if text.startswith("waits for an opponent"):
            self.waiting.append(room)
        if text.startswith("game "):
            self.games[room] += 1
        if len(self.games) == self._wanted:
            self.enough.set()


@asynccontextmanager
async def running(plan: BotPlan, reports: Reports) -> AsyncIterator[None]:
    """Run a bot until the block is left. If the bot fails, so does the block."""
    async with asyncio.TaskGroup() as group:
        bot = group.create_task(BotPlayer(plan, First(), reports).run())
        try:
            async with asyncio.timeout(WAIT_S):
                yield
        finally:
            bot.cancel()


@pytest.mark.parametrize("rooms", [20, pytest.param(50, marks=pytest.mark.long)])
async def test_many_rooms_at_once_lose_no_game_by_time(start_server: StartServer, rooms: int) -> None:
    """Against the engine without a pace and with the server's limits, on a clock of three seconds a move."""
    server = start_server(limits="on")
    reports = Reports(rooms)
    plan = BotPlan(server.url, ("classic", "misere"), rooms, against="novice", clock=MoveClock(3_000))
    async with running(plan, reports):
        await reports.enough.wait()
    assert len(reports.games) == rooms
    assert not [text for text in reports.lines if "timeout" in text or "aborted" in text]


async def test_a_bot_comes_back_to_its_rooms(server: RunningServer, tmp_path: Path) -> None:
    plan = BotPlan(server.url, ("classic",), 2, name="Robin", token_file=tmp_path / "token")

    async def run_until_it_waits() -> TokenFile:
        reports = Reports(0)
        async with running(plan, reports):
            await until(lambda: len(reports.waiting) == 2)
        return TokenFile(plan.token_file, plan.server)

    first, second = await run_until_it_waits(), await run_until_it_waits()
    assert (first.token, sorted(first.rooms)) == (second.token, sorted(second.rooms))


async def test_a_bot_opens_another_room_for_one_that_is_gone(server: RunningServer, tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "token", server.url)
    async with connect(server.url, name="Rita", bot=True) as rita:
        file.keep(rita.token, ["A" * 16])
    reports = Reports(1)
    async with running(BotPlan(server.url, ("classic",), 1, token_file=tmp_path / "token"), reports):
        await until(lambda: bool(reports.waiting))
    assert TokenFile(tmp_path / "token", server.url).rooms == tuple(reports.waiting)


async def test_a_bot_tries_again_after_a_limit(server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says why it waits, if the server names a time or not."""
    create, reports = Client.create, Reports(1)
    rejections = [Rejected("rate_limited", "Slow down.", 1), ConnectError("No server can be reached.")]

    async def limited(client: Client, *arguments: Any, **options: Any) -> Room:
        if rejections:
            raise rejections.pop(0)
        return await create(client, *arguments, **options)

    monkeypatch.setattr(Client, "create", limited)
    async with running(BotPlan(server.url, ("classic",), 1, name="Runa"), reports):
        await until(lambda: bool(reports.waiting))
    assert reports.lines[1:3] == ["rate_limited: Slow down.", "No server can be reached."]


async def test_a_bot_gives_a_seat_back(server: RunningServer, tmp_path: Path) -> None:
    """In a room of another player, which goes on without the bot."""
    file = TokenFile(tmp_path / "token", server.url)
    async with connect(server.url) as ann, await ann.create("classic", opponent="anyone", mark="X") as room:
        async with connect(server.url, name="Rune", bot=True) as rune, await rune.join(room.id) as seat:
            await seat.sit("O")
            await seat.resign()
            file.keep(rune.token, [room.id])
        async for view in room:
            if view.phase == "finished":
                break
        plan = BotPlan(server.url, ("classic",), 1, token_file=tmp_path / "token", idle_s=0.05)
        reports = Reports(1)
        async with running(plan, reports):
            async for view in room:
                if view.seats.O is None:
                    break
            await until(lambda: bool(reports.waiting))
        assert reports.waiting != [room.id]


async def test_what_cannot_work_is_said_at_the_start(server: RunningServer, tmp_path: Path) -> None:
    plan = BotPlan(server.url, ("chess",), 1)
    with pytest.raises(Rejected, match="The server has no variant 'chess'"):
        await BotPlayer(plan, First(), Reports(1)).run()
    with pytest.raises(ConnectError):
        await BotPlayer(plan._replace(server="http://127.0.0.1:1"), First(), Reports(1)).run()
    (tmp_path / "token").write_text("unknown")
    with pytest.raises(Rejected, match="unauthorized"):
        await BotPlayer(plan._replace(token_file=tmp_path / "token"), First(), Reports(1)).run()
