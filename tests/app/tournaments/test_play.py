"""Tournaments through real sockets: what entrants, hosts and spectators are sent and may do, from the start to the end."""

from __future__ import annotations

import asyncio
import json
import time
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from noughts.protocol import asyncapi
from tests.support.documents import validator
from tests.support.local_server import LocalServer, local_server
from tests.support.player import WAIT_S, Api, Message, code_after, connect, enter, friends_room, guest
from tests.support.tournament_client import begun_cup, check_results, new_cup, playing, until_tournament

pytestmark = pytest.mark.asyncio(loop_scope="module")

MAX_MESSAGE = 5 * 1024


@pytest.mark.parametrize(("mode", "games"), [("arena", 2), ("round_robin", 1), ("knockout", 2)])
async def test_a_tournament_is_played_to_its_end(server: LocalServer, mode: str, games: int) -> None:
    cup = await new_cup(server, mode, games=games)
    entrants = await cup.entrants(5)
    async with playing(entrants):
        await cup.ok("start")
        if mode == "arena":
            await cup.until_matches(8)
            await cup.ok("stop")
        await cup.until_over()
    standings, matches = await cup.standings(), await cup.matches()
    check_results(standings, matches)
    if mode == "arena":
        assert len(matches) >= 6
        met = [frozenset(side["entrant"] for side in match["entrants"]) for match in matches]
        assert len(set(met)) > 3
    elif mode == "round_robin":
        assert len(matches) == 10
    else:
        assert len(matches) == 7
        assert [row["rank"] for row in standings].count(1) == 1
    for match in matches:
        if match["room"] is not None:
            record = await Api(server.url).get(f"/api/rooms/{match['room']}/games/1")
            names = [record["players"][mark]["name"] for mark in "XO"]
            assert names == [side["name"] for side in match["entrants"]]


async def test_games_answer_from_the_records_when_the_room_is_gone(tmp_path: Path) -> None:
    async with local_server(tmp_path) as first:
        with capture_logs() as lines:
            cup = await new_cup(first, "knockout")
            entrants = await cup.entrants(2)
            async with playing(entrants):
                await cup.ok("start")
                await cup.until_over()
        assert [
            (line["event"], line.get("entrants"), line.get("matches")) for line in lines if cup.id[:8] in line.values()
        ] == [
            ("tournament made", None, None),
            ("tournament started", 2, None),
            ("tournament ended", 2, 1),
        ]
        room = (await cup.matches())[0]["room"]
        api = Api(first.url)
        before = [await api.get(f"/api/rooms/{room}/games/{number}") for number in (1, 2)]
        view = await api.get(f"/api/rooms/{room}")
        await first.server.rooms.registry.remove(room)
    async with local_server(tmp_path) as second:
        await check_records(Api(second.url), room, before, view)
        deleted = Api(second.url, entrants[0].api.token)
        await deleted.call("DELETE", "/api/players/me")
        names = {seat["name"] for seat in (await deleted.get(f"/api/rooms/{room}"))["seats"].values()}
        assert "someone" in names


async def check_records(api: Api, room: str, before: list[Message], view: Message) -> None:
    """Check that a room that is gone answers as before."""
    assert [await api.get(f"/api/rooms/{room}/games/{number}") for number in (1, 2)] == before
    assert (await api.call("GET", f"/api/rooms/{room}/games/3"))[0] == 404
    after = await api.get(f"/api/rooms/{room}")
    assert after["phase"] == "closed"
    assert {key: after[key] for key in ("id", "game", "seats", "tournament")} == {
        key: view[key] for key in ("id", "game", "seats", "tournament")
    }
    for place in (1, len(room) - 1):
        letter = "x" if room[place] != "x" else "y"
        assert (await api.call("GET", f"/api/rooms/{room[:place]}{letter}{room[place + 1 :]}"))[0] == 404


async def test_a_pairing_comes_within_a_second(server: LocalServer) -> None:
    cup = await begun_cup(server)
    one, two = await cup.entrant("Cat"), await cup.entrant("Dan")
    async with cup.socket(one.api) as socket, cup.socket(two.api):
        began_s = time.monotonic()
        message = await until_tournament(socket, lambda message: message["you"]["match"] is not None)
        assert time.monotonic() - began_s < 1.0
        match = message["you"]["match"]
        assert match["opponent"] == {"entrant": two.number, "name": "Dan"}
        assert match["move_by_ms"] > message["tournament"]["started_ms"]
        assert message["you"]["row"]["state"] == "playing"
        async with enter(server, match["room"], one.api) as room:
            assert room.you["mark"] == match["mark"]


