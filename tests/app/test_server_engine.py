"""Games against the engine and between engines through the server: what it plays, answers and survives."""

from __future__ import annotations

import asyncio
import random

import pytest

from noughts.rules.variant import VARIANTS
from tests.conftest import StartServer
from tests.support.metrics import metric
from tests.support.player import WAIT_S, Api, Message, Socket, enter, guest
from tests.support.rooms import engine_room
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


# --- workers --------------------------------------------------------------------------------------------------------


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
