"""The lobby through real sockets. Its rules are tested in ``tests/app/lobby``."""

from __future__ import annotations

from tests.support.player import Message, connect, enter, guest
from tests.support.server import RunningServer

ANYONE = {"variant": "classic", "opponent": "anyone"}


def ids(lobby: Message, listing: str = "open") -> list[str]:
    return [item["id"] for item in lobby[listing]]


def is_lobby(message: Message) -> bool:
    return bool(message["type"] == "lobby")


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