async def test_messages_are_small_and_fit_the_document(server: LocalServer) -> None:
    valid = validator(asyncapi.described(8_192), "TournamentMessage", "Boards")
    cup = await new_cup(server)
    api = None
    for number in range(30):
        api = (await cup.entrant(f"{number:02}", name=f"{number:02}" + "\U0001f600" * 58)).api
    async with cup.socket(api) as socket, cup.socket() as host, cup.socket(Api(server.url)) as spectator:
        for client in (socket, host, spectator):
            message = client.last["tournament"]
            assert len(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()) <= MAX_MESSAGE
            assert valid.is_valid(message)
            assert 5 <= len(message["top"]) <= 20
        assert socket.last["tournament"]["pin"] == host.last["tournament"]["pin"] == cup.pin
        assert "pin" not in spectator.last["tournament"]
        assert "marked" not in spectator.last["tournament"]["you"]
        assert socket.last["tournament"]["you"]["can"] == ["leave", "pause", "watch"]
        assert host.last["tournament"]["you"]["can"] == ["start", "stop", "remove", "free", "rename", "watch"]
        assert spectator.last["tournament"]["you"] == {
            "entrant": None, "host": False, "can": ["watch"], "row": None, "match": None,
        }  # fmt: skip
        assert 1 <= len(socket.last["tournament"]["around"]) <= 5


async def test_a_change_is_sent_at_most_once_a_second(server: LocalServer) -> None:
    cup = await new_cup(server)
    async with cup.socket(Api(server.url)) as spectator:
        times = [time.monotonic()]
        for number in range(20):
            await cup.entrant(f"P{number}")
        while spectator.last["tournament"]["tournament"]["entrants"] < 20:
            await spectator.until(lambda message: message["type"] == "tournament")
            times.append(time.monotonic())
        assert all(after - before > 0.9 for before, after in pairwise(times))


async def test_the_leaders_boards(server: LocalServer) -> None:
    valid = validator(asyncapi.described(8_192), "Boards")
    cup = await new_cup(server)
    entrants = await cup.entrants(6)
    for entrant in entrants:
        entrant.pause_s = 0.1
    async with playing(entrants), cup.socket(Api(server.url)) as spectator:
        await cup.ok("start")
        answer = await spectator.ask("watch", boards=2)
        assert answer["type"] == "ok"
        boards = (await spectator.until(lambda m: m["type"] == "boards" and len(m["boards"]) == 2))["boards"]
        assert valid.is_valid({"type": "boards", "boards": boards})
        board = boards[0]
        match = next(match for match in await cup.matches() if match["n"] == board["match"])
        assert board["room"] == match["room"]
        assert {side["entrant"] for side in board["entrants"].values()} == {
            side["entrant"] for side in match["entrants"]
        }
        await spectator.until(lambda m: m["type"] == "boards" and any(board["marks"] for board in m["boards"]))
        answer = await spectator.ask("watch", boards=17)
        assert answer["code"] == "bad_message"
        await spectator.ask("watch", boards=0)


async def test_the_last_position_of_each_game_is_among_the_boards(server: LocalServer) -> None:
    """The second game begins at once, and a match that is over leaves its tournament: its board stays for a moment."""
    cup = await new_cup(server, "knockout")
    entrants = await cup.entrants(2)
    for entrant in entrants:
        entrant.choose, entrant.pause_s = (lambda legal: legal[0]), 0.3  # X wins with the seventh mark
    ends: set[tuple[int, int]] = set()
    async with asyncio.timeout(WAIT_S), playing(entrants), cup.socket(Api(server.url)) as wall:
        await wall.ask("watch", boards=16)
        await cup.ok("start")
        boards: list[Message] = []
        while boards or len(ends) < 2:
            message = await wall.until(lambda message: message["type"] == "boards")
            boards = message["boards"]
            ends |= {(board["number"], len(board["marks"])) for board in boards if board["outcome"]}
    assert ends == {(1, 7), (2, 7)}


