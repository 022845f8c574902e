"""Rooms over HTTP: made, shown, listed, found by quick play, and the records of their games."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, Message, Socket, enter, friends_room, guest
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
async def test_a_room_of_each_kind(
    server: LocalServer, options: Message, join: str | None, visibility: str, invited: bool, phase: str
) -> None:
    ann = await guest(server.url, "Ann")
    status, answer = await ann.call("POST", "/api/rooms", {"variant": "classic", **options})
    assert status == 201
    room = answer["room"]
    assert ROOM_ID.fullmatch(room["id"])
    assert (room["join"], room["visibility"], room["phase"]) == (join, visibility, phase)
    assert (room["owner"], room["version"], room["variant"]) == (ann.player["id"], 1, "classic")
    assert answer["watch_url"] == f"{server.url}/r/{room['id']}"
    if invited:
        assert len(answer["invite"]) >= 22
        assert answer["url"] == f"{answer['watch_url']}#i={answer['invite']}"
    else:
        assert "invite" not in answer
        assert answer["url"] == answer["watch_url"]
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
    # Others see the same room, without its invite.
    seen = await Api(server.url).get(f"/api/rooms/{room['id']}")
    assert seen["id"] == room["id"]
    assert "invite" not in seen


FRIEND = {"variant": "classic", "opponent": "friend"}
ENGINE = {"variant": "classic", "opponent": "engine"}


@pytest.mark.parametrize(
    "body",
    [
        None,
        {**FRIEND, "variant": "chess"},
        {**FRIEND, "opponent": "nobody"},
        {**FRIEND, "clock": {"mode": "fischer", "initial_ms": 10_000, "increment_ms": -1}},
        {"variant": "classic", "opponent": "engine", "level": "godlike"},
        {"variant": "classic", "opponent": "engine", "level": "strongest"},
        {"variant": "gomoku", "opponent": "engine", "level": "perfect"},
        {"variant": "classic", "opponent": "engines"},
        {"variant": "classic", "opponent": "engines", "levels": ["novice", "godlike"]},
        {**FRIEND, "moves": ["b2"]},
        {**ENGINE, "moves": ["b2"], "clock": {"mode": "move", "move_ms": 60_000}},
        {**ENGINE, "moves": ["up"]},
        {**ENGINE, "moves": ["b2"] * 10},
        {**ENGINE, "moves": "b2"},
    ],
    ids=str,
)
async def test_an_invalid_room_is_400(server: LocalServer, body: object) -> None:
    assert await rejection(await guest(server.url), "POST", "/api/rooms", body) == (400, "bad_message")


@pytest.mark.parametrize(
    ("moves", "ply"), [(["b2", "b2"], 1), (["b2", "z9"], 1), (["b2", "a1", "c1", "a2", "a3"], 5)], ids=str
)
async def test_a_game_begins_only_after_legal_moves(server: LocalServer, moves: list[str], ply: int) -> None:
    """The last ones end the game."""
    ann = await guest(server.url)
    status, answer = await ann.call("POST", "/api/rooms", {**ENGINE, "moves": moves})
    assert (status, answer["error"]["code"], answer["error"]["ply"]) == (400, "illegal_move", ply)


async def test_a_game_after_moves_outlives_a_restart(tmp_path: Path) -> None:
    """The engine answers in it, the record has the moves, and an empty list of moves is an ordinary game."""
    async with local_server(tmp_path) as server:
        ann = await guest(server.url, "Ann")
        body = {**ENGINE, "level": "novice", "mark": "X", "moves": ["b2", "a1"]}
        status, answer = await ann.call("POST", "/api/rooms", body)
        room = answer["room"]
        assert (status, room["game"]["moves"], room["game"]["from"]) == (201, ["b2", "a1"], 2)
        async with enter(server, room["id"], ann) as socket:
            await socket.move("c1")
            await socket.until_room(lambda view: len(view["game"]["moves"]) == 4)
        _, answer = await ann.call("POST", "/api/rooms", {**ENGINE, "moves": []})
        assert "from" not in answer["room"]["game"]
    async with local_server(tmp_path) as server:
        view = await Api(server.url).get(f"/api/rooms/{room['id']}")
        assert (view["game"]["from"], view["game"]["moves"][:3]) == (2, ["b2", "a1", "c1"])
        record = await Api(server.url).get(f"/api/rooms/{room['id']}/games/1")
        assert [move["by"] for move in record["moves"]] == [None, None, ann.player["id"], "engine:novice"]


@pytest.mark.parametrize("room", ["nowhere", "%00", "%FF", "a" * 200, "..", "%E2%80%AE", "'; DROP TABLE rooms; --"])
async def test_an_unknown_room_is_404(server: LocalServer, room: str) -> None:
    anyone = Api(server.url)
    room = quote(room, safe="%")
    assert await rejection(anyone, "GET", f"/api/rooms/{room}x") == (404, "unknown_room")
    assert await rejection(anyone, "GET", f"/api/rooms/{room}x/games/1") == (404, "unknown_room")
    status, headers, body = await raw_response(server, "GET", f"/r/{room}x")
    assert status == 404
    assert headers["Content-Type"].startswith("text/html")
    assert b"<html" in body.lower()


async def move_at(ply: int, client: Socket, cell: str) -> None:
    """Fill a cell once that many moves are made."""
    await client.until_room(lambda view: view["game"] and len(view["game"]["moves"]) == ply)
    await client.move(cell)


async def test_the_record_of_a_game(server: LocalServer) -> None:
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    answer = await friends_room(server, ann)
    room = answer["room"]["id"]
    path = f"/api/rooms/{room}/games"
    assert await rejection(ann, "GET", f"{path}/1") == (404, "not_found")
    async with enter(server, room, ann) as x, enter(server, room, ben) as o:
        await o.ok("sit", mark="O", invite=answer["invite"])
        started = await Api(server.url).get(f"{path}/1")
        assert (started["moves"], started["outcome"]) == ([], None)
        for ply, cell in enumerate(["b2", "a1", "b1", "a2", "b3"]):
            await move_at(ply, (x, o)[ply % 2], cell)
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


# --- lists and quick play -----------------------------------------------------------------------------------------


async def test_public_rooms_are_listed_newest_first(server: LocalServer) -> None:
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
async def test_an_unknown_list_is_400(server: LocalServer, query: str) -> None:
    assert await rejection(Api(server.url), "GET", f"/api/rooms?{query}") == (400, "bad_message")
