"""Rooms over HTTP: made, looked at, listed, found by quick play, and their games' records."""

from __future__ import annotations

import asyncio
import re
from urllib.parse import quote

import pytest

from tests.support.player import Api, connect, enter, friends_room, guest
from tests.support.responses import raw_response, rejection

ROOM_ID = re.compile(r"[A-Za-z0-9_-]{16,}")  # 96 bits or more


@pytest.mark.parametrize(
    ("options", "join", "visibility", "invited", "phase"),
    [
        ({"opponent": "friend"}, "invite", "unlisted", True, "waiting"),
        ({"opponent": "anyone"}, "open", "public", False, "waiting"),
        ({"opponent": "engine"}, "invite", "unlisted", True, "playing"),
        ({"opponent": "engines", "levels": ["novice", "perfect"]}, None, "public", False, "playing"),
    ],
)
async def test_a_room_of_each_kind(server, options, join, visibility, invited, phase):
    ann = await guest(server.url, "Ann")
    status, made = await ann.call("POST", "/api/rooms", {"variant": "classic", **options})
    assert status == 201
    room = made["room"]
    assert ROOM_ID.fullmatch(room["id"])
    assert (room["join"], room["visibility"], room["phase"]) == (join, visibility, phase)
    assert (room["owner"], room["version"], room["variant"]) == (ann.player["id"], 1, "classic")
    assert made["watch_url"] == f"{server.url}/r/{room['id']}"
    if invited:
        assert len(made["invite"]) >= 22
        assert made["url"] == f"{made['watch_url']}#i={made['invite']}"
    else:
        assert "invite" not in made
        assert made["url"] == made["watch_url"]
    seats = [seat for seat in room["seats"].values() if seat is not None]
    mine = {"kind": "human", "player": ann.player["id"], "name": "Ann"}
    if options["opponent"] == "engines":
        assert room["seats"] == {
            "X": {"kind": "engine", "level": "novice", "holding_for": None},
            "O": {"kind": "engine", "level": "perfect", "holding_for": None},
        }
    else:
        assert mine in seats
        assert len(seats) == (2 if options["opponent"] == "engine" else 1)
    if options["opponent"] == "engine":
        assert {"kind": "engine", "level": "skilled", "holding_for": None} in seats
    # What others see is the same, and holds no secret.
    seen = await Api(server.url).get(f"/api/rooms/{room['id']}")
    assert seen["id"] == room["id"]
    assert "invite" not in seen


async def test_the_mark_is_as_asked_or_chance(server):
    ann = await guest(server.url)

    async def mark_for(**asked):
        made = await ann.post("/api/rooms", {"variant": "classic", "opponent": "friend", **asked})
        return "X" if made["room"]["seats"]["X"] else "O"

    assert {await mark_for(mark="X") for _ in range(5)} == {"X"}
    assert {await mark_for(mark="O") for _ in range(5)} == {"O"}
    assert {await mark_for(mark="random") for _ in range(40)} == {"X", "O"}
    assert {await mark_for() for _ in range(40)} == {"X", "O"}
    assert {await mark_for(mark=None) for _ in range(40)} == {"X", "O"}


async def test_a_clock_shows_what_each_side_will_have(server):
    ann = await guest(server.url)
    clock = {"mode": "fischer", "initial_ms": 60_000, "increment_ms": 2_000}
    room = (await friends_room(server, ann, clock=clock))["room"]
    assert {key: room["clock"][key] for key in ("mode", "X_ms", "O_ms", "running")} == {
        "mode": "fischer",
        "X_ms": 60_000,
        "O_ms": 60_000,
        "running": None,
    }
    room = (await friends_room(server, ann, clock={"mode": "move", "move_ms": 3_000}))["room"]
    assert (room["clock"]["mode"], room["clock"]["X_ms"]) == ("move", 3_000)


FRIEND = {"variant": "classic", "opponent": "friend"}


