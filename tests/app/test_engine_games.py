"""Games against the engine and between engines, through the server: what it plays, answers and survives."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from pathlib import Path

import pytest

from tests.support.player import WAIT_S, Api, enter, guest
from tests.support.rooms import engine_room, pair

CHEAP = "novice"
VARIANTS = ("classic", "misere", "vanishing", "4x4", "5x5", "four-in-a-row", "qubic", "gomoku", "ultimate")


async def play_out(socket, rng, mark, plies=500):
    """Play any legal moves until the game is over or so many plies are made; the last view."""
    while True:
        view = await socket.until_room(lambda room: room["phase"] != "playing" or room["game"]["turn"] == mark)
        game = view["game"]
        if view["phase"] != "playing" or len(game["moves"]) >= plies:
            return view
        await socket.move(rng.choice(game["legal"]))


@pytest.mark.parametrize("mark", ["X", "O"])
async def test_perfect_never_loses_and_plays_either_mark(server, mark):
    rng = random.Random(f"classic {mark}")
    ann = await guest(server.url)
    made = await engine_room(server, ann, mark=mark)
    async with enter(server, made["room"]["id"], ann) as socket:
        for number in range(1, 7):
            mine = socket.you["mark"]
            assert (mine == mark) == (number % 2 == 1)  # a rematch swaps the marks
            view = await play_out(socket, rng, mine)
            assert view["game"]["outcome"]["winner"] != mine
            await socket.ok("offer", what="rematch")
            view = await socket.until_room(lambda room, number=number: room["game"]["number"] == number + 1)
        wins = {entry["player"]: entry["wins"] for entry in view["score"]}
        assert wins[ann.player["id"]] == 0
        assert wins["engine:perfect"] + view["draws"] == 6


@pytest.mark.parametrize("variant", VARIANTS)
async def test_every_variant_is_played_through_the_server(server, variant):
    rng = random.Random(variant)
    ann = await guest(server.url)
    made = await engine_room(server, ann, variant=variant, level=CHEAP, mark="O")
    async with enter(server, made["room"]["id"], ann) as socket:
        view = await play_out(socket, rng, "O", plies=24)
        for move, mark in zip(view["game"]["moves"][:2], "XO", strict=True):
            assert variant in ("vanishing",) or view["game"]["marks"][move] == mark
        record = await ann.get(f"/api/rooms/{made['room']['id']}/games/1")
        assert [move["cell"] for move in record["moves"]] == view["game"]["moves"]
        assert {move["by"] for move in record["moves"]} == {ann.player["id"], f"engine:{CHEAP}"}
        if view["phase"] == "playing":
            await socket.ok("resign")


async def test_the_engine_takes_a_move_back_with_you(server):
    ann = await guest(server.url)
    made = await engine_room(server, ann)
    async with enter(server, made["room"]["id"], ann) as socket:
        assert await socket.refused("offer", what="takeback") == "forbidden"
        await socket.move("b2")
        await socket.until_room(lambda room: len(room["game"]["moves"]) == 2)
        await socket.ok("offer", what="takeback")
        assert (socket.room["game"]["moves"], socket.room["offers"]) == ([], [])
        await socket.move("a1")
        await socket.until_room(lambda room: len(room["game"]["moves"]) == 2)
        assert socket.room["game"]["moves"][1] == "b2"  # the one answer that holds


async def test_on_a_clock_the_engine_takes_nothing_back(server):
    ann = await guest(server.url)
    made = await engine_room(server, ann, clock={"mode": "move", "move_ms": 60_000})
    async with enter(server, made["room"]["id"], ann) as socket:
        await socket.move("b2")
        await socket.until_room(lambda room: len(room["game"]["moves"]) == 2)
        await socket.ok("offer", what="takeback")
        assert (len(socket.room["game"]["moves"]), socket.room["offers"]) == (2, [])
        assert await socket.refused("offer", what="takeback") == "rate_limited"


async def test_the_engine_accepts_a_draw_by_its_verdict(server):
    ann = await guest(server.url)
    made = await engine_room(server, ann)
    async with enter(server, made["room"]["id"], ann) as socket:
        await socket.ok("offer", what="draw")  # the empty board is a draw
        view = await socket.until_room(lambda room: room["phase"] == "finished")
        assert view["game"]["outcome"] == {"winner": None, "reason": "agreement", "cells": []}
        assert view["draws"] == 1
        # X, at b1, answers the engine's a1 with c3 and is lost: the engine plays on.
        await socket.ok("offer", what="rematch")
        view = await socket.until_room(lambda room: len(room["game"]["moves"]) == 1 and room["phase"] == "playing")
        first = view["game"]["moves"][0]
        blunder = {"b2": "b1", "a1": "b1", "c1": "b1", "a3": "b3", "c3": "b3"}.get(first, "a1")
        verdicts = (await ann.get(f"/api/analysis?variant=classic&moves={first},{blunder}"))["positions"]
        await socket.move(blunder)
        await socket.until_room(lambda room: len(room["game"]["moves"]) == 3)
        await socket.ok("offer", what="draw")
        view = await socket.until_room(lambda room: not room["offers"])
        if verdicts[-1]["verdict"]["value"] == "win":
            assert view["phase"] == "playing"
            assert socket.last["room"]["event"] == {"type": "declined", "what": "draw", "by": "X"}
        else:
            assert view["phase"] == "finished"


async def test_two_engines_play_only_while_somebody_watches(server):
    ann = await guest(server.url)
    made = await ann.post("/api/rooms", {"variant": "4x4", "opponent": "engines", "levels": [CHEAP, CHEAP]})
    room = made["room"]["id"]
    # Nobody is here: however often the others are served, no move is made.
    for _ in range(3):
        async with pair(server) as table:
            await table.play("b2", "a1")
        assert (await ann.get(f"/api/rooms/{room}"))["game"]["moves"] == []
    async with enter(server, room) as watcher:
        assert watcher.you["mark"] is None
        await watcher.until_room(lambda view: len(view["game"]["moves"]) >= 3)
    async with enter(server, room, ann) as owner:
        view = await owner.until_room(lambda view: view["phase"] == "finished")
        assert owner.you["owner"]
        await owner.ok("sit", mark="O")  # between games a person may take an engine's seat
        view = await owner.until_room(lambda view: view["phase"] == "playing")
        assert (view["seats"]["X"]["kind"], view["seats"]["O"]["player"]) == ("engine", ann.player["id"])
        await owner.until_room(lambda view: view["game"]["turn"] == "O")
    record = await ann.get(f"/api/rooms/{room}/games/1")
    assert {move["by"] for move in record["moves"]} == {f"engine:{CHEAP}"}


async def test_the_engine_may_sit_down_in_an_empty_seat(server):
    ann = await guest(server.url)
    made = await ann.post("/api/rooms", {"variant": "classic", "opponent": "friend", "mark": "O"})
    async with enter(server, made["room"]["id"], ann) as socket:
        assert await socket.refused("seat_engine", mark="X", level="strongest") == "bad_message"
        await socket.ok("seat_engine", mark="X", level="perfect")
        await socket.until_room(lambda view: view["phase"] == "playing" and view["game"]["turn"] == "O")
        assert await socket.refused("seat_engine", mark="X", level=CHEAP) == "seat_taken"


async def test_the_engine_takes_its_time(start_server):
    server = start_server(engine_pace_ms=400)
    ann = await guest(server.url)
    made = await engine_room(server, ann)
    async with enter(server, made["room"]["id"], ann) as socket:
        await socket.move("b2")
        await socket.until_room(lambda view: len(view["game"]["moves"]) == 2)
    record = await ann.get(f"/api/rooms/{made['room']['id']}/games/1")
    assert record["moves"][1]["at_ms"] - record["moves"][0]["at_ms"] >= 400


# --- the pool -----------------------------------------------------------------------------------------------------


def search_processes(server):
    """The pids of the server's search processes."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == server.pid and b"noughts.app.search.worker" in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except (OSError, ValueError):
            continue
    return found


