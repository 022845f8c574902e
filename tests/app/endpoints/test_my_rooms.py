"""The list of a player's rooms over HTTP: what is in it, in which order, and what is not."""

from __future__ import annotations

from typing import Any

from tests.support.local_server import LocalServer
from tests.support.player import Api, friends_room, guest
from tests.support.responses import rejection
from tests.support.rooms import engine_room, pair

DAY_MS = 86_400_000
DAYS = {"mode": "days", "days": 3}


async def ids(api: Api, query: str = "") -> list[str]:
    return [room["id"] for room in (await api.get(f"/api/players/me/rooms{query}"))["rooms"]]


async def test_a_guest_without_rooms_has_an_empty_list(server: LocalServer) -> None:
    assert await ids(await guest(server.url, "Ann")) == []
    assert await rejection(Api(server.url), "GET", "/api/players/me/rooms") == (401, "unauthorized")


async def test_an_item_says_whose_turn_it_is_and_until_when(server: LocalServer) -> None:
    async with pair(server, clock=DAYS) as game:
        await game.play("b2")
        view = await game.view()
        answer = await game.ben.get("/api/players/me/rooms")
        (mine,) = answer["rooms"]
        (theirs,) = (await game.ann.get("/api/players/me/rooms"))["rooms"]
        assert await ids(game.ann, "?turn=mine") == []
        assert await ids(game.ben, "?turn=mine") == [game.id]
    assert 0 < mine["deadline_ms"] - answer["now_ms"] <= 3 * 86_400_000
    expected: dict[str, Any] = {
        "id": game.id,
        "variant": "classic",
        "phase": "playing",
        "mark": "O",
        "turn": "O",
        "yours": True,
        "opponent": view["seats"]["X"],
        "deadline_ms": view["clock"]["at_ms"] + 3 * DAY_MS,
        "ply": 1,
        "outcome": None,
        "marks": {"b2": "X"},
    }
    assert mine == {**expected, "used_ms": mine["used_ms"]}
    assert theirs == {**mine, "mark": "X", "yours": False, "opponent": view["seats"]["O"]}


async def test_your_turn_comes_first_then_the_deadline_then_the_newest_change(server: LocalServer) -> None:
    ann = await guest(server.url, "Ann")
    waiting = (await friends_room(server, ann))["room"]["id"]
    rooms = [
        (await engine_room(server, ann, clock=clock))["room"]["id"] for clock in (None, {**DAYS, "days": 7}, DAYS, None)
    ]
    untimed, seven, three, newest = rooms
    assert await ids(ann) == [three, seven, newest, untimed, waiting]
    assert await ids(ann, "?turn=mine") == [three, seven, newest, untimed]


async def test_a_room_without_your_seat_or_closed_is_left_out(server: LocalServer) -> None:
    async with pair(server) as game:
        await game.x.ok("resign")
        await game.o.ok("stand")
        assert await ids(game.ben) == []
        (room,) = (await game.ann.get("/api/players/me/rooms"))["rooms"]
        assert (room["phase"], room["turn"], room["opponent"], room["deadline_ms"]) == ("waiting", None, None, None)
        assert room["outcome"]["winner"] == "O"
        await game.x.ok("close")
        assert await ids(game.ann) == []


async def test_another_turn_is_rejected(server: LocalServer) -> None:
    ann = await guest(server.url, "Ann")
    assert await rejection(ann, "GET", "/api/players/me/rooms?turn=theirs") == (400, "bad_message")


async def test_quick_play_takes_no_days(server: LocalServer) -> None:
    ann = await guest(server.url, "Ann")
    body = {"variant": "classic", "clock": DAYS}
    assert await rejection(ann, "POST", "/api/quickplay", body) == (400, "bad_message")