@pytest.mark.parametrize(
    "body",
    [
        None,
        {"variant": "classic"},
        {"opponent": "friend"},
        {**FRIEND, "variant": "chess"},
        {**FRIEND, "variant": 3},
        {**FRIEND, "opponent": "nobody"},
        {**FRIEND, "mark": "Z"},
        {**FRIEND, "mark": "x"},
        {**FRIEND, "visibility": "secret"},
        {**FRIEND, "clock": {}},
        {**FRIEND, "clock": {"mode": "sand"}},
        {**FRIEND, "clock": {"mode": "move"}},
        {**FRIEND, "clock": {"mode": "move", "move_ms": 2_999}},
        {**FRIEND, "clock": {"mode": "move", "move_ms": 86_400_001}},
        {**FRIEND, "clock": {"mode": "move", "move_ms": 5_000.5}},
        {**FRIEND, "clock": {"mode": "fischer", "initial_ms": 9_999, "increment_ms": 0}},
        {**FRIEND, "clock": {"mode": "fischer", "initial_ms": 10_800_001, "increment_ms": 0}},
        {**FRIEND, "clock": {"mode": "fischer", "initial_ms": 10_000, "increment_ms": -1}},
        {**FRIEND, "clock": {"mode": "fischer", "initial_ms": 10_000, "increment_ms": 60_001}},
        {"variant": "classic", "opponent": "engine", "level": "godlike"},
        {"variant": "classic", "opponent": "engine", "level": "strongest"},
        {"variant": "gomoku", "opponent": "engine", "level": "perfect"},
        {"variant": "classic", "opponent": "engines"},
        {"variant": "classic", "opponent": "engines", "levels": ["novice"]},
        {"variant": "classic", "opponent": "engines", "levels": ["novice"] * 3},
        {"variant": "classic", "opponent": "engines", "levels": ["novice", "godlike"]},
        [FRIEND],
        "friend",
    ],
    ids=str,
)
async def test_a_room_that_cannot_be(server, body):
    assert await rejection(await guest(server.url), "POST", "/api/rooms", body) == (400, "bad_message")


@pytest.mark.parametrize("room", ["nowhere", "%00", "%FF", "a" * 200, "..", "%E2%80%AE", "'; DROP TABLE rooms; --"])
async def test_an_unknown_room(server, room):
    anyone = Api(server.url)
    room = quote(room, safe="%")
    assert await rejection(anyone, "GET", f"/api/rooms/{room}x") == (404, "unknown_room")
    assert await rejection(anyone, "GET", f"/api/rooms/{room}x/games/1") == (404, "unknown_room")
    status, headers, body = await raw_response(server, "GET", f"/r/{room}x")
    assert status == 404
    assert headers["Content-Type"].startswith("text/html")
    assert b"<html" in body.lower()


async def test_the_page_of_a_room_takes_no_seat(server):
    ann, ben = await guest(server.url), await guest(server.url)
    made = await friends_room(server, ann)
    room = made["room"]["id"]
    before = await ann.get(f"/api/rooms/{room}")
    for headers in ({}, {"Authorization": f"Bearer {ben.token}"}):
        for method in ("GET", "HEAD"):
            assert (await raw_response(server, method, f"/r/{room}", headers=headers))[0] == 200
    assert await ann.get(f"/api/rooms/{room}") == before


async def test_the_record_of_a_game(server):
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    made = await friends_room(server, ann)
    room = made["room"]["id"]
    path = f"/api/rooms/{room}/games"
    assert await rejection(ann, "GET", f"{path}/1") == (404, "not_found")
    async with enter(server, room, ann) as x, enter(server, room, ben) as o:
        await o.ok("sit", mark="O", invite=made["invite"])
        started = await Api(server.url).get(f"{path}/1")
        assert (started["moves"], started["outcome"]) == ([], None)
        for ply, cell in enumerate(["b2", "a1", "b1", "a2", "b3"]):
            socket = (x, o)[ply % 2]
            await socket.until_room(lambda view, ply=ply: view["game"] and len(view["game"]["moves"]) == ply)
            await socket.move(cell)
        record = await Api(server.url).get(f"{path}/1")
        assert (record["variant"], record["number"]) == ("classic", 1)
        assert record["players"]["X"] == {"kind": "human", "player": ann.player["id"], "name": "Ann"}
        assert record["players"]["O"] == {"kind": "human", "player": ben.player["id"], "name": "Ben"}
        assert [(move["cell"], move["mark"]) for move in record["moves"]] == [
            ("b2", "X"), ("a1", "O"), ("b1", "X"), ("a2", "O"), ("b3", "X"),
        ]  # fmt: skip
        assert [move["by"] for move in record["moves"]] == [(ann, ben)[ply % 2].player["id"] for ply in range(5)]
        assert all(move["removed"] is None and move["decided"] is None for move in record["moves"])
        times = [move["at_ms"] for move in record["moves"]]
        assert times == sorted(times)
        assert record["outcome"] == {"winner": "X", "reason": "line", "cells": ["b1", "b2", "b3"]}
        # The next game has another number and other marks; the record of the first stays as it was.
        await x.ok("offer", what="rematch")
        await o.ok("offer", what="rematch")
        assert await Api(server.url).get(f"{path}/1") == record
        second = await Api(server.url).get(f"{path}/2")
        assert second["players"]["X"]["name"] == "Ben"
    for number in ("0", "3", "-1", "x", "1.5", "99999999999999999999", "%D9%A1"):
        assert await rejection(ann, "GET", f"{path}/{number}") == (404, "not_found")


