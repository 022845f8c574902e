"""Who is there and who is not: reconnects, several sockets, absence, claims, the engine as stand-in."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.player import Api, connect, enter, friends_room, guest
from tests.support.rooms import engine_room, pair
from tests.support.server import QUICK, RunningServer

GRACE_MS = 200


@pytest.fixture(scope="module")
def hasty(tmp_path_factory):
    """A server that gives the absent a fifth of a second."""
    running = RunningServer(tmp_path_factory.mktemp("hasty"), {**QUICK, "NOUGHTS_GRACE_MS": str(GRACE_MS)}).start()
    yield running
    running.kill()
    assert "Traceback" not in running.log, running.log


def crowd_of(mark, *, present):
    def wanted(message):
        return message["type"] == "crowd" and message["seats"][mark] and message["seats"][mark]["present"] == present

    return wanted


async def test_a_dropped_socket_is_away_with_a_countdown_and_back_at_once(server):
    async with pair(server) as table:
        version = (await table.view())["version"]
        await table.o.close()
        away = (await table.x.until(crowd_of("O", present=False)))["seats"]["O"]
        assert 0 <= away["away_ms"] <= 15_000
        assert 0 < away["claimable_in_ms"] <= 30_000
        assert away["away_ms"] + away["claimable_in_ms"] == 30_000
        async with enter(server, table.id, table.ben) as again:
            assert (again.you["mark"], again.room["phase"]) == ("O", "playing")
            back = (await table.x.until(crowd_of("O", present=True)))["seats"]["O"]
            assert back == {"present": True, "away_ms": None, "claimable_in_ms": None}
            assert (await table.view())["version"] == version  # who comes and goes is no change
            assert await table.x.rejected("claim", what="win") == "forbidden"


async def test_presence_is_part_of_what_a_newcomer_is_sent(server):
    async with pair(server) as table:
        await table.o.close()
        await table.x.until(crowd_of("O", present=False))
        async with connect(server.ws_url, {"room": table.id}) as watcher:
            crowd = await watcher.until(lambda m: m["type"] == "crowd")
            assert (crowd["seats"]["X"]["present"], crowd["seats"]["O"]["present"]) == (True, False)


async def test_several_sockets_are_one_presence(server):
    async with pair(server) as table, enter(server, table.id, table.ben) as second:
        await table.o.close()
        await table.x.move("b2")
        await second.until_room(lambda room: room["game"] and len(room["game"]["moves"]) == 1)
        await second.move("a1")  # all sockets of a player are alike
        crowds = [m for m in table.x.seen if m["type"] == "crowd" and m["seats"]["O"]]
        assert all(crowd["seats"]["O"]["present"] for crowd in crowds[1:])
        async with enter(server, table.id, table.ben) as third:
            await table.x.until_room(lambda room: room["game"] and len(room["game"]["moves"]) == 2)
            await table.x.move("b3")
            for socket in (second, third):
                await socket.until_room(lambda room: room["game"] and len(room["game"]["moves"]) == 3)


async def test_a_player_is_back_while_the_old_socket_is_half_open(server):
    async with pair(server) as table:
        table.o.connection.transport.pause_reading()  # it neither reads nor closes
        async with enter(server, table.id, table.ben) as again:
            await table.x.move("b2")
            await again.until_room(lambda room: room["game"] and len(room["game"]["moves"]) == 1)
            await again.move("a1")
            table.o.connection.transport.abort()
            await table.x.until_room(lambda room: room["game"] and len(room["game"]["moves"]) == 2)
            await table.x.move("c3")
            await again.until_room(lambda room: room["game"] and len(room["game"]["moves"]) == 3)
            assert (await table.x.ask("ping"))["type"] == "pong"
            crowds = [m["seats"]["O"] for m in table.x.seen if m["type"] == "crowd"]
            assert all(place is None or place["present"] for place in crowds)


@pytest.mark.parametrize(("what", "winner"), [("win", "X"), ("draw", None)])
async def test_a_claim_after_the_grace_is_a_choice(hasty, what, winner):
    async with pair(hasty) as table:
        assert await table.x.rejected("claim", what=what) == "forbidden"
        await table.o.close()
        message = await table.x.until(lambda m: m["type"] == "room" and "claim:win" in m["you"]["can"])
        assert message["event"] == {"type": "claimable", "mark": "O"}
        assert {"claim:win", "claim:draw", "seat_engine:O"} <= set(message["you"]["can"])
        assert table.x.room["phase"] == "playing"  # nothing happens by itself
        await table.x.ok("claim", what=what)
        assert table.x.room["game"]["outcome"] == {"winner": winner, "reason": "abandoned", "cells": []}


async def test_a_claim_is_gone_when_the_absent_is_back(hasty):
    async with pair(hasty) as table:
        await table.o.close()
        await table.x.until(lambda m: m["type"] == "room" and "claim:win" in m["you"]["can"])
        version = table.x.room["version"]
        async with enter(hasty, table.id, table.ben):
            message = await table.x.until(lambda m: m["type"] == "room" and "claim:win" not in m["you"]["can"])
            assert message["version"] == version + 1  # a new version says so
            assert await table.x.rejected("claim", what="win") == "forbidden"


async def test_the_engine_holds_the_seat_until_its_player_is_back(hasty):
    async with pair(hasty) as table:
        await table.play("b2")
        await table.o.close()
        await table.x.until(lambda m: m["type"] == "room" and "seat_engine:O" in m["you"]["can"])
        await table.x.ok("seat_engine", mark="O", level="perfect")
        view = await table.x.until_room(lambda room: room["game"] and len(room["game"]["moves"]) == 2)
        ben = {"player": table.ben.player["id"], "name": "Ben"}
        assert view["seats"]["O"] == {"kind": "engine", "level": "perfect", "holding_for": ben}
        async with enter(hasty, table.id, table.ben) as o:
            assert o.you["mark"] == "O"
            assert "sit:O" in o.you["can"]
            assert "move" not in o.you["can"]
            await table.x.move(table.x.room["game"]["legal"][0])
            ply = len(
                (await o.until_room(lambda room: room["game"] and len(room["game"]["moves"]) >= 3))["game"]["moves"]
            )
            if ply == 3:
                assert await o.rejected("move", ply=3, cell="b3") in ("not_your_turn", "stale")
            await o.ok("sit", mark="O")  # without the invite, at any moment
            view = await table.x.until_room(lambda room: room["seats"]["O"]["kind"] == "human")
            assert view["seats"]["O"]["player"] == table.ben.player["id"]
            for socket in (table.x, o):
                await socket.until_room(lambda room, at=view["version"]: room["version"] >= at)
            while (view := await table.view())["phase"] == "playing":
                socket = table.x if view["game"]["turn"] == "X" else o
                await socket.until_room(lambda room, at=view["version"]: room["version"] >= at)
                await socket.move(view["game"]["legal"][0])
        record = await table.ann.get(f"/api/rooms/{table.id}/games/1")
        assert record["moves"][0]["by"] == table.ann.player["id"]
        assert record["moves"][1]["by"] == "engine:perfect"
        assert record["players"]["O"]["player"] == table.ben.player["id"]
        assert (view["score"], view["draws"]) == ([], 0)  # such a game does not count


async def test_a_wrong_token_or_invite_does_the_owner_no_harm(server):
    ann, ben = await guest(server.url), await guest(server.url)
    made = await friends_room(server, ann)
    room = made["room"]["id"]
    async with enter(server, room, ann) as x, enter(server, room, ben) as thief:
        before = await ann.get(f"/api/rooms/{room}")
        for _ in range(10):
            async with connect(server.ws_url, {"room": room, "token": "wrong"}) as socket:
                assert await socket.closed() == 4401
            assert await thief.rejected("sit", mark="O", invite="wrong") == "forbidden"
            assert await thief.rejected("sit", mark="X", invite="wrong") == "seat_taken"
        assert await ann.get(f"/api/rooms/{room}") == before
        assert (await x.ask("ping"))["type"] == "pong"
        await thief.ok("sit", mark="O", invite=made["invite"])
        await x.until_room(lambda view: view["phase"] == "playing")
        await x.move("b2")


async def test_a_resume_code_brings_the_seat_to_another_device(server):
    async with pair(server) as table:
        code = (await table.ann.post("/api/players/me/resume-code"))["code"]
        moved = await Api(server.url).post("/api/players/resume", {"code": code})
        device = Api(server.url, moved["token"], moved["player"])
        async with enter(server, table.id, device) as other:
            assert other.you["mark"] == "X"
            await other.move("b2")
            await table.x.until_room(lambda room: room["game"] and len(room["game"]["moves"]) == 1)


async def test_seat_and_game_outlive_a_restart(start_server):
    server = start_server()
    async with pair(server) as table:
        await table.play("b2", "a1")
        assert await asyncio.to_thread(server.stop) == 0
        assert await table.x.closed() == 1012
        server.start()
        async with enter(server, table.id, table.ann) as x, enter(server, table.id, table.ben) as o:
            assert (x.you["mark"], o.you["mark"]) == ("X", "O")
            assert x.room["game"]["moves"] == ["b2", "a1"]
            await x.move("c3")


async def test_a_flag_falls_with_nobody_asking(server):
    async with pair(server, clock={"mode": "move", "move_ms": 3_000}) as table:
        await table.play("b2", "a1")
        view = await table.o.until_room(lambda room: room["phase"] == "finished")
        assert view["game"]["outcome"] == {"winner": "O", "reason": "timeout", "cells": []}
        record = await table.ann.get(f"/api/rooms/{table.id}/games/1")
        assert view["clock"]["X_ms"] == 0
        late_ms = view["clock"]["at_ms"] - record["moves"][1]["at_ms"] - 3_000
        assert 0 <= late_ms < 500 + 100 + 3_000  # the last is for a busy machine


async def test_the_engine_thinks_and_its_player_comes_back(hasty):
    """Again and again, at all moments of the engine's move: every ply is made once, by one of the two."""
    async with pair(hasty, variant="4x4") as table:
        for _ in range(4):
            view = await table.x.until_room(
                lambda room: (room["game"] and room["game"]["turn"] == "X") or room["phase"] != "playing"
            )
            if view["phase"] != "playing":
                break
            await table.o.close()
            await table.x.until(lambda m: m["type"] == "room" and "seat_engine:O" in m["you"]["can"])
            await table.x.ok("seat_engine", mark="O", level="novice")
            await table.x.move(table.x.room["game"]["legal"][0])
            async with enter(hasty, table.id, table.ben) as o:
                await o.ok("sit", mark="O")
                view = o.room
                if view["phase"] == "playing" and view["game"]["turn"] == "O":
                    await o.move(view["game"]["legal"][0])
                await table.x.until(crowd_of("O", present=True))
        record = await table.ann.get(f"/api/rooms/{table.id}/games/1")
        cells = [move["cell"] for move in record["moves"]]
        assert len(cells) == len(set(cells))
        assert [move["mark"] for move in record["moves"]] == ["X", "O"] * (len(cells) // 2) + ["X"] * (len(cells) % 2)


async def test_who_plays_the_engine_may_come_and_go(server):
    ann = await guest(server.url)
    made = await engine_room(server, ann, level="novice")
    for ply in range(0, 4, 2):
        async with enter(server, made["room"]["id"], ann) as socket:
            view = await socket.until_room(
                lambda room, ply=ply: room["phase"] != "playing" or len(room["game"]["moves"]) >= ply
            )
            if view["phase"] == "playing" and view["game"]["turn"] == "X":
                await socket.move(view["game"]["legal"][0])