async def metric(server, name):
    _, text = await Api(server.url).call("GET", "/metrics")
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.split(" ")[0].split("{")[0] == name)


async def test_a_killed_search_process_costs_one_retry(start_server):
    server = start_server(workers=1, think_ms=1_500)
    ann = await guest(server.url)
    made = await engine_room(server, ann, variant="gomoku", level="strongest")
    room = made["room"]["id"]
    async with enter(server, room, ann) as socket:
        for ply, cell in enumerate(("h8", "a1", "o15", "a15")):
            await socket.until_room(lambda view, ply=ply: len(view["game"]["moves"]) == 2 * ply)
            cell = cell if cell in socket.room["game"]["legal"] else socket.room["game"]["legal"][0]
            await socket.move(cell)
            # While it thinks about some, and while it is idle before others.
            for pid in search_processes(server):
                os.kill(pid, signal.SIGKILL)
        await socket.until_room(lambda view: len(view["game"]["moves"]) == 8)
        positions = (await ann.get("/api/analysis?variant=classic&moves=b2"))["positions"]
        assert positions[0]["verdict"]["value"] == "draw"
    assert await metric(server, "noughts_search_pool_restarts") >= 1
    assert await metric(server, "noughts_faults_total") == 0
    assert "Traceback" not in server.log


async def test_a_search_whose_game_is_over_is_cancelled(start_server):
    """The only worker is free at once for another room, long before the deadline of the search."""
    server = start_server(workers=1, think_ms=60_000)
    ann = await guest(server.url)
    made = await engine_room(server, ann, variant="ultimate", level="strongest")
    async with enter(server, made["room"]["id"], ann) as socket:
        await socket.move("e5")
        async with asyncio.timeout(WAIT_S):
            while not (await ann.get("/healthz"))["searches_running"]:  # noqa: ASYNC110 - another process searches
                await asyncio.sleep(0.01)
        await socket.ok("resign")
    made = await engine_room(server, ann, level=CHEAP)
    async with enter(server, made["room"]["id"], ann) as socket, asyncio.timeout(WAIT_S / 2):
        await socket.move("b2")
        await socket.until_room(lambda view: len(view["game"]["moves"]) == 2)
    assert await metric(server, "noughts_search_pool_restarts") == 0


async def test_an_engine_in_a_room_does_not_wait_for_analyses(start_server):
    server = start_server(workers=2, think_ms=100)
    ann = await guest(server.url)
    made = await engine_room(server, ann, level=CHEAP)
    asked = [
        asyncio.create_task(Api(server.url).call("GET", f"/api/analysis?variant=gomoku&moves=h8,{cell}"))
        for cell in ("a1", "a2", "a3")
    ]
    await asyncio.sleep(0)
    async with enter(server, made["room"]["id"], ann) as socket:
        loop = asyncio.get_running_loop()
        began = loop.time()
        await socket.move("b2")
        await socket.until_room(lambda view: len(view["game"]["moves"]) == 2)
        assert loop.time() - began < 7  # one analysis takes eight seconds
    for status, answer in await asyncio.gather(*asked):
        assert status == 200 or (status, answer["error"]["code"]) == (503, "unavailable")
