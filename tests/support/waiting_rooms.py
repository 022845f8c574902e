"""Games of days whose O gets notices, and a way to let little time be left in a stored game."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from typing import Any, NamedTuple

from msgspec.structs import replace

from noughts.app.rooms.kind import index_entry
from noughts.room.policy import Policy
from noughts.room.storage import room_bytes, room_from
from noughts.store.machine_store import Change, MachineStore, Stored
from tests.support.commits import commit
from tests.support.player import WAIT_S, Api, Served, enter, friends_room, guest
from tests.support.push_browser import Browser
from tests.support.push_service import PushService

DAY_MS = 86_400_000


class WaitingRoom(NamedTuple):
    """A game of one day for each move between Ann at X and Ben at O, to whom ``browser`` belongs. Nobody is connected."""

    id: str
    ann: Api
    ben: Api
    browser: Browser

    async def move(self, server: Served, cell: str, mark: str = "X") -> None:
        """Fill a cell, and leave."""
        async with enter(server, self.id, self.ann if mark == "X" else self.ben) as socket:
            await socket.until_room(lambda view: view["game"]["turn"] == mark)
            await socket.move(cell)


async def waiting_room(server: Served, service: PushService, path: str = "p/1") -> WaitingRoom:
    """Begin a game. Ben is subscribed with an endpoint of his own."""
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    answer: Any = await friends_room(server, ann, mark="X", clock={"mode": "days", "days": 1})
    browser = Browser.new()
    await ben.post("/api/players/me/push", browser.subscription(service.url(path)))
    async with enter(server, answer["room"]["id"], ben) as socket:
        await socket.ok("sit", mark="O", invite=answer["invite"])
    return WaitingRoom(answer["room"]["id"], ann, ben, browser)


def plies_sent(service: PushService, path: str, browser: Browser) -> Counter[tuple[int, bool]]:
    """Return how many notices an endpoint got for each ply, apart from reminders."""
    posts = [post for post in service.posts if post.path == f"/{path}"]
    messages = [json.loads(browser.decrypt(post.body)) for post in posts]
    return Counter((message["ply"], message.get("reminder", False)) for message in messages)


async def shorten(store: MachineStore, id: str, left_ms: int) -> None:
    """Let the present turn of a stored game have begun so early that this time is left now. No node may hold the game."""
    row = await store.load(id)
    assert row is not None
    room = room_from(row.data)
    assert room.game is not None
    since_ms = int(time.time() * 1000) + left_ms - DAY_MS
    notice = room.notice
    if notice is not None and notice.remind_at_ms is not None:
        notice = replace(notice, remind_at_ms=notice.remind_at_ms + since_ms - room.game.turn_since_ms)
    game = replace(room.game, turn_since_ms=since_ms)
    shorter = replace(room, game=game, notice=notice, version=room.version + 1)
    entry = index_entry(shorter, Policy(notices=True))
    change = Change(id, room.version, shorter.version, room_bytes(shorter), entry, command_ids=b"")
    assert isinstance(await commit(store, change), Stored)


async def until_flag(server: Served, id: str) -> float:
    """Wait until a game ends by its flag, at most two seconds late. Return the seconds by which it was late."""
    api = Api(server.url)
    view = await api.get(f"/api/rooms/{id}")
    flag_s: float = (view["clock"]["at_ms"] + view["clock"][f"{view['game']['turn']}_ms"]) / 1000
    assert view["phase"] == "playing"
    async with asyncio.timeout(WAIT_S):
        while view["phase"] == "playing":
            await asyncio.sleep(0.1)
            view = await api.get(f"/api/rooms/{id}")
    late_s = time.time() - flag_s
    assert view["game"]["outcome"]["reason"] == "timeout"
    assert -0.1 <= late_s < 2
    return late_s
