"""What clients in a room are sent: whole views, and the end of a room."""

from __future__ import annotations

from tests.support.local_server import LocalServer
from tests.support.player import Api, connect, enter
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
