"""Every command and message of the contract through the wire, and that bad input changes nothing."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.support.player import Api, connect, enter, friends_room, guest
from tests.support.rooms import engine_room, pair

# --- each command -------------------------------------------------------------------------------------------------


async def test_an_evening(server):
    """Every command once, as people use them, each one higher in version."""
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    made = await friends_room(server, ann)
    async with enter(server, made["room"]["id"], ann) as x, enter(server, made["room"]["id"], ben) as o:
        versions = [made["room"]["version"]]

        async def does(socket, type_, **fields):
            answer = await socket.ok(type_, **fields)
            versions.append(answer["version"])
            for other in (x, o):
                await other.until_room(lambda room: room["version"] >= answer["version"])
            return socket.room

        await does(o, "sit", mark="O", invite=made["invite"])
        assert (x.last["room"]["event"]["type"], x.room["phase"]) == ("started", "playing")
        await does(x, "move", game=1, ply=0, cell="b2")
        assert o.last["room"]["event"] == {"type": "moved", "mark": "X", "cell": "b2", "by": ann.player["id"]}
        await does(x, "offer", game=1, what="takeback")
        assert o.room["offers"] == [{"what": "takeback", "by": "X"}]
        await does(o, "answer", game=1, what="takeback", accept=True)
        assert x.last["room"]["event"]["type"] == "took_back"
        assert x.room["game"]["moves"] == []
        await does(x, "move", ply=0, cell="a1")
        await does(o, "offer", what="draw")
        await does(o, "answer", what="draw", accept=False)
        assert x.last["room"]["event"]["type"] == "withdrawn"
        await does(o, "move", ply=1, cell="b2")
        await does(x, "offer", what="draw")
        await does(o, "answer", what="draw", accept=False)
        assert x.last["room"]["event"] == {"type": "declined", "what": "draw", "by": "O"}
        answer = await x.ask("offer", what="draw")
        assert answer["code"] == "rate_limited"
        assert 0 < answer["retry_ms"] <= 10_000
        await does(x, "resign", game=1)
        assert x.last["room"]["event"]["type"] == "ended"
        assert o.room["game"]["outcome"] == {"winner": "O", "reason": "resignation", "cells": []}
        await does(x, "offer", what="rematch")
        await does(o, "offer", what="rematch")
        assert (o.you["mark"], x.you["mark"], x.room["game"]["number"]) == ("X", "O", 2)
        assert {entry["player"]: entry["wins"] for entry in x.room["score"]} == {
            ben.player["id"]: 1,
            ann.player["id"]: 0,
        }
        await does(o, "resign")
        await does(o, "stand")
        assert x.last["room"]["event"] == {"type": "stood", "mark": "X"}
        await does(x, "seat_engine", mark="X", level="novice")
        assert x.room["phase"] == "playing"
        await does(x, "resign")
        await does(x, "free", mark="X")
        await does(x, "set", variant="misere", clock={"mode": "move", "move_ms": 5_000}, spectator_chat="off")
        assert (x.room["variant"], x.room["clock"]["mode"], x.room["spectator_chat"]) == ("misere", "move", "off")
        await does(x, "mute", player=ben.player["id"], muted=True)
        await does(x, "set", clock=None, visibility="public")
        assert (x.room["clock"], x.room["visibility"]) == (None, "public")
        assert versions == sorted(versions)
        assert (await x.ok("chat", text="bye"))["version"] == versions[-1]  # chat is no change of the room
        assert (await x.ok("react", emoji="👍"))["version"] == versions[-1]
        pong = await x.ask("ping")
        assert set(pong) == {"type", "id", "now_ms"}
        answer = await x.ask("close")
        assert (answer["type"], await x.closed(), await o.closed()) == ("ok", 4410, 4410)


async def test_what_is_not_there_yet_or_no_more(server):
    async with pair(server) as table:
        for socket in (table.x, table.o):
            assert await socket.rejected("offer", what="rematch") == "forbidden"
            assert await socket.rejected("answer", what="draw", accept=True) == "forbidden"
            assert await socket.rejected("stand") == "forbidden"
            assert await socket.rejected("claim", what="win") == "forbidden"
            assert await socket.rejected("seat_engine", mark="X", level="novice") == "seat_taken"
        assert await table.o.rejected("set", variant="misere") == "forbidden"
        assert await table.x.rejected("set", variant="misere") == "forbidden"
        assert await table.o.rejected("free", mark="X") == "forbidden"
        assert await table.o.rejected("close") == "forbidden"
        assert await table.o.rejected("mute", player="spectators", muted=True) == "forbidden"
        await table.x.ok("resign")
        for socket in (table.x, table.o):
            assert await socket.rejected("resign") == "game_over"
            assert await socket.rejected("offer", what="draw") == "game_over"
            assert await socket.rejected("claim", what="win") == "game_over"


# --- each command twice -------------------------------------------------------------------------------------------


async def test_a_command_sent_twice_is_carried_out_once(start_server):
    """On the same socket, on another of the player, and after a restart."""
    server = start_server()
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    made = await friends_room(server, ann)
    room = made["room"]["id"]
    sent = [
        (ben, {"type": "sit", "id": "1", "mark": "O", "invite": made["invite"]}),
        (ann, {"type": "move", "id": "1", "ply": 0, "cell": "b2"}),
        (ann, {"type": "offer", "id": "2", "what": "takeback"}),
        (ben, {"type": "answer", "id": "2", "what": "takeback", "accept": False}),
        (ben, {"type": "chat", "id": "3", "text": "hello"}),
        (ben, {"type": "react", "id": "4", "emoji": "👍"}),
        (ben, {"type": "resign", "id": "5"}),
        (ann, {"type": "offer", "id": "3", "what": "rematch"}),
        (ben, {"type": "answer", "id": "6", "what": "rematch", "accept": True}),
        (ann, {"type": "resign", "id": "4"}),
        (ann, {"type": "set", "id": "5", "spectator_chat": "off"}),
        (ann, {"type": "mute", "id": "6", "player": "spectators", "muted": True}),
        (ben, {"type": "stand", "id": "7"}),
        (ann, {"type": "seat_engine", "id": "7", "mark": "X", "level": "novice"}),
        (ann, {"type": "resign", "id": "8"}),
        (ann, {"type": "free", "id": "9", "mark": "X"}),
    ]
    answers = []

    async def again(view):
        async with enter(server, room, ann) as one, enter(server, room, ben) as other:
            for (api, message), answer in zip(sent, answers, strict=True):
                socket = one if api is ann else other
                await socket.send(message)
                assert await socket.until(lambda m, message=message: m.get("id") == message["id"]) == answer
            assert [line["text"] for line in one.last["chat"]["lines"]] == ["hello"]
        assert await Api(server.url).get(f"/api/rooms/{room}") == view

    async with enter(server, room, ann) as x, enter(server, room, ben) as o:
        for api, message in sent:
            socket = x if api is ann else o
            before = None
            for _ in range(2):
                await socket.send(message)
                answer = await socket.until(lambda m, message=message: m.get("id") == message["id"])
                assert answer["type"] == "ok", (message, answer)
                assert before in (None, answer)
                before = answer
            answers.append(before)
        # Under the same id another valid command gets the old answer too; a malformed one is told so.
        await x.send({"type": "close", "id": "1"})
        assert await x.until(lambda m: m.get("id") == "1") == answers[1]
        await x.send({"type": "move", "id": "1", "ply": -1, "cell": "b2"})
        assert (await x.until(lambda m: m.get("id") == "1"))["code"] == "bad_message"
        view = await Api(server.url).get(f"/api/rooms/{room}")
        await again(view)
    server.kill()
    server.start()
    # Nobody was here for a moment: whose presence changes is no change of the room.
    await again(view)


async def test_at_least_the_newest_sixty_four_ids_are_remembered(server):
    async with pair(server) as table:
        for n in range(200):
            await table.x.ok("chat", id=f"x{n}", text=str(n))
        await table.o.ok("chat", text="last")
        for n in range(199, 199 - 64, -1):
            await table.x.ok("chat", id=f"x{n}", text="again")
        async with enter(server, table.id) as watcher:
            chat = await watcher.until(lambda message: message["type"] == "chat")
        texts = [line["text"] for line in chat["lines"]]
        assert (len(texts), texts[-1], texts[0]) == (100, "last", "101")


async def test_an_id_is_the_players_own_and_the_rooms(server):
    async with pair(server) as table, pair(server) as other:
        await table.x.ok("move", id="same", ply=0, cell="b2")
        await table.o.ok("move", id="same", ply=1, cell="a1")
        await other.x.ok("move", id="same", ply=0, cell="c3")
        assert (await table.view())["game"]["moves"] == ["b2", "a1"]
        assert (await other.view())["game"]["moves"] == ["c3"]


async def test_a_rejection_is_not_remembered(server):
    async with pair(server) as table:
        assert await table.o.rejected("move", id="m", ply=0, cell="b2") == "not_your_turn"
        await table.x.move("a1")
        await table.o.ok("move", id="m", ply=1, cell="b2")


# --- bad input ----------------------------------------------------------------------------------------------------

MALFORMED = [
    ({"type": "move"}, None),
    ({"type": "move", "id": "", "ply": 0, "cell": "b2"}, None),
    ({"type": "move", "id": "x" * 65, "ply": 0, "cell": "b2"}, None),
    ({"type": "move", "id": 7, "ply": 0, "cell": "b2"}, None),
    ({"type": "move", "id": None, "ply": 0, "cell": "b2"}, None),
    ({"id": "c"}, "bad_message"),
    ({"type": None, "id": "c"}, "bad_message"),
    ({"type": 5, "id": "c"}, "bad_message"),
    ({"type": "castle", "id": "c"}, "unknown_command"),
    ({"type": "Move", "id": "c", "ply": 0, "cell": "b2"}, "unknown_command"),
    ({"type": "welcome", "id": "c"}, "unknown_command"),
    ({"type": "move", "id": "c", "cell": "b2"}, "bad_message"),
    ({"type": "move", "id": "c", "ply": 0}, "bad_message"),
    ({"type": "move", "id": "c", "ply": "0", "cell": "b2"}, "bad_message"),
    ({"type": "move", "id": "c", "ply": 0.5, "cell": "b2"}, "bad_message"),
    ({"type": "move", "id": "c", "ply": True, "cell": "b2"}, "bad_message"),
    ({"type": "move", "id": "c", "ply": -1, "cell": "b2"}, "bad_message"),
    ({"type": "move", "id": "c", "ply": 10**30, "cell": "b2"}, "bad_message"),
    ({"type": "move", "id": "c", "ply": 0, "cell": 4}, "bad_message"),
    ({"type": "move", "id": "c", "ply": 0, "cell": ""}, "bad_message"),
    ({"type": "move", "id": "c", "ply": 0, "cell": "2b"}, "bad_message"),
    ({"type": "move", "id": "c", "ply": 0, "cell": "b2."}, "bad_message"),
    ({"type": "move", "id": "c", "ply": 0, "cell": "b2\n"}, "bad_message"),
    ({"type": "move", "id": "c", "ply": 0, "cell": "b٢"}, "bad_message"),
    ({"type": "move", "id": "c", "ply": 0, "cell": ["b2"]}, "bad_message"),
    ({"type": "move", "id": "c", "game": "1", "ply": 0, "cell": "b2"}, "bad_message"),
    ({"type": "sit", "id": "c", "mark": "Z"}, "bad_message"),
    ({"type": "sit", "id": "c", "mark": "x"}, "bad_message"),
    ({"type": "sit", "id": "c"}, "bad_message"),
    ({"type": "sit", "id": "c", "mark": "O", "invite": 5}, "bad_message"),
    ({"type": "offer", "id": "c", "what": "tea"}, "bad_message"),
    ({"type": "answer", "id": "c", "what": "draw"}, "bad_message"),
    ({"type": "answer", "id": "c", "what": "draw", "accept": "yes"}, "bad_message"),
    ({"type": "claim", "id": "c", "what": "takeback"}, "bad_message"),
    ({"type": "seat_engine", "id": "c", "mark": "O", "level": "godlike"}, "bad_message"),
    ({"type": "chat", "id": "c", "text": ""}, "bad_message"),
    ({"type": "chat", "id": "c", "text": "x" * 281}, "bad_message"),
    ({"type": "chat", "id": "c", "text": None}, "bad_message"),
    ({"type": "react", "id": "c", "emoji": "💣"}, "bad_message"),
    ({"type": "set", "id": "c", "variant": "chess"}, "bad_message"),
    ({"type": "set", "id": "c", "clock": {"mode": "move", "move_ms": 1}}, "bad_message"),
    ({"type": "set", "id": "c", "visibility": "secret"}, "bad_message"),
    ({"type": "set", "id": "c", "spectator_chat": True}, "bad_message"),
    ({"type": "free", "id": "c", "mark": "spectators"}, "bad_message"),
    ({"type": "mute", "id": "c", "player": "Ben", "muted": True}, "bad_message"),
    ({"type": "mute", "id": "c", "player": "spectators"}, "bad_message"),
]
NO_OBJECTS = ["", " ", "hello", "{", "[]", "[1,2]", '"text"', "null", "7", "{}", '{"a":}', "\x00", '{"id":"c"', "NaN"]


async def test_malformed_commands_are_told_so_and_change_nothing(server):
    async with pair(server) as table:
        before = await table.view()
        for message, code in MALFORMED:
            if code is None:
                continue
            await table.x.send(message)
            answer = await table.x.until(lambda m: m["type"] == "rejected")
            assert (answer["id"], answer["code"]) == ("c", code), (message, answer)
        assert await table.view() == before
        await table.x.move("b2")  # more than twenty of them, and nobody was thrown out


async def test_what_has_no_usable_id_is_rejected_without_one(server):
    nonsense = [json.dumps(message) for message, code in MALFORMED if code is None] + NO_OBJECTS
    assert len(nonsense) < 20
    async with pair(server) as table:
        before = await table.view()
        for text in nonsense:
            await table.x.send(text)
            answer = await table.x.until(lambda m: m["type"] == "rejected")
            assert (answer["id"], answer["code"]) == (None, "bad_message"), (text, answer)
        assert await table.view() == before
        await table.x.move("b2")


@pytest.mark.parametrize("text", ["nonsense", '{"type":"move","ply":0,"cell":"b2"}', '{"type":"hello","protocol":1}'])
async def test_twenty_of_those_close_the_connection(server, text):
    async with pair(server) as table:
        before = await table.view()
        for _ in range(20):
            await table.x.send(text)
        assert await table.x.closed() == 4429
        assert [message["code"] for message in table.x.seen if message["type"] == "rejected"] == ["bad_message"] * 20
        assert await table.view() == before
        # It is the connection's count, not the player's.
        async with enter(server, table.id, table.ann) as again:
            await again.move("b2")


async def test_text_that_is_half_a_character(server):
    async with pair(server) as table:
        before = await table.view()
        for text in ('{"type":"chat","id":"c","text":"\\ud800"}', '{"type":"chat","id":"c","text":"a\\udc00b"}'):
            await table.x.send(text)
            answer = await table.x.until(lambda m: m["type"] == "rejected")
            assert (answer["id"], answer["code"]) == ("c", "bad_message")
        await table.x.send('{"type":"chat","id":"\\ud800","text":"x"}')
        answer = await table.x.until(lambda m: m["type"] == "rejected")
        assert (answer["id"], answer["code"]) == (None, "bad_message")
        assert await table.view() == before
        await table.x.ok("chat", text="\\ud800 👩‍👧 \U0010ffff")  # as text it is fine
        line = (await table.o.until(lambda m: m["type"] == "chat" and m["lines"]))["lines"][-1]
        assert line["text"] == "\\ud800 👩‍👧 \U0010ffff"


async def test_a_message_may_have_exactly_8_kib(server):
    async with pair(server) as table:
        message = {"type": "chat", "id": "c", "text": "just so", "unknown": ""}
        message["unknown"] = "x" * (8_192 - len(json.dumps(message)))
        await table.x.send(message)
        assert (await table.x.until(lambda m: m.get("id") == "c"))["type"] == "ok"
        message["unknown"] += "x"
        await table.x.send(message)
        assert await table.x.closed() == 1009
        assert (await table.view())["phase"] == "playing"


async def test_moves_that_may_not_be(server):
    async with pair(server) as table:

        async def refused(socket, code, **fields):
            before = await table.view()
            assert await socket.rejected("move", **fields) == code, fields
            assert await table.view() == before
            if code in ("stale", "illegal_move"):
                # The room follows, so that whoever was behind is not.
                message = await socket.until(lambda m: m["type"] == "room")
                assert (message["version"], message["room"]) == (before["version"], before)

        await refused(table.o, "not_your_turn", ply=0, cell="b2")
        await refused(table.o, "stale", ply=1, cell="b2")  # stale comes before whose turn it is
        await refused(table.x, "stale", ply=1, cell="b2")
        await refused(table.x, "stale", game=2, ply=0, cell="b2")
        await refused(table.x, "stale", game=0, ply=0, cell="b2")
        for cell in ("d1", "a4", "a0", "z99", "A1", "b2.1", "a01", "a" + "1" * 200):
            await refused(table.x, "illegal_move", ply=0, cell=cell)
        await table.play("b2")
        await refused(table.x, "stale", ply=0, cell="a1")
        await refused(table.x, "not_your_turn", ply=1, cell="a1")
        await refused(table.o, "illegal_move", ply=1, cell="b2")
        await table.play("a1", "b1", "a2", "b3")
        await refused(table.x, "game_over", ply=5, cell="c1")
        await refused(table.o, "game_over", ply=5, cell="c1")
        await refused(table.o, "game_over", game=1, ply=0, cell="c1")


async def test_before_the_first_game_nobody_plays(server):
    ann = await guest(server.url)
    made = await friends_room(server, ann)
    async with enter(server, made["room"]["id"], ann) as x:
        assert await x.rejected("move", ply=0, cell="b2") == "not_playing"
        assert await x.rejected("resign") == "not_playing"
        assert await x.rejected("offer", what="draw") == "not_playing"
        assert await x.rejected("offer", what="rematch") == "forbidden"
        assert await x.rejected("claim", what="win") == "not_playing"


async def test_spectators_only_watch(server):
    async with pair(server) as table:
        cat = await guest(server.url, "Cat")
        async with enter(server, table.id, cat) as named, enter(server, table.id) as nameless:
            before = await table.view()
            for type_, fields in (
                ("move", {"ply": 0, "cell": "b2"}),
                ("resign", {}),
                ("stand", {}),
                ("offer", {"what": "draw"}),
                ("offer", {"what": "rematch"}),
                ("answer", {"what": "draw", "accept": True}),
                ("claim", {"what": "win"}),
                ("seat_engine", {"mark": "X", "level": "novice"}),
            ):
                assert await named.rejected(type_, **fields) == "not_seated", type_
                assert await nameless.rejected(type_, **fields) == "unauthorized", type_
            for type_, fields in (
                ("free", {"mark": "X"}),
                ("mute", {"player": "spectators", "muted": True}),
                ("close", {}),
                ("set", {"visibility": "public"}),
            ):
                assert await named.rejected(type_, **fields) == "forbidden", type_
                assert await nameless.rejected(type_, **fields) == "unauthorized", type_
            assert await named.rejected("sit", mark="X", invite=table.invite) == "seat_taken"
            assert await nameless.rejected("sit", mark="X", invite=table.invite) == "unauthorized"
            assert await nameless.rejected("chat", text="hello") == "unauthorized"
            assert (await nameless.ask("ping"))["type"] == "pong"
            assert await table.view() == before
            assert "invite" not in named.you
            assert "invite" not in nameless.you


async def test_a_seat_needs_the_invite_and_does_not_use_it_up(server):
    ann, ben, cat = [await guest(server.url) for _ in range(3)]
    made = await friends_room(server, ann)
    room = made["room"]["id"]
    async with enter(server, room, ben) as o, enter(server, room, cat) as late, enter(server, room, ann) as x:
        before = await Api(server.url).get(f"/api/rooms/{room}")
        for invite in ({}, {"invite": None}, {"invite": ""}, {"invite": "wrong"}, {"invite": "ä\u0000"}):
            assert await o.rejected("sit", mark="O", **invite) == "forbidden"
        assert await Api(server.url).get(f"/api/rooms/{room}") == before
        await o.ok("sit", mark="O", invite=made["invite"])
        assert o.you["invite"] == x.you["invite"] == made["invite"]
        await o.ok("resign")
        await o.ok("stand")
        assert "invite" not in o.you
        await late.ok("sit", mark="O", invite=made["invite"])
        assert await o.rejected("sit", mark="O", invite=made["invite"]) == "seat_taken"
        assert await late.rejected("sit", mark="X", invite=made["invite"]) == "seat_taken"


# --- what the server sends ----------------------------------------------------------------------------------------

VIEW = {
    "id", "version", "variant", "visibility", "join", "owner", "phase", "seats", "game", "clock", "offers", "score",
    "draws", "spectator_chat", "created_ms", "expires_ms",
}  # fmt: skip


async def test_every_change_is_one_whole_room_to_everybody(server):
    async with pair(server) as table, enter(server, table.id) as watcher:
        start = watcher.last["room"]["version"]
        await table.play("b2", "a1", "b1", "a2", "b3")
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
        assert await table.view() == end  # HTTP tells the same
        seen_by_x = [m["room"] for m in table.x.seen if m["type"] == "room" and m["version"] > start]
        assert [room for room in seen_by_x if room["phase"] == "playing"] == [m["room"] for m in rooms[1:-1]]


async def test_the_crowd_is_told_on_arrival_and_at_most_once_a_second(server):
    async with pair(server) as table:
        loop = asyncio.get_running_loop()
        cats = [await guest(server.url, f"Cat {n}") for n in range(3)]
        told = []
        for cat in cats * 3:
            async with enter(server, table.id, cat) as watcher:
                crowd = await watcher.until(lambda m: m["type"] == "crowd")
                assert crowd["spectators"] == 1
                assert crowd["names"] == [cat.player["name"]]
        async with enter(server, table.id, cats[0]), enter(server, table.id, cats[0]), enter(server, table.id):
            began = loop.time()
            await table.x.until(lambda m: m["type"] == "crowd" and (m["spectators"], m["names"]) == (2, ["Cat 0"]))
            assert loop.time() - began < 10
        await table.x.until(lambda m: m["type"] == "crowd" and m["spectators"] == 0)
        # Nine came and went within a moment; those who stayed were not told of each.
        told = [m for m in table.x.seen if m["type"] == "crowd"]
        assert len(told) < 12
        version = (await table.view())["version"]
        assert version == table.x.room["version"]  # and none of it was a change of the room


async def test_names_of_spectators_up_to_twenty(server):
    ann = await guest(server.url)
    room = (await friends_room(server, ann))["room"]["id"]
    watchers = [await guest(server.url, f"W{n}") for n in range(21)]
    async with asyncio.TaskGroup() as group, enter(server, room, ann) as x:
        done = asyncio.Event()

        async def watch(api):
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


async def test_chat_lines_are_numbered_stamped_and_kept(server):
    async with pair(server) as table:
        cat = await guest(server.url, "Cat")
        async with enter(server, table.id, cat) as watcher:
            await table.x.ok("chat", text="one")
            await table.play("b2")
            await table.o.ok("chat", text=" two\n")
            await watcher.ok("chat", text="三" * 280)
            lines = []
            while len(lines) < 3:
                lines += (
                    (await watcher.receive()).get("lines", [])
                    if len(lines)
                    else [line for m in watcher.seen if m["type"] == "chat" for line in m["lines"]]
                )
        assert [line["n"] for line in lines] == [1, 2, 3]
        assert [line["ply"] for line in lines] == [0, 1, 1]
        assert [line["text"] for line in lines] == ["one", " two\n", "三" * 280]
        assert lines[0]["from"] == {"player": table.ann.player["id"], "name": "Ann", "mark": "X"}
        assert lines[2]["from"] == {"player": cat.player["id"], "name": "Cat", "mark": None}
        async with enter(server, table.id) as newcomer:
            assert (await newcomer.until(lambda m: m["type"] == "chat"))["lines"] == lines


async def test_who_may_chat(server):
    async with pair(server) as table:
        cat = await guest(server.url, "Cat")
        async with enter(server, table.id, cat) as watcher:
            await table.x.ok("mute", player="spectators", muted=True)
            assert await watcher.rejected("chat", text="psst") == "forbidden"
            assert await watcher.rejected("react", emoji="👍") == "forbidden"
            await table.x.ok("mute", player="spectators", muted=False)
            await watcher.ok("chat", text="psst")
            await table.x.ok("mute", player=cat.player["id"], muted=True)
            assert await watcher.rejected("chat", text="psst") == "forbidden"
            await table.x.ok("mute", player=cat.player["id"], muted=False)
            await table.x.ok("mute", player=table.ben.player["id"], muted=True)
            assert await table.o.rejected("chat", text="hey") == "forbidden"
            await table.x.ok("resign")
            await table.x.ok("set", spectator_chat="off")
            assert await watcher.rejected("chat", text="psst") == "forbidden"
            await table.x.ok("set", spectator_chat="between_games")
            await watcher.ok("chat", text="between")
            await table.x.ok("offer", what="rematch")
            await table.o.ok("offer", what="rematch")
            assert await watcher.rejected("chat", text="psst") == "forbidden"
            await table.x.ok("chat", text="players may always")


async def test_a_reaction_goes_to_everybody_and_is_not_kept(server):
    async with pair(server) as table, enter(server, table.id) as watcher:
        await table.o.ok("react", emoji="👏")
        for socket in (table.x, watcher):
            reaction = await socket.until(lambda m: m["type"] == "reaction")
            assert reaction["emoji"] == "👏"
            assert reaction["from"] == {"player": table.ben.player["id"], "name": "Ben", "mark": "O"}
        async with enter(server, table.id) as newcomer:
            await newcomer.ask("ping")
            assert "reaction" not in newcomer.last


async def test_after_a_close_there_is_nothing(server):
    async with pair(server) as table, enter(server, table.id) as watcher:
        await table.o.ok("chat", text="bye")
        answer = await table.x.ask("close")
        assert answer["type"] == "ok"
        for socket in (table.x, table.o, watcher):
            assert await socket.closed() == 4410
            assert socket.room["phase"] == "closed"
            assert socket.last["room"]["event"] == {"type": "closed"}
            assert socket.you["can"] == []
        anyone = Api(server.url)
        for path in (f"/api/rooms/{table.id}", f"/api/rooms/{table.id}/games/1"):
            status, body = await anyone.call("GET", path)
            assert (status, body["error"]["code"]) == (404, "unknown_room")
        assert (await anyone.call("GET", f"/r/{table.id}"))[0] == 404
        async with connect(server.ws_url, {"room": table.id, "token": table.ann.token}) as late:
            assert await late.closed() == 4404


async def test_the_lobby_takes_no_commands_but_pings(server):
    ann = await guest(server.url)
    async with connect(server.ws_url, {"lobby": True, "token": ann.token}) as lobby:
        assert (await lobby.ask("ping"))["type"] == "pong"
        assert (await lobby.ask("chat", text="hello"))["code"] == "forbidden"
        assert (await lobby.ask("move", ply=0, cell="b2"))["code"] == "forbidden"
    async with connect(server.ws_url, {"lobby": True}) as lobby:
        assert (await lobby.ask("chat", text="hello"))["code"] == "unauthorized"


async def test_what_a_client_can_do_is_what_it_may(server):
    """Each thing in ``can`` is accepted, with a room of its own for each."""
    for wanted in ("move", "resign", "offer:draw", "chat", "react", "mute", "close"):
        async with pair(server) as table:
            assert wanted in table.x.you["can"]
            type_, _, choice = wanted.partition(":")
            fields = {
                "move": {"ply": 0, "cell": "b2"},
                "offer": {"what": choice},
                "chat": {"text": "hi"},
                "react": {"emoji": "👍"},
                "mute": {"player": "spectators", "muted": True},
            }.get(type_, {})
            assert (await table.x.ask(type_, **fields))["type"] == "ok"


async def test_an_engine_in_the_room_changes_none_of_it(server):
    ann = await guest(server.url)
    made = await engine_room(server, ann, level="novice")
    async with enter(server, made["room"]["id"], ann) as x:
        await x.ok("move", id="m", ply=0, cell="b2")
        view = await x.until_room(lambda room: len(room["game"]["moves"]) == 2)
        await x.send({"type": "move", "id": "m", "ply": 0, "cell": "b2"})
        assert (await x.until(lambda m: m.get("id") == "m"))["type"] == "ok"
        assert (await Api(server.url).get(f"/api/rooms/{made['room']['id']}"))["game"] == view["game"]
