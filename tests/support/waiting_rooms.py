"""Games of days whose O gets notices, and their age: a stored game can be made to have waited for longer."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NamedTuple

from msgspec.structs import replace

from noughts.app.rooms.machine import index_entry
from noughts.room.policy import Policy
from noughts.room.room import Room
from noughts.room.storage import room_bytes, room_from
from noughts.store.machine_store import Change, MachineStore, Stored
from tests.support.commits import commit
from tests.support.player import Api, Served, enter, friends_room, guest
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


async def make_older(store: MachineStore, id: str, ms: int) -> None:
    """Let the present turn of a stored game have begun earlier. No node may hold it."""
    row = await store.load(id)
    assert row is not None
    room: Room = room_from(row.data)
    assert room.game is not None
    notice = room.notice
    if notice is not None and notice.remind_at_ms is not None:
        notice = replace(notice, remind_at_ms=notice.remind_at_ms - ms)
    game = replace(room.game, turn_since_ms=room.game.turn_since_ms - ms)
    older = replace(room, game=game, notice=notice, version=room.version + 1)
    entry = index_entry(older, Policy(notices=True))
    change = Change(id, room.version, older.version, room_bytes(older), entry, command_ids=b"")
    assert isinstance(await commit(store, change), Stored)
