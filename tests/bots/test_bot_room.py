"""One room of a bot: its moves, its answers to offers, and what it does when it fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import pairwise

import pytest

from noughts.app.runtime.limits import MESSAGES_OF_PLAYER
from noughts.bots.bot_file import BotError
from noughts.bots.bot_room import BURST, IDLE_S, PER_S, BotRoom, Pace
from noughts.client import Rejected, Room, connect
from noughts.protocol.messages import View
from tests.support.player import WAIT_S
from tests.support.server import RunningServer
from tests.support.virtual_time import in_virtual_time


class First:
    """Chooses the first legal cell, and fails in the games whose numbers it is given."""

    def __init__(self, *fails_in: int) -> None:
        self._fails_in = fails_in

    async def choose(self, view: View) -> str:
        assert view.game is not None
        if view.game.number in self._fails_in:
            raise BotError("it failed.", "Traceback\n")
        return view.game.legal[0]


class Lines(list[str]):
    """Records what a bot reports."""

    def __call__(self, room: str, text: str, detail: str = "") -> None:
        self.append(text + detail)


@asynccontextmanager
async def playing(
    server: RunningServer, chooser: First, lines: Lines, idle_s: float = IDLE_S
) -> AsyncIterator[tuple[Room, asyncio.Task[None]]]:
    """Yield the room of a bot at X as its opponent sees it, and the task of the bot."""
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(asyncio.timeout(WAIT_S))
        bot = await stack.enter_async_context(connect(server.url, bot=True))
        ann = await stack.enter_async_context(connect(server.url, name="Ann"))
        own = await stack.enter_async_context(await bot.create("classic", opponent="anyone", mark="X"))
        room = await stack.enter_async_context(await ann.join(own.id))
        task = asyncio.create_task(BotRoom(own, chooser, lines, Pace(), offers_rematch=False, idle_s=idle_s).play())
        stack.callback(task.cancel)
        await room.sit()
        yield room, task


async def play(room: Room) -> View:
    """Play the last legal cell until the game is over."""
    async for view in room:
        assert view.game is not None
        if "move" in room.you.can:
            await room.move(view.game.legal[-1])
        elif view.phase == "finished":
            return view
    raise AssertionError("the views ended")


async def test_a_bot_plays_and_wants_a_rematch(server: RunningServer) -> None:
    lines = Lines()
    async with playing(server, First(), lines) as (room, _):
        await play(room)
        await room.offer("rematch")
        async for view in room:
            if view.game is not None and view.game.number == 2:
                break
        await play(room)
    assert lines[0].startswith("game 1 ")


async def test_a_bot_that_fails_resigns_and_plays_the_next_game(server: RunningServer) -> None:
    lines = Lines()
    async with playing(server, First(1), lines) as (room, _):
        view = await play(room)
        assert view.game is not None
        assert view.game.outcome is not None
        assert (view.game.outcome.winner, view.game.outcome.reason) == ("O", "resignation")
        await room.offer("rematch")
        async for view in room:
            if view.game is not None and view.game.number == 2:
                break
        await play(room)
    assert lines[0] == "it failed. The bot resigns this game.Traceback\n"
    assert lines[1] == "game 1 lost as X in 0 moves (resignation)"


async def test_a_bot_moves_again_after_a_limit(server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server had no credit left for the player. No news comes of that, so the bot must not wait for any."""
    move, news = Room.move, Room.news
    tries: list[str] = []

    async def limited(room: Room, cell: str, view: View) -> None:
        tries.append(cell)
        if len(tries) == 1:
            raise Rejected("rate_limited", "Slow down.", 1)
        await move(room, cell, view)

    async def no_news(room: Room) -> None:
        if len(tries) == 1:
            await asyncio.Event().wait()
        await news(room)

    monkeypatch.setattr(Room, "move", limited)
    monkeypatch.setattr(Room, "news", no_news)
    async with playing(server, First(), Lines()) as (room, _):
        async for view in room:
            if view.game is not None and view.game.moves:
                break
    assert tries == ["a1", "a1"]


async def test_a_bot_gives_up_an_idle_room(server: RunningServer) -> None:
    lines = Lines()
    async with playing(server, First(), lines, idle_s=0.05) as (room, task):
        await play(room)
        await task
    assert lines[-1] == "nobody wants a rematch: this room is given up"


async def times_of(pace: Pace, rooms: int, commands: int) -> list[tuple[float, int]]:
    """Return when each command of each room was sent, and the room."""
    sent: list[tuple[float, int]] = []

    async def room(number: int) -> None:
        for _ in range(commands):
            await pace.turn()
            sent.append((asyncio.get_running_loop().time(), number))

    await asyncio.gather(*[room(number) for number in range(rooms)])
    return sent


def test_rooms_take_turns() -> None:
    """Each of fifty rooms that always want to move waits for as long as all others need."""
    sent = in_virtual_time(times_of(Pace(), 50, 12))
    for number in range(50):
        times = [at_s for at_s, room in sent if room == number]
        assert max(later - earlier for earlier, later in pairwise(times)) <= 50 / PER_S + 1e-6
    assert sent[-1][0] == pytest.approx((600 - BURST) / PER_S)


def test_a_pause_allows_a_burst_again() -> None:
    """After a pause, as many commands are sent at once as at the beginning, and no more."""

    async def run() -> list[float]:
        pace = Pace(10.0, 5)
        await times_of(pace, 1, 20)
        await asyncio.sleep(100.0)
        begun_s = asyncio.get_running_loop().time()
        return [at_s - begun_s for at_s, _ in await times_of(pace, 1, 7)]

    assert in_virtual_time(run()) == pytest.approx([0.0] * 5 + [0.1, 0.2])


def test_the_pace_is_below_the_limit_of_a_server() -> None:
    assert MESSAGES_OF_PLAYER.rate.per_s > PER_S
    assert MESSAGES_OF_PLAYER.rate.burst > BURST
