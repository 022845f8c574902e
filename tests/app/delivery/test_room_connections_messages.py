"""What clients in a room are sent: whole views, the crowd, chat, reactions, and the end of a room."""

from __future__ import annotations

import asyncio

from tests.support.local_server import LocalServer
from tests.support.player import Api, Message, connect, enter, friends_room, guest
from tests.support.rooms import pair

VIEW = {
    "id", "version", "variant", "visibility", "join", "owner", "phase", "seats", "game", "clock", "offers", "score",
    "draws", "spectator_chat", "created_ms", "expires_ms",
}  # fmt: skip


async def test_every_change_is_one_whole_room_to_everybody(server: LocalServer) -> None:
    async with pair(server) as game, enter(server, game.id) as watcher:
        start = watcher.last["room"]["version"]
        await game.play("b2", "a1", "b1", "a2", "b3")
        await watcher.until_room(lambda room: room["phase"] == "finished")
        rooms = [message for message in watcher.seen if message["type"] == "room"]
        assert [message["version"] for message in rooms] == list(range(start, start + 6))
        for ply, message in enumerate(rooms):
            assert set(message) == {"type", "version", "event", "you", "room"}
            assert set(message["room"]) >= VIEW
            assert message["room"]["version"] == message["version"]
            assert len(message["room"]["game"]["moves"]) == ply
            assert len(message["room"]["game"]["marks"]) == ply
        end = rooms[-1]["room"]
        assert end["game"]["turn"] is None
        assert end["game"]["legal"] == []
        assert end["game"]["outcome"] == {"winner": "X", "reason": "line", "cells": ["b1", "b2", "b3"]}
        assert await game.view() == end  # HTTP shows the same
        seen_by_x = [m["room"] for m in game.x.seen if m["type"] == "room" and m["version"] > start]
        assert [room for room in seen_by_x if room["phase"] == "playing"] == [m["room"] for m in rooms[1:-1]]


async def test_the_crowd_is_sent_on_arrival_and_at_most_once_a_second(server: LocalServer) -> None:
    """Nine spectators come and go within a moment. One crowd tells of several, and the room does not change."""
    async with pair(server) as game:
        cats = [await guest(server.url, f"Cat {n}") for n in range(3)]
        for cat in cats * 3:
            async with enter(server, game.id, cat) as watcher:
                crowd = await watcher.until(lambda m: m["type"] == "crowd")
                assert crowd["spectators"] == 1
                assert crowd["names"] == [cat.player["name"]]
        async with enter(server, game.id, cats[0]), enter(server, game.id, cats[0]), enter(server, game.id):
            await game.x.until(lambda m: m["type"] == "crowd" and (m["spectators"], m["names"]) == (2, ["Cat 0"]))
        await game.x.until(lambda m: m["type"] == "crowd" and m["spectators"] == 0)
        assert len([m for m in game.x.seen if m["type"] == "crowd"]) < 12
        assert (await game.view())["version"] == game.x.room["version"]


async def test_the_crowd_lists_up_to_twenty_names(server: LocalServer) -> None:
    ann = await guest(server.url)
    room = (await friends_room(server, ann))["room"]["id"]
    watchers = [await guest(server.url, f"W{n}") for n in range(21)]
    async with asyncio.TaskGroup() as group, enter(server, room, ann) as x:
        done = asyncio.Event()

        async def watch(api: Api) -> None:
            async with enter(server, room, api):
                await done.wait()

        for api in watchers[:20]:
            group.create_task(watch(api))
        crowd = await x.until(lambda m: m["type"] == "crowd" and m["spectators"] == 20)
        assert sorted(crowd["names"]) == sorted(f"W{n}" for n in range(20))
        group.create_task(watch(watchers[20]))
        crowd = await x.until(lambda m: m["type"] == "crowd" and m["spectators"] == 21)
        assert crowd["names"] == []
        done.set()


async def test_chat_lines_are_numbered_stamped_and_kept(server: LocalServer) -> None:
    async with pair(server) as game:
        cat = await guest(server.url, "Cat")
        async with enter(server, game.id, cat) as watcher:
            await game.x.ok("chat", text="one")
            await game.play("b2")
            await game.o.ok("chat", text=" two\n")
            await watcher.send({"type": "chat", "id": "1", "text": "三" * 280})
            lines: list[Message] = []
            while len(lines) < 3:
                await watcher.receive()
                lines = [line for m in watcher.seen if m["type"] == "chat" for line in m["lines"]]
        assert [line["n"] for line in lines] == [1, 2, 3]
        assert [line["ply"] for line in lines] == [0, 1, 1]
        assert [line["text"] for line in lines] == ["one", " two\n", "三" * 280]
        assert lines[0]["from"] == {"player": game.ann.player["id"], "name": "Ann", "mark": "X"}
        assert lines[2]["from"] == {"player": cat.player["id"], "name": "Cat", "mark": None}
        async with enter(server, game.id) as newcomer:
            assert (await newcomer.until(lambda m: m["type"] == "chat"))["lines"] == lines


async def test_a_reaction_goes_to_everybody_and_is_not_kept(server: LocalServer) -> None:
    async with pair(server) as game, enter(server, game.id) as watcher:
        await game.o.ok("react", emoji="👏")
        for socket in (game.x, watcher):
            reaction = await socket.until(lambda m: m["type"] == "reaction")
            assert reaction["emoji"] == "👏"
            assert reaction["from"] == {"player": game.ben.player["id"], "name": "Ben", "mark": "O"}
        async with enter(server, game.id) as newcomer:
            await newcomer.ask("ping")
            assert "reaction" not in newcomer.last


async def test_a_closed_room_is_unknown(server: LocalServer) -> None:
    async with pair(server) as game, enter(server, game.id) as watcher:
        await game.o.ok("chat", text="bye")
        answer = await game.x.ask("close")
        assert answer["type"] == "ok"
        for socket in (game.x, game.o, watcher):
            assert await socket.closed() == 4410
            assert socket.room["phase"] == "closed"
            assert socket.last["room"]["event"] == {"type": "closed"}
            assert socket.you["can"] == []
        anyone = Api(server.url)
        for path in (f"/api/rooms/{game.id}", f"/api/rooms/{game.id}/games/1"):
            status, body = await anyone.call("GET", path)
            assert (status, body["error"]["code"]) == (404, "unknown_room")
        assert (await anyone.call("GET", f"/r/{game.id}"))[0] == 404
        async with connect(server.ws_url, {"room": game.id, "token": game.ann.token}) as late:
            assert await late.closed() == 4404
