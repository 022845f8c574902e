"""Commands that a room rejects, on the wire: the code of each, and that nothing changes."""

from __future__ import annotations

from typing import Any

from tests.support.local_server import LocalServer
from tests.support.player import Api, Message, Socket, enter, friends_room, guest
from tests.support.rooms import pair


async def test_after_stale_and_illegal_moves_the_room_follows(server: LocalServer) -> None:
    """So a client that was behind is not. No rejected move changes anything."""
    async with pair(server) as game:

        async def rejected(client: Socket, code: str, **fields: Any) -> None:
            before = await game.view()
            assert await client.rejected("move", **fields) == code, fields
            assert await game.view() == before
            if code in ("stale", "illegal_move"):
                message = await client.until(lambda m: m["type"] == "room")
                assert (message["version"], message["room"]) == (before["version"], before)

        await rejected(game.o, "not_your_turn", ply=0, cell="b2")
        await rejected(game.o, "stale", ply=1, cell="b2")  # stale comes before the turn
        await rejected(game.x, "stale", ply=1, cell="b2")
        await rejected(game.x, "stale", game=2, ply=0, cell="b2")
        await rejected(game.x, "stale", game=0, ply=0, cell="b2")
        for cell in ("d1", "a4", "a0", "z99", "A1", "b2.1", "a01", "a" + "1" * 200):
            await rejected(game.x, "illegal_move", ply=0, cell=cell)
        await game.play("b2")
        await rejected(game.x, "stale", ply=0, cell="a1")
        await rejected(game.x, "not_your_turn", ply=1, cell="a1")
        await rejected(game.o, "illegal_move", ply=1, cell="b2")
        await game.play("a1", "b1", "a2", "b3")
        await rejected(game.x, "game_over", ply=5, cell="c1")
        await rejected(game.o, "game_over", ply=5, cell="c1")
        await rejected(game.o, "game_over", game=1, ply=0, cell="c1")


async def test_before_the_first_game_nobody_plays(server: LocalServer) -> None:
    ann = await guest(server.url)
    room = (await friends_room(server, ann))["room"]["id"]
    async with enter(server, room, ann) as x:
        assert await x.rejected("move", ply=0, cell="b2") == "not_playing"
        assert await x.rejected("resign") == "not_playing"
        assert await x.rejected("offer", what="draw") == "not_playing"
        assert await x.rejected("offer", what="rematch") == "forbidden"
        assert await x.rejected("claim", what="win") == "not_playing"


async def test_what_is_not_possible_now_is_rejected(server: LocalServer) -> None:
    async with pair(server) as game:
        for client in (game.x, game.o):
            assert await client.rejected("offer", what="rematch") == "forbidden"
            assert await client.rejected("answer", what="draw", accept=True) == "forbidden"
            assert await client.rejected("stand") == "forbidden"
            assert await client.rejected("claim", what="win") == "forbidden"
            assert await client.rejected("seat_engine", mark="X", level="novice") == "seat_taken"
            assert await client.rejected("set", variant="misere") == "forbidden"
        assert await game.o.rejected("free", mark="X") == "forbidden"
        assert await game.o.rejected("close") == "forbidden"
        assert await game.o.rejected("mute", player="spectators", muted=True) == "forbidden"
        await game.x.ok("resign")
        for client in (game.x, game.o):
            assert await client.rejected("resign") == "game_over"
            assert await client.rejected("offer", what="draw") == "game_over"
            assert await client.rejected("claim", what="win") == "game_over"


OF_PLAYERS: list[tuple[str, Message]] = [
    ("move", {"ply": 0, "cell": "b2"}),
    ("resign", {}),
    ("stand", {}),
    ("offer", {"what": "draw"}),
    ("offer", {"what": "rematch"}),
    ("answer", {"what": "draw", "accept": True}),
    ("claim", {"what": "win"}),
    ("seat_engine", {"mark": "X", "level": "novice"}),
]
OF_THE_OWNER: list[tuple[str, Message]] = [
    ("free", {"mark": "X"}),
    ("mute", {"player": "spectators", "muted": True}),
    ("close", {}),
    ("set", {"visibility": "public"}),
]


async def test_spectators_only_watch(server: LocalServer) -> None:
    async with pair(server) as game:
        cat = await guest(server.url, "Cat")
        async with enter(server, game.id, cat) as named, enter(server, game.id) as nameless:
            before = await game.view()
            for code, commands in (("not_seated", OF_PLAYERS), ("forbidden", OF_THE_OWNER)):
                for type_, fields in commands:
                    assert await named.rejected(type_, **fields) == code, type_
                    assert await nameless.rejected(type_, **fields) == "unauthorized", type_
            assert await named.rejected("sit", mark="X", invite=game.invite) == "seat_taken"
            assert await nameless.rejected("sit", mark="X", invite=game.invite) == "unauthorized"
            assert await nameless.rejected("chat", text="hello") == "unauthorized"
            assert (await nameless.ask("ping"))["type"] == "pong"
            assert await game.view() == before
            assert "invite" not in named.you
            assert "invite" not in nameless.you


async def test_a_seat_needs_the_invite_and_does_not_use_it_up(server: LocalServer) -> None:
    ann, ben, cat = [await guest(server.url) for _ in range(3)]
    answer = await friends_room(server, ann)
    room = answer["room"]["id"]
    async with enter(server, room, ben) as o, enter(server, room, cat) as late, enter(server, room, ann) as x:
        before = await Api(server.url).get(f"/api/rooms/{room}")
        for invite in ({}, {"invite": None}, {"invite": ""}, {"invite": "wrong"}, {"invite": "ä\u0000"}):
            assert await o.rejected("sit", mark="O", **invite) == "forbidden"
        assert await Api(server.url).get(f"/api/rooms/{room}") == before
        await o.ok("sit", mark="O", invite=answer["invite"])
        assert o.you["invite"] == x.you["invite"] == answer["invite"]
        await o.ok("resign")
        await o.ok("stand")
        assert "invite" not in o.you
        await late.ok("sit", mark="O", invite=answer["invite"])
        assert await o.rejected("sit", mark="O", invite=answer["invite"]) == "seat_taken"
        assert await late.rejected("sit", mark="X", invite=answer["invite"]) == "seat_taken"
