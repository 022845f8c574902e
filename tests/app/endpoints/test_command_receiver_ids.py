"""The ids of commands on the wire: a command that is sent again gets its old answer and has no second effect."""

from __future__ import annotations

from tests.support.local_server import LocalServer
from tests.support.player import Api, enter, guest
from tests.support.rooms import engine_room, pair


async def test_at_least_the_newest_64_ids_are_remembered(server: LocalServer) -> None:
    async with pair(server) as game:
        for n in range(200):
            await game.x.ok("chat", id=f"x{n}", text=str(n))
        await game.o.ok("chat", text="last")
        for n in range(199, 199 - 64, -1):
            await game.x.ok("chat", id=f"x{n}", text="again")
        async with enter(server, game.id) as watcher:
            chat = await watcher.until(lambda message: message["type"] == "chat")
        texts = [line["text"] for line in chat["lines"]]
        assert (len(texts), texts[-1], texts[0]) == (100, "last", "101")


async def test_an_id_belongs_to_one_player_in_one_room(server: LocalServer) -> None:
    async with pair(server) as game, pair(server) as other:
        await game.x.ok("move", id="same", ply=0, cell="b2")
        await game.o.ok("move", id="same", ply=1, cell="a1")
        await other.x.ok("move", id="same", ply=0, cell="c3")
        assert (await game.view())["game"]["moves"] == ["b2", "a1"]
        assert (await other.view())["game"]["moves"] == ["c3"]


async def test_a_rejection_is_not_remembered(server: LocalServer) -> None:
    async with pair(server) as game:
        assert await game.o.rejected("move", id="m", ply=0, cell="b2") == "not_your_turn"
        await game.x.move("a1")
        await game.o.ok("move", id="m", ply=1, cell="b2")


async def test_a_known_id_gets_its_old_answer(server: LocalServer) -> None:
    """So does another valid command with that id. A malformed one is rejected."""
    async with pair(server) as game:
        answer = await game.x.ok("move", id="1", ply=0, cell="b2")
        before = await game.view()
        assert await game.x.ask("move", id="1", ply=0, cell="b2") == answer
        assert await game.x.ask("close", id="1") == answer
        assert await game.x.rejected("move", id="1", ply=-1, cell="b2") == "bad_message"
        assert await game.view() == before


async def test_a_move_sent_twice_is_made_once_against_the_engine(server: LocalServer) -> None:
    ann = await guest(server.url)
    room = (await engine_room(server, ann, level="novice"))["room"]["id"]
    async with enter(server, room, ann) as x:
        answer = await x.ok("move", id="m", ply=0, cell="b2")
        view = await x.until_room(lambda room: len(room["game"]["moves"]) == 2)
        assert await x.ask("move", id="m", ply=0, cell="b2") == answer
        assert (await Api(server.url).get(f"/api/rooms/{room}"))["game"] == view["game"]
