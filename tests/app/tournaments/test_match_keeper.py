"""The rooms of matches: their seats, what leaving, erasure and annulment do to them, and that they count in no quota."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, enter, friends_room
from tests.support.tournament_client import begun_cup, check_results, new_cup, playing, until_tournament

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_the_seats_of_a_match_are_fixed(server: LocalServer) -> None:
    cup = await new_cup(server)
    one, two = await cup.entrant("Ann"), await cup.entrant("Bob")
    await cup.ok("start")
    async with cup.socket(one.api) as socket:
        match = (await until_tournament(socket, lambda message: message["you"]["match"] is not None))["you"]["match"]
    room = match["room"]
    fixed: dict[str, dict[str, object]] = {
        "sit": {"mark": "X"}, "stand": {}, "free": {"mark": "O"}, "set": {"visibility": "public"}, "close": {},
        "seat_engine": {"mark": "O", "level": "novice"}, "offer": {"what": "takeback"}, "chat": {"text": "hello"},
    }  # fmt: skip
    async with (
        enter(server, room, one.api) as ann,
        enter(server, room, two.api) as bob,
        enter(server, room, cup.host) as host,
    ):
        assert ann.room["tournament"] == {"id": cup.id, "match": match["n"], "games": 2}
        assert ann.room["owner"] == cup.host.player["id"]
        for kind, fields in fixed.items():
            for player in (ann, bob):
                assert await player.rejected(kind, **fields) == "forbidden", kind
        for kind in ("free", "set", "close"):
            assert await host.rejected(kind, **fixed[kind]) == "forbidden"
        for socket in (ann, bob, host):
            assert {each.partition(":")[0] for each in socket.you["can"]} <= {"move", "resign", "offer", "react"}
            assert "offer:takeback" not in socket.you["can"]
        loser = ann if ann.you["mark"] == "X" else bob
        await loser.ok("resign")
        view = await ann.until_room(lambda view: view["game"]["number"] == 2)
        assert view["phase"] == "playing"
        assert await ann.rejected("offer", what="rematch") == "forbidden"
        x = ann if ann.you["mark"] == "X" else bob
        assert x is not loser
    assert room not in [each["id"] for each in (await Api(server.url).get("/api/rooms?state=live"))["rooms"]]


async def test_leaving_resigns_the_game_that_is_on(server: LocalServer) -> None:
    cup = await new_cup(server, "round_robin")
    one, two = await cup.entrant("Ann"), await cup.entrant("Bob")
    await cup.ok("start")
    async with cup.socket(one.api) as socket:
        match = (await until_tournament(socket, lambda message: message["you"]["match"] is not None))["you"]["match"]
        async with enter(server, match["room"], two.api) as room:
            assert (await socket.ask("leave"))["type"] == "ok"
            view = await room.until_room(lambda view: view["phase"] == "finished")
            assert view["game"]["outcome"]["reason"] == "resignation"
    await cup.until_over()
    (played,) = await cup.matches()
    assert played["state"] == "forfeited"
    assert sorted(played["points"]) == [0, 4]
    assert {row["name"]: row["points"] for row in await cup.standings()} == {"Bob": 4, "Ann": 0}


async def test_a_deleted_entrant_resigns_and_is_someone_everywhere(server: LocalServer) -> None:
    cup = await new_cup(server)
    one, two = await cup.entrant("Ann"), await cup.entrant("Bob")
    await cup.ok("start")
    async with cup.socket(two.api) as socket:
        match = (await until_tournament(socket, lambda message: message["you"]["match"] is not None))["you"]["match"]
        async with enter(server, match["room"], two.api) as room:
            await one.api.call("DELETE", "/api/players/me")
            view = await room.until_room(lambda view: view["phase"] == "finished" and "someone" in str(view["seats"]))
            assert {seat["name"] for seat in view["seats"].values()} == {"someone", "Bob"}


@pytest.mark.parametrize("by", ["host", "operator"])
async def test_an_annulled_match_closes_its_room_and_is_played_again(tmp_path: Path, by: str) -> None:
    """The host annuls the match, or the operator closes its room."""
    async with local_server(tmp_path) as served:
        cup = await begun_cup(served, mode="knockout")
        (match,) = await cup.matches()
        async with enter(served, match["room"]) as spectator:
            if by == "host":
                await cup.ok("annul", match=match["n"])
            else:
                await served.operator().post(f"/admin/rooms/{match['room']}/close")
            assert (await spectator.until_room(lambda view: view["phase"] == "closed"))["game"]["outcome"] is None
            assert await spectator.closed() == 4410
        await cup.until_matches(2)
        old, new = matches = await cup.matches()
        assert (old["state"], new["state"]) == ("annulled", "playing")
        assert old["room"] != new["room"]
        async with enter(served, new["room"]) as spectator:
            assert spectator.room["phase"] == "playing"
        check_results(await cup.standings(), matches)


async def test_a_deleted_tournament_closes_the_rooms_of_its_matches(tmp_path: Path) -> None:
    async with local_server(tmp_path) as served:
        cup = await begun_cup(served, mode="knockout")
        (match,) = await cup.matches()
        async with enter(served, match["room"]) as spectator:
            await served.operator().post(f"/admin/rooms/{cup.id}/close")
            assert await spectator.closed() == 4410


async def test_rooms_of_matches_count_in_no_quota(tmp_path: Path) -> None:
    """The host owns the room of every match, and may still make as many rooms as before."""
    async with local_server(tmp_path, limits=True) as limited:
        cup = await new_cup(limited)
        entrants = await cup.entrants(4)
        async with playing(entrants):
            await cup.ok("start")
            await cup.until_matches(5)
            for _ in range(5):
                await friends_room(limited, entrants[0].api)
            await cup.ok("stop")
            await cup.until_over()
        assert len(await cup.matches()) > 4
        store = limited.server.rooms.registry
        assert sum(actor.room.match is not None for actor in store) == len(await cup.matches())
