"""What a player gets of what the server stores: all of the player's own, and nothing of another person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from noughts.store.sqlite.store import SqliteStore
from tests.support.local_server import local_server
from tests.support.player import Api, enter, guest
from tests.support.push_browser import Browser
from tests.support.push_service import CONTACT
from tests.support.responses import rejection
from tests.support.rooms import Pair, pair
from tests.support.tournament_client import new_cup

PATH = "/api/players/me/export"


async def a_full_life(game: Pair) -> None:
    """Play two games, the second of which is on, and let both sides and a spectator chat."""
    await game.x.ok("chat", text="Ann says this")
    await game.o.ok("chat", text="Ben says that")
    await game.play("b2", "a1", "c1", "a3", "a2", "c2", "b1", "b3", "c3")
    await game.x.ok("offer", what="rematch")
    await game.o.ok("answer", what="rematch", accept=True)
    await game.o.move("b2")  # the marks change with the game


async def test_all_that_is_stored_about_a_guest_is_in_it_and_nothing_of_others(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "noughts.db")
    async with local_server(tmp_path, store, contact=CONTACT) as server, pair(server) as game:
        await a_full_life(game)
        ann = game.ann
        cup = await new_cup(server)
        await ann.post("/api/tournaments/join", {"pin": cup.pin})
        await cup.entrant("Stranger")
        await ann.post("/api/players/me/push", Browser.new().subscription("https://fcm.googleapis.com/fcm/send/one"))
        code = (await ann.post("/api/players/me/resume-code"))["code"]
        second = (await Api(server.url).post("/api/players/resume", {"code": code}))["token"]
        answer: dict[str, Any] = await ann.get(PATH)
        tokens = (await ann.get("/api/players/me/tokens"))["tokens"]
        row = next(each for each in await cup.standings() if each["name"] == "Ann")
        first = await ann.get(f"/api/rooms/{game.id}/games/1")
        on = await ann.get(f"/api/rooms/{game.id}/games/2")
        stored = await store.player(ann.player["id"])
        hashes = [token.hash for token in await store.tokens(ann.player["id"])]
        mine = (await game.ben.get(PATH))["rooms"][0]
    assert stored is not None
    assert set(answer) == {"player", "made_ms", "seen_ms", "tokens", "rooms", "tournaments", "push", "bans"}
    assert answer["player"] == ann.player
    assert answer["made_ms"] == min(token["made_ms"] for token in tokens) > 0
    assert answer["seen_ms"] >= stored.seen_ms
    assert answer["tokens"] == tokens
    assert len(tokens) == 2
    (room,) = answer["rooms"]
    assert (room["id"], room["variant"], room["mark"]) == (game.id, "classic", "O")
    assert room["games"] == [first, on]
    assert [line["text"] for line in room["chat"]] == ["Ann says this"]
    assert (mine["mark"], [line["text"] for line in mine["chat"]]) == ("X", ["Ben says that"])
    assert answer["tournaments"] == [{"id": cup.id, "name": "Cup", "entrant": row["entrant"], "row": row}]
    assert [device["host"] for device in answer["push"]] == ["fcm.googleapis.com"]
    assert answer["bans"] is False
    text = json.dumps(answer)
    for secret in (
        "fcm/send",
        ann.token,
        second,
        code,
        game.invite,
        "Stranger",
        "Ben says that",
        *[each.hex() for each in hashes],
    ):
        assert str(secret) not in text


async def test_the_chat_of_rooms_that_a_guest_only_watched_is_in_it(tmp_path: Path) -> None:
    """The games of others are not. A room that is closed is gone from the file."""
    async with local_server(tmp_path) as server, pair(server) as game:
        cat = await guest(server.url, "Cat")
        async with enter(server, game.id, cat) as watcher:
            await game.x.ok("chat", text="Ann says this")
            await watcher.ok("chat", text="Cat says this")
            await game.play("b2", "a1", "c1", "a3", "a2", "c2", "b1", "b3", "c3")
        rooms = (await cat.get(PATH))["rooms"]
        await server.operator().post(f"/admin/rooms/{game.id}/close")
        later = (await cat.get(PATH))["rooms"]
    ((line,),) = [room.pop("chat") for room in rooms]
    assert rooms == [{"id": game.id, "variant": "classic", "mark": None, "games": []}]
    assert (line["text"], line["ply"]) == ("Cat says this", 0)
    assert later == []


async def test_it_needs_a_token_and_waits_ten_seconds(tmp_path: Path) -> None:
    async with local_server(tmp_path, limits=True) as server:
        assert await rejection(Api(server.url), "GET", PATH) == (401, "unauthorized")
        ann = await guest(server.url, "Ann")
        assert (await ann.get(PATH))["rooms"] == []
        assert await rejection(ann, "GET", PATH) == (429, "rate_limited")