async def test_commands_are_judged(server: LocalServer) -> None:
    cup = await begun_cup(server, 3)
    ann = await guest(server.url, "Ann")
    async with cup.socket(ann) as other, cup.socket(Api(server.url)) as nameless, cup.socket() as host:
        for kind in ("leave", "pause", "resume"):
            assert await other.rejected(kind) == "not_seated"
        fields: dict[str, Message] = {
            "extend": {"minutes": 5},
            "remove": {"entrant": 1},
            "rename": {"entrant": 1, "name": "x"},
        }
        for kind in ("start", "stop", "extend", "remove", "rename"):
            assert await other.rejected(kind, **fields.get(kind, {})) == "forbidden"
            assert await nameless.rejected(kind, **fields.get(kind, {})) == "unauthorized"
        for kind in ("move", "sit", "chat", "close", "set", "dance"):
            assert await host.rejected(kind) == "unknown_command"
        assert await host.rejected("extend", minutes=0) == "bad_message"
        assert await host.rejected("extend", minutes=181) == "bad_message"
        assert await host.rejected("remove", entrant=99) == "bad_message"
        assert await host.rejected("rename", entrant=1, name="\u202e") == "bad_message"
        assert await host.rejected("annul", match=99) == "bad_message"
        assert await host.rejected("free", mark="X") == "bad_message"
        assert (await host.ask("ping"))["type"] == "pong"
    room = await friends_room(server, ann)
    async with enter(server, room["room"]["id"], ann) as socket, connect(server.ws_url, {"lobby": True}) as lobby:
        for kind in ("start", "leave", "watch"):
            assert await socket.rejected(kind) == "unknown_command"
            assert await lobby.rejected(kind) == "unknown_command"


async def test_removed_entrants_do_not_come_back(server: LocalServer) -> None:
    cup = await new_cup(server, entry="names", names=["Ann", "Bob", "Cat"])
    ann, bob = await cup.entrant(name="Ann"), await cup.entrant(name="Bob")
    await cup.ok("remove", entrant=ann.number)
    status, answer = await ann.api.call("POST", "/api/tournaments/join", {"pin": cup.pin, "name": "Cat"})
    assert (status, answer["error"]["code"]) == (403, "forbidden")
    await cup.ok("free", entrant=bob.number)
    dan = await cup.entrant(name="Bob")
    assert dan.number == 3
    async with cup.socket(ann.api) as socket:
        assert "pin" not in socket.last["tournament"]


async def test_an_unknown_tournament_closes_with_4404(server: LocalServer, tmp_path: Path) -> None:
    assert await code_after(server, {"tournament": "nowhere"}) == 4404
    assert await code_after(server, {"tournament": "nowhere", "room": "x"}) == 1008
    assert await code_after(server, {"tournament": 1}) == 1008
    assert await code_after(server, {"tournament": "nowhere", "token": "x"}) == 4401
    async with local_server(tmp_path, tournaments=False) as other:
        assert await code_after(other, {"tournament": "nowhere"}) == 4404


async def test_the_operator_recounts_and_closes(tmp_path: Path) -> None:
    async with local_server(tmp_path) as opened:
        cup = await new_cup(opened, "round_robin", games=1)
        entrants = await cup.entrants(3)
        async with playing(entrants):
            await cup.ok("start")
            await cup.until_over()
        standings = await cup.standings()
        registry = opened.server.tournaments.registry
        actor = await registry.open(cup.id)
        spoilt = tuple([replace(entrant, points=99) for entrant in actor.value.entrants])
        actor.value = replace(actor.value, entrants=spoilt)
        operator = opened.operator()
        recount = f"/admin/tournaments/{cup.id}/recount"
        assert await operator.post(recount) == {"matches": 3, "changed": True}
        assert await cup.standings() == standings
        assert await operator.post(recount) == {"matches": 3, "changed": False}
        assert (await Api(opened.url).call("POST", recount))[0] == 404
        assert (await operator.call("POST", "/admin/tournaments/nowhere/recount"))[0] == 404
        assert await operator.post(f"/admin/rooms/{cup.id}/close") == {"closed": cup.id}
        assert (await Api(opened.url).call("GET", f"/api/tournaments/{cup.id}"))[0] == 404
        assert (await operator.call("POST", f"/admin/rooms/{cup.id}/close"))[0] == 404


async def test_a_class_of_thirty_behind_one_address(tmp_path: Path) -> None:
    """With the default limits, everybody joins at once and plays, each over two connections."""
    async with local_server(tmp_path, limits=True) as limited:
        cup = await new_cup(limited, "arena", games=1)
        entrants = await asyncio.gather(*[cup.entrant(f"Pupil {number}") for number in range(30)])
        for entrant in entrants:
            entrant.pause_s = 2.0
        async with playing(entrants), cup.socket(Api(limited.url)) as wall:
            assert (await wall.ask("watch", boards=16))["type"] == "ok"
            await cup.ok("start")
            await wall.until(lambda message: message["type"] == "boards" and len(message["boards"]) == 15)
            for entrant in entrants:
                entrant.pause_s = 0.0
            await cup.until_matches(31)
            await cup.ok("stop")
            await cup.until_over()
        standings, matches = await cup.standings(), await cup.matches()
        check_results(standings, matches)
        assert len(matches) > 30
        assert min(row["games"] for row in standings) >= 1