async def test_a_deleted_player_is_someone_everywhere(server):
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Benedict")
    made = await friends_room(server, ann)
    room = made["room"]["id"]
    async with enter(server, room, ann) as x:
        async with enter(server, room, ben) as o:
            await o.ok("sit", mark="O", invite=made["invite"])
            await o.ok("chat", text="hello")
            await o.ok("resign")
            await ben.call("DELETE", "/api/players/me")
        view = await x.until_room(lambda view: view["seats"]["O"] and view["seats"]["O"]["name"] == "someone")
        assert view["seats"]["O"]["player"] == ben.player["id"]
        async with enter(server, room) as newcomer:
            chat = await newcomer.until(lambda message: message["type"] == "chat")
            assert chat["lines"][0]["from"]["name"] == "someone"
    record = await ann.get(f"/api/rooms/{room}/games/1")
    assert record["players"]["O"] == {"kind": "human", "player": ben.player["id"], "name": "someone"}
    assert "Benedict" not in str(await ann.get(f"/api/rooms/{room}"))


async def test_the_connections_of_a_deleted_player_end(server):
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    room = (await friends_room(server, ann))["room"]["id"]
    async with (
        enter(server, room, ann) as owner,
        enter(server, room, ben) as other,
        connect(server.ws_url, {"lobby": True, "token": ann.token}) as lobby,
    ):
        await ann.call("DELETE", "/api/players/me")
        assert await owner.closed() == 4401
        assert await lobby.closed() == 4401
        await other.ok("chat", text="still here")


async def test_a_new_name_is_shown_in_every_room(server):
    ann = await guest(server.url, "Ann")
    rooms = [(await friends_room(server, ann))["room"]["id"] for _ in range(3)]
    await ann.call("PATCH", "/api/players/me", {"name": "Anna"})
    for room in rooms:
        assert (await ann.get(f"/api/rooms/{room}"))["seats"]["X"]["name"] == "Anna"


# --- lists and quick play -----------------------------------------------------------------------------------------


async def test_public_rooms_are_listed_newest_first(server):
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    anyone = {"variant": "4x4", "opponent": "anyone", "mark": "X"}
    first = (await ann.post("/api/rooms", anyone))["room"]["id"]
    second = (await ben.post("/api/rooms", anyone))["room"]["id"]
    hidden = (await ann.post("/api/rooms", {**anyone, "visibility": "unlisted"}))["room"]["id"]
    async with enter(server, first, ann), enter(server, second, ben):
        listed = (await ann.get("/api/rooms?state=open&variant=4x4"))["rooms"]
        assert [item["id"] for item in listed][:2] == [second, first]
        assert hidden not in [item["id"] for item in listed]
        item = listed[1]
        assert set(item) == {"id", "variant", "clock", "owner", "mark", "created_ms"}
        assert (item["variant"], item["clock"], item["mark"]) == ("4x4", None, "O")
        assert item["owner"] == {"player": ann.player["id"], "name": "Ann"}
        assert (await ann.get("/api/rooms?state=open&variant=misere"))["rooms"] == []
        assert {first, second} <= {item["id"] for item in (await ann.get("/api/rooms"))["rooms"]}
        async with enter(server, first, ben) as o:
            await o.ok("sit", mark="O")
            assert first not in [item["id"] for item in (await ann.get("/api/rooms"))["rooms"]]
            (live, *_) = (await ann.get("/api/rooms?state=live&variant=4x4"))["rooms"]  # the newest
            assert set(live) == {"id", "variant", "clock", "seats", "ply", "spectators"}
            assert (live["id"], live["ply"], live["spectators"]) == (first, 0, 0)
            assert live["seats"]["O"]["name"] == "Ben"


