"""The lobby and quick play through real sockets. The rules of both are tested in ``tests/app/lobby``."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from tests.conftest import StartServer
from tests.support.player import Api, Message, connect, enter, guest
from tests.support.rooms import until_crowd
from tests.support.server import RunningServer

ANYONE = {"variant": "classic", "opponent": "anyone"}


def ids(lobby: Message, listing: str = "open") -> list[str]:
    return [item["id"] for item in lobby[listing]]


def is_lobby(message: Message) -> bool:
    return bool(message["type"] == "lobby")


async def public_game(server: RunningServer, ann: Api, ben: Api, stack: AsyncExitStack) -> str:
    """Begin a public game of two people, whose sockets the stack closes. Return the room."""
    room: str = (await ann.post("/api/rooms", {**ANYONE, "mark": "X"}))["room"]["id"]
    x = await stack.enter_async_context(enter(server, room, ann))
    o = await stack.enter_async_context(enter(server, room, ben))
    await o.ok("sit", mark="O")
    await x.until_room(lambda view: bool(view["phase"] == "playing"))
    return room


async def test_the_lobby_is_pushed_as_rooms_come_and_go(server: RunningServer) -> None:
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    async with connect(server.ws_url, {"lobby": True}) as lobby:
        first = await lobby.until(is_lobby)
        answer = await ann.post("/api/rooms", {**ANYONE, "mark": "X"})
        room = answer["room"]["id"]
        assert room not in ids(first)
        async with enter(server, room, ann) as x:
            pushed = await lobby.until(lambda m: is_lobby(m) and room in ids(m))
            assert pushed["open"][0] == {
                "id": room, "variant": "classic", "clock": None, "mark": "O",
                "created_ms": answer["room"]["created_ms"], "owner": {"player": ann.player["id"], "name": "Ann"},
            }  # fmt: skip
            async with enter(server, room, ben) as o:
                await o.ok("sit", mark="O")
                pushed = await lobby.until(lambda m: is_lobby(m) and room in ids(m, "live"))
                assert room not in ids(pushed)
                await x.until_room(lambda view: bool(view["phase"] == "playing"))
                await x.move("b2")
                await lobby.until(lambda m: is_lobby(m) and any(i["id"] == room and i["ply"] == 1 for i in m["live"]))
                await o.ok("resign")
                await lobby.until(lambda m: is_lobby(m) and room not in ids(m, "live") + ids(m))
        assert pushed["players"] >= 2
        assert pushed["rooms"] >= 1


async def test_a_room_leaves_the_lobby_as_its_owner_leaves(server: RunningServer) -> None:
    """And is there again when the owner is."""
    ann = await guest(server.url)
    async with connect(server.ws_url, {"lobby": True}) as lobby:
        room = (await ann.post("/api/rooms", ANYONE))["room"]["id"]
        async with enter(server, room, ann):
            await lobby.until(lambda m: is_lobby(m) and room in ids(m))
        await lobby.until(lambda m: is_lobby(m) and room not in ids(m))
        assert room not in ids({"open": (await ann.get("/api/rooms?state=open"))["rooms"]})
        async with enter(server, room, ann):
            await lobby.until(lambda m: is_lobby(m) and room in ids(m))


async def test_a_game_is_there_to_watch_while_a_player_is_here(start_server: StartServer) -> None:
    server = start_server(grace_ms=0)
    ann, ben = await guest(server.url), await guest(server.url)
    async with connect(server.ws_url, {"lobby": True}) as lobby, AsyncExitStack() as stack:
        room = await public_game(server, ann, ben, stack)
        await lobby.until(lambda m: is_lobby(m) and room in ids(m, "live"))
        async with enter(server, room) as watcher:
            await stack.aclose()
            await until_crowd(watcher, lambda crowd: not any(seat["present"] for seat in crowd["seats"].values()))
            await lobby.until(lambda m: is_lobby(m) and room not in ids(m, "live"))
            assert ids({"live": (await ann.get("/api/rooms?state=live"))["rooms"]}, "live") == []
        async with enter(server, room, ben):
            await lobby.until(lambda m: is_lobby(m) and room in ids(m, "live"))


async def test_a_game_leaves_the_lobby_when_the_grace_is_over(start_server: StartServer) -> None:
    """Nobody does anything: the time has come."""
    server = start_server(grace_ms=1_500)
    ann, ben = await guest(server.url), await guest(server.url)
    async with connect(server.ws_url, {"lobby": True}) as lobby, AsyncExitStack() as stack:
        room = await public_game(server, ann, ben, stack)
        await lobby.until(lambda m: is_lobby(m) and room in ids(m, "live") and m["players"] == 2)
        await stack.aclose()
        pushed = await lobby.until(lambda m: is_lobby(m) and room not in ids(m, "live"))
        assert pushed["players"] == 0


async def test_after_a_restart_only_games_with_somebody_there_are_listed(start_server: StartServer) -> None:
    """Two engines wait for somebody to watch them."""
    server = start_server(grace_ms=600_000)
    ann, ben = await guest(server.url), await guest(server.url)
    body = {"variant": "classic", "opponent": "engines", "levels": ["novice", "novice"]}
    engines = (await ann.post("/api/rooms", body))["room"]["id"]
    async with AsyncExitStack() as stack:
        room = await public_game(server, ann, ben, stack)
        server.kill()
    server.start()
    async with connect(server.ws_url, {"lobby": True}) as lobby:
        assert ids(await lobby.until(is_lobby), "live") == [engines]
        assert (await ann.get(f"/api/rooms/{room}"))["phase"] == "playing"
        async with enter(server, room, ben):
            pushed = await lobby.until(lambda m: is_lobby(m) and room in ids(m, "live"))
            assert set(ids(pushed, "live")) == {room, engines}


async def test_quick_play_seats_two_strangers(server: RunningServer) -> None:
    ann, ben = await guest(server.url), await guest(server.url)
    body = {"variant": "classic", "clock": {"mode": "fischer", "initial_ms": 77_000, "increment_ms": 0}}
    room = (await ann.post("/api/quickplay", body))["room"]["id"]
    async with enter(server, room, ann) as waiting:
        assert (await ben.post("/api/quickplay", body))["room"]["id"] == room
        view = await waiting.until_room(lambda view: bool(view["phase"] == "playing"))
        assert view["game"]["number"] == 1


async def test_twenty_who_ask_at_once_are_seated_in_pairs(server: RunningServer) -> None:
    players = await asyncio.gather(*[guest(server.url) for _ in range(20)])
    answers = await asyncio.gather(*[api.post("/api/quickplay", {"variant": "5x5"}) for api in players])
    rooms: dict[str, set[str]] = {}
    for api, answer in zip(players, answers, strict=True):
        rooms.setdefault(answer["room"]["id"], set()).add(api.player["id"])
    assert sorted(map(len, rooms.values())) == [2] * 10
    for room, seated in rooms.items():
        view = await Api(server.url).get(f"/api/rooms/{room}")
        assert {seat["player"] for seat in view["seats"].values()} == seated
