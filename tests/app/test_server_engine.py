"""Games against the engine and between engines through the server: what it plays, answers and survives."""

from __future__ import annotations

import asyncio
import os
import random
import signal

import pytest

from noughts.rules.variant import VARIANTS
from tests.conftest import StartServer
from tests.support.metrics import metric
from tests.support.player import WAIT_S, Api, Message, Socket, enter, guest
from tests.support.rooms import engine_room, pair
from tests.support.searching import workers_of
from tests.support.server import RunningServer

CHEAP = "novice"


async def play_on(socket: Socket, rng: random.Random, mark: str, plies: int = 500) -> Message:
    """Make random moves until the game is over or has so many plies; return the last view."""
    while True:
        view = await socket.until_room(lambda room: bool(room["phase"] != "playing" or room["game"]["turn"] == mark))
        if view["phase"] != "playing" or len(view["game"]["moves"]) >= plies:
            return view
        await socket.move(rng.choice(view["game"]["legal"]))


async def until_ply(socket: Socket, ply: int) -> Message:
    """Return the view once the game has exactly so many moves."""
    return await socket.until_room(lambda view: len(view["game"]["moves"]) == ply)


@pytest.mark.parametrize("mark", ["X", "O"])
async def test_the_perfect_engine_never_loses(server: RunningServer, mark: str) -> None:
    """With either mark: a rematch swaps them."""
    rng = random.Random(f"classic {mark}")
    ann = await guest(server.url)
    answer = await engine_room(server, ann, mark=mark)
    async with enter(server, answer["room"]["id"], ann) as socket:
        for number in range(1, 7):
            own: str = socket.you["mark"]
            assert (own == mark) == (number % 2 == 1)
            view = await play_on(socket, rng, own)
            assert view["game"]["outcome"]["winner"] != own
            await socket.ok("offer", what="rematch")
            view = await socket.until_room(lambda room, number=number: bool(room["game"]["number"] == number + 1))  # type: ignore[misc]
        wins = {entry["player"]: entry["wins"] for entry in view["score"]}
        assert wins[ann.player["id"]] == 0
        assert wins["engine:perfect"] + view["draws"] == 6


@pytest.mark.parametrize("variant", sorted(VARIANTS))
async def test_every_variant_is_played_through_the_server(server: RunningServer, variant: str) -> None:
    rng = random.Random(variant)
    ann = await guest(server.url)
    answer = await engine_room(server, ann, variant=variant, level=CHEAP, mark="O")
    room = answer["room"]["id"]
    async with enter(server, room, ann) as socket:
        view = await play_on(socket, rng, "O", plies=24)
        if VARIANTS[variant].marks_kept is None:
            assert [view["game"]["marks"][cell] for cell in view["game"]["moves"][:2]] == ["X", "O"]
        record = await ann.get(f"/api/rooms/{room}/games/1")
        assert [move["cell"] for move in record["moves"]] == view["game"]["moves"]
        assert {move["by"] for move in record["moves"]} == {ann.player["id"], f"engine:{CHEAP}"}
        if view["phase"] == "playing":
            await socket.ok("resign")


async def test_the_engine_takes_a_move_back_with_you(server: RunningServer) -> None:
    ann = await guest(server.url)
    answer = await engine_room(server, ann)
    async with enter(server, answer["room"]["id"], ann) as socket:
        assert await socket.rejected("offer", what="takeback") == "forbidden"
        await socket.move("b2")
        await until_ply(socket, 2)
        await socket.ok("offer", what="takeback")
        assert (socket.room["game"]["moves"], socket.room["offers"]) == ([], [])
        await socket.move("a1")
        assert (await until_ply(socket, 2))["game"]["moves"][1] == "b2"  # the one answer that holds


async def test_on_a_clock_the_engine_takes_nothing_back(server: RunningServer) -> None:
    ann = await guest(server.url)
    answer = await engine_room(server, ann, clock={"mode": "move", "move_ms": 60_000})
    async with enter(server, answer["room"]["id"], ann) as socket:
        await socket.move("b2")
        await until_ply(socket, 2)
        await socket.ok("offer", what="takeback")
        assert (len(socket.room["game"]["moves"]), socket.room["offers"]) == (2, [])
        assert await socket.rejected("offer", what="takeback") == "rate_limited"


async def test_the_engine_accepts_a_draw_by_its_verdict(server: RunningServer) -> None:
    """On the empty board it does. Where its opponent has blundered, it plays on."""
    ann = await guest(server.url)
    answer = await engine_room(server, ann)
    async with enter(server, answer["room"]["id"], ann) as socket:
        await socket.ok("offer", what="draw")
        view = await socket.until_room(lambda room: bool(room["phase"] == "finished"))
        assert view["game"]["outcome"] == {"winner": None, "reason": "agreement", "cells": []}
        assert view["draws"] == 1
        await socket.ok("offer", what="rematch")
        view = await socket.until_room(
            lambda room: bool(room["phase"] == "playing" and len(room["game"]["moves"]) == 1)
        )
        first = view["game"]["moves"][0]
        blunder = {"b2": "b1", "a1": "b1", "c1": "b1", "a3": "b3", "c3": "b3"}.get(first, "a1")
        verdicts = (await ann.get(f"/api/analysis?variant=classic&moves={first},{blunder}"))["positions"]
        await socket.move(blunder)
        await until_ply(socket, 3)
        await socket.ok("offer", what="draw")
        view = await socket.until_room(lambda room: not room["offers"])
        if verdicts[-1]["verdict"]["value"] == "win":
            assert view["phase"] == "playing"
            assert socket.last["room"]["event"] == {"type": "declined", "what": "draw", "by": "X"}
        else:
            assert view["phase"] == "finished"