@pytest.mark.parametrize("query", ["state=closed", "state=", "variant=chess", "state=live&variant="])
async def test_a_list_that_does_not_exist(server, query):
    assert await rejection(Api(server.url), "GET", f"/api/rooms?{query}") == (400, "bad_message")


async def test_quick_play_at_the_same_moment_meets(server):
    for _ in range(5):
        ann, ben = await guest(server.url), await guest(server.url)
        told = await asyncio.gather(*[api.call("POST", "/api/quickplay", {"variant": "misere"}) for api in (ann, ben)])
        assert sorted(status for status, _ in told) == [200, 201]
        one, other = (answer for _, answer in told)
        assert one["room"]["id"] == other["room"]["id"]
        assert one["url"] == f"{server.url}/r/{one['room']['id']}"
        room = await ann.get(f"/api/rooms/{one['room']['id']}")
        assert {seat["player"] for seat in room["seats"].values()} == {ann.player["id"], ben.player["id"]}
        assert room["phase"] == "playing"


async def test_quick_play_waits_for_who_wants_the_same(server):
    clock = {"mode": "move", "move_ms": 7_000}
    ann, ben = await guest(server.url), await guest(server.url)
    room = (await ann.post("/api/quickplay", {"variant": "vanishing", "clock": clock}))["room"]["id"]
    async with enter(server, room, ann):
        for other in ({"variant": "vanishing"}, {"variant": "misere", "clock": clock}):
            assert (await ben.post("/api/quickplay", other))["room"]["id"] != room
        met = await ben.post("/api/quickplay", {"variant": "vanishing", "clock": clock})
        assert (met["room"]["id"], met["room"]["phase"]) == (room, "playing")


async def test_quick_play_gives_a_waiting_player_the_same_room_and_never_itself(server):
    ann = await guest(server.url)
    body = {"variant": "qubic"}
    status, first = await ann.call("POST", "/api/quickplay", body)
    assert status == 201
    for _ in range(3):
        status, again = await ann.call("POST", "/api/quickplay", body)
        assert (status, again["room"]["id"]) == (200, first["room"]["id"])
    async with enter(server, first["room"]["id"], ann):
        status, again = await ann.call("POST", "/api/quickplay", body)
        assert (status, again["room"]["id"]) == (200, first["room"]["id"])
        assert again["room"]["phase"] == "waiting"


async def test_quick_play_takes_any_open_public_room(server):
    ann, ben = await guest(server.url), await guest(server.url)
    room = (await ann.post("/api/rooms", {"variant": "gomoku", "opponent": "anyone"}))["room"]["id"]
    async with enter(server, room, ann):
        status, met = await ben.call("POST", "/api/quickplay", {"variant": "gomoku"})
        assert (status, met["room"]["id"]) == (200, room)


async def test_quick_play_leaves_out_who_is_not_connected(server):
    ann, ben = await guest(server.url), await guest(server.url)
    room = (await ann.post("/api/quickplay", {"variant": "ultimate"}))["room"]["id"]
    async with enter(server, room, ann):
        pass
    async with enter(server, room) as watcher:
        crowd = await watcher.until(
            lambda message: (
                message["type"] == "crowd" and not all(place["present"] for place in message["seats"].values() if place)
            )
        )
        assert crowd["spectators"] == 1
        status, other = await ben.call("POST", "/api/quickplay", {"variant": "ultimate"})
        assert status == 201
        assert other["room"]["id"] != room


async def test_quick_play_seats_the_owner_who_had_stood_up(server):
    ann = await guest(server.url)
    room = (await ann.post("/api/quickplay", {"variant": "5x5"}))["room"]["id"]
    async with enter(server, room, ann) as socket:
        mark = socket.you["mark"]
        await socket.ok("stand")
        told = await ann.post("/api/quickplay", {"variant": "5x5"})
        assert ann.player["id"] in [seat["player"] for seat in told["room"]["seats"].values() if seat]
        await socket.close()
        assert mark in ("X", "O")