async def test_two_engines_play_only_while_somebody_watches(server: RunningServer) -> None:
    """However often others are served meanwhile. Between games a person may take an engine's seat."""
    ann = await guest(server.url)
    body = {"variant": "4x4", "opponent": "engines", "levels": [CHEAP, CHEAP]}
    room = (await ann.post("/api/rooms", body))["room"]["id"]
    for _ in range(3):
        async with pair(server) as other:
            await other.play("b2", "a1")
        assert (await ann.get(f"/api/rooms/{room}"))["game"]["moves"] == []
    async with enter(server, room) as watcher:
        assert watcher.you["mark"] is None
        await watcher.until_room(lambda view: len(view["game"]["moves"]) >= 3)
    async with enter(server, room, ann) as owner:
        await owner.until_room(lambda view: bool(view["phase"] == "finished"))
        assert owner.you["owner"]
        await owner.ok("sit", mark="O")
        view = await owner.until_room(lambda view: bool(view["phase"] == "playing"))
        assert (view["seats"]["X"]["kind"], view["seats"]["O"]["player"]) == ("engine", ann.player["id"])
        await owner.until_room(lambda view: bool(view["game"]["turn"] == "O"))
    record = await ann.get(f"/api/rooms/{room}/games/1")
    assert {move["by"] for move in record["moves"]} == {f"engine:{CHEAP}"}


async def test_the_engine_may_sit_down_in_an_empty_seat(server: RunningServer) -> None:
    ann = await guest(server.url)
    answer = await ann.post("/api/rooms", {"variant": "classic", "opponent": "friend", "mark": "O"})
    async with enter(server, answer["room"]["id"], ann) as socket:
        assert await socket.rejected("seat_engine", mark="X", level="strongest") == "bad_message"
        await socket.ok("seat_engine", mark="X", level="perfect")
        await socket.until_room(lambda view: bool(view["phase"] == "playing" and view["game"]["turn"] == "O"))
        assert await socket.rejected("seat_engine", mark="X", level=CHEAP) == "seat_taken"


# --- workers --------------------------------------------------------------------------------------------------------


async def test_a_killed_worker_costs_one_retry(start_server: StartServer) -> None:
    """Killed at work or while idle, nobody notices, and it is no fault."""
    server = start_server(workers=1, think_ms=1_500)
    ann = await guest(server.url)
    answer = await engine_room(server, ann, variant="gomoku", level="strongest")
    async with enter(server, answer["room"]["id"], ann) as socket:
        for ply, cell in enumerate(("h8", "a1", "o15", "a15")):
            legal = (await until_ply(socket, 2 * ply))["game"]["legal"]
            await socket.move(cell if cell in legal else legal[0])
            for pid in workers_of(server.pid):
                os.kill(pid, signal.SIGKILL)
        await until_ply(socket, 8)
        positions = (await ann.get("/api/analysis?variant=classic&moves=b2"))["positions"]
        assert positions[0]["verdict"]["value"] == "draw"
    assert await metric(server, "noughts_search_pool_restarts") >= 1
    assert await metric(server, "noughts_faults_total") == 0
    assert "Traceback" not in server.log


async def test_a_search_whose_game_is_over_is_cancelled(start_server: StartServer) -> None:
    """The only worker is free at once for another room, long before the deadline of the search."""
    server = start_server(workers=1, think_ms=60_000)
    ann = await guest(server.url)
    answer = await engine_room(server, ann, variant="ultimate", level="strongest")
    async with enter(server, answer["room"]["id"], ann) as socket:
        await socket.move("e5")
        async with asyncio.timeout(WAIT_S):
            while not (await ann.get("/healthz"))["searches_running"]:  # noqa: ASYNC110 - another process searches
                await asyncio.sleep(0.01)
        await socket.ok("resign")
    answer = await engine_room(server, ann, level=CHEAP)
    async with enter(server, answer["room"]["id"], ann) as socket, asyncio.timeout(WAIT_S / 2):
        await socket.move("b2")
        await until_ply(socket, 2)
    assert await metric(server, "noughts_search_pool_restarts") == 0


async def test_an_engine_in_a_room_does_not_wait_for_analyses(start_server: StartServer) -> None:
    """One analysis takes eight seconds."""
    server = start_server(workers=2, think_ms=100)
    ann = await guest(server.url)
    answer = await engine_room(server, ann, level=CHEAP)
    analyses = [
        asyncio.create_task(Api(server.url).call("GET", f"/api/analysis?variant=gomoku&moves=h8,{cell}"))
        for cell in ("a1", "a2", "a3")
    ]
    await asyncio.sleep(0)
    async with enter(server, answer["room"]["id"], ann) as socket:
        await socket.move("b2")
        await until_ply(socket, 2)
        assert not any(analysis.done() for analysis in analyses)
    for status, body in await asyncio.gather(*analyses):
        assert status == 200 or (status, body["error"]["code"]) == (503, "unavailable")
