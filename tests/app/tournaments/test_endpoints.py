"""Tournaments over HTTP: who makes, finds, joins and reads them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, Message, guest
from tests.support.tournament_client import CLOCK, Cup, new_cup

pytestmark = pytest.mark.asyncio(loop_scope="module")

BODY: Final = {"name": "Cup", "mode": "arena", "variant": "classic", "clock": CLOCK}


async def code(api: Api, method: str, path: str, body: object = None) -> tuple[int, str]:
    """Return the status and the code of a request that is rejected."""
    status, answer = await api.call(method, path, body)
    return status, answer["error"]["code"]


@pytest.mark.parametrize(
    "fields",
    [
        {"name": " "}, {"name": "a" * 61}, {"name": "\u202e"}, {"mode": "swiss"}, {"variant": "go"}, {"clock": None},
        {"clock": {"mode": "days", "days": 1}}, {"games": 3}, {"minutes": 2}, {"minutes": 181}, {"entry": "some"},
        {"mode": "knockout", "minutes": 10}, {"names": ["Ann", "Bob"]}, {"entry": "names"},
        {"entry": "names", "names": ["Ann"]}, {"entry": "names", "names": ["Ann", "ann"]},
        {"entry": "names", "names": ["Ann", " "]}, {"entry": "names", "names": [f"P{n}" for n in range(513)]},
        {"mode": "round_robin", "entry": "names", "names": [f"P{n}" for n in range(41)]}, {"bots": "maybe"},
    ],
    ids=str,
)  # fmt: skip
async def test_malformed_tournaments(server: LocalServer, fields: dict[str, Any]) -> None:
    host = await guest(server.url)
    assert await code(host, "POST", "/api/tournaments", {**BODY, **fields}) == (400, "bad_message")


async def test_a_new_tournament(server: LocalServer) -> None:
    host = await guest(server.url, "Hanna")
    answer = await host.post("/api/tournaments", BODY)
    view = answer["tournament"]
    assert answer["url"] == f"{server.url}/t/{view['id']}#p={answer['pin']}"
    assert len(answer["pin"]) == 6
    assert answer["pin"].isdigit()
    assert "pin" not in view
    assert view == await Api(server.url).get(f"/api/tournaments/{view['id']}")
    expected = {
        "name": "Cup", "mode": "arena", "games": 2, "entry": "open", "names_free": None, "bots": "no", "chat": False,
        "visibility": "unlisted", "state": "open", "entrants": 0, "waiting": 0, "playing": 0, "round": 0,
        "rounds": None, "started_ms": None, "bell_ms": None, "over_ms": None, "version": 1,
        "host": {"player": host.player["id"], "name": "Hanna"}, "variant": "classic", "clock": CLOCK,
    }  # fmt: skip
    assert {key: view[key] for key in expected} == expected
    assert await code(Api(server.url), "POST", "/api/tournaments", BODY) == (401, "unauthorized")


async def test_a_list_of_512_names_fits(server: LocalServer) -> None:
    names = [f"{number:03} {'ä' * 30}" for number in range(512)]
    cup = await new_cup(server, entry="names", names=names)
    answer = await Api(server.url).post("/api/tournaments/find", {"pin": cup.pin})
    assert answer["names"] == names
    assert answer["tournament"]["names_free"] == 512
    large = {**BODY, "name": "x" * 140_000}
    assert await code(cup.host, "POST", "/api/tournaments", large) == (413, "too_large")
    assert await code(cup.host, "POST", "/api/rooms", {"variant": "x" * 20_000}) == (413, "too_large")


async def test_joining_again_gives_the_same_answer(server: LocalServer) -> None:
    cup = await new_cup(server)
    ann = await guest(server.url, "Ann")
    first = await ann.post("/api/tournaments/join", {"pin": cup.pin})
    assert first["entrant"] == 1
    assert first["url"] == f"{server.url}/t/{cup.id}"
    again = await ann.post("/api/tournaments/join", {"pin": cup.pin, "name": "Zoe"})
    assert again == first
    bob = await guest(server.url, "Ann")
    assert (await bob.post("/api/tournaments/join", {"pin": cup.pin}))["entrant"] == 2
    assert [row["name"] for row in await cup.standings()] == ["Ann", "Ann 2"]
    assert await code(Api(server.url), "POST", "/api/tournaments/join", {"pin": cup.pin}) == (401, "unauthorized")


async def test_a_name_of_the_list_is_claimed_once(server: LocalServer) -> None:
    cup = await new_cup(server, entry="names", names=["Ann", "Bob"])
    ann, bob = await guest(server.url), await guest(server.url)
    await ann.post("/api/tournaments/join", {"pin": cup.pin, "name": "Ann"})
    join = "/api/tournaments/join"
    assert await code(bob, "POST", join, {"pin": cup.pin, "name": "Ann"}) == (409, "name_taken")
    assert await code(bob, "POST", join, {"pin": cup.pin, "name": "Cat"}) == (400, "bad_message")
    assert await code(bob, "POST", join, {"pin": cup.pin}) == (400, "bad_message")
    answer = await Api(server.url).post("/api/tournaments/find", {"pin": cup.pin})
    assert answer["names"] == ["Bob"]


async def test_bots_join_where_the_host_allows_them(server: LocalServer) -> None:
    answer = await Api(server.url).post("/api/players", {"bot": True})
    bot, person = Api(server.url, answer["token"], answer["player"]), await guest(server.url)
    for bots, welcome in (("no", person), ("only", bot)):
        cup = await new_cup(server, bots=bots)
        other = bot if welcome is person else person
        assert await code(other, "POST", "/api/tournaments/join", {"pin": cup.pin}) == (403, "forbidden")
        await welcome.post("/api/tournaments/join", {"pin": cup.pin})
    assert (await cup.standings())[0]["bot"] is True


async def test_a_wrong_pin_finds_nothing(server: LocalServer) -> None:
    ann = await guest(server.url)
    for pin in ("", "12345", "1234567", "abcdef", "12345x", "-12345"):
        assert await code(ann, "POST", "/api/tournaments/join", {"pin": pin}) == (404, "unknown_tournament")
        assert await code(ann, "POST", "/api/tournaments/find", {"pin": pin}) == (404, "unknown_tournament")
    assert await code(ann, "POST", "/api/tournaments/find", {"pin": 123456}) == (400, "bad_message")
    assert await code(ann, "GET", "/api/tournaments?pin=123456") == (400, "bad_message")


async def test_after_the_end_a_join_says_so(server: LocalServer) -> None:
    cup = await new_cup(server)
    await cup.ok("stop")
    ann = await guest(server.url)
    assert await code(ann, "POST", "/api/tournaments/join", {"pin": cup.pin}) == (409, "tournament_over")


async def test_public_tournaments_are_listed_by_state(server: LocalServer) -> None:
    listed = {}
    for state in ("open", "running", "over"):
        cup = await new_cup(server, visibility="public")
        await cup.entrants(2)
        if state != "open":
            await cup.ok("start")
        if state == "over":
            await cup.ok("stop")
            async with cup.socket() as socket:
                for entrant in (1, 2):
                    await socket.ask("remove", entrant=entrant)
            await cup.until_over()
        listed[state] = cup.id
    for state, id in listed.items():
        answer = await Api(server.url).get(f"/api/tournaments?state={state}")
        ids = [view["id"] for view in answer["tournaments"]]
        assert set(ids) & set(listed.values()) == {id}
        assert {view["state"] for view in answer["tournaments"]} == {state}
    assert await code(Api(server.url), "GET", "/api/tournaments?state=new") == (400, "bad_message")


async def test_pages_of_standings_and_matches(server: LocalServer) -> None:
    cup = await new_cup(server)
    for n in range(1, 8):
        await cup.entrant(f"P{n}")
    api, path = Api(server.url), f"/api/tournaments/{cup.id}"
    page = await api.get(f"{path}/standings?from=3&count=2")
    assert [row["name"] for row in page["standings"]] == ["P3", "P4"]
    assert page["entrants"] == 7
    assert (await api.get(f"{path}/standings?from=100"))["standings"] == []
    for query in ("from=0", "count=0", "count=101", "from=x", "from=-1", "from=1e3"):
        assert await code(api, "GET", f"{path}/standings?{query}") == (400, "bad_message")
    assert await api.get(f"{path}/matches") == {"matches": [], "more": False}
    assert await code(api, "GET", f"{path}/matches?after=x") == (400, "bad_message")
    for end in ("", "/standings", "/matches", "/results.csv"):
        assert await code(api, "GET", f"/api/tournaments/nowhere{end}") == (404, "unknown_tournament")


async def test_names_are_no_formulas_in_the_table(server: LocalServer) -> None:
    cup = await new_cup(server)
    names = ["=1+1", "+1", "-1", "@x", 'A "quoted", name', "Änne", "Ann=1"]
    for name in names:
        ann = await guest(server.url)
        await ann.post("/api/tournaments/join", {"pin": cup.pin, "name": name})
    text = await Api(server.url).get(f"/api/tournaments/{cup.id}/results.csv")
    lines = text.removeprefix("\ufeff").splitlines()
    assert lines[0] == "rank,name,points,wins,draws,losses,games"
    assert lines[1:] == [
        "1,'=1+1,0,0,0,0,0", "1,'+1,0,0,0,0,0", "1,'-1,0,0,0,0,0", "1,'@x,0,0,0,0,0",
        '1,"A ""quoted"", name",0,0,0,0,0', "1,Änne,0,0,0,0,0", "1,Ann=1,0,0,0,0,0",
    ]  # fmt: skip


# --- limits and settings ----------------------------------------------------------------------------------------------


async def test_a_fourth_tournament_of_a_host_is_too_many(tmp_path: Path) -> None:
    async with local_server(tmp_path, limits=True) as limited:
        host = await guest(limited.url)
        pins = [(await host.post("/api/tournaments", BODY))["pin"] for _ in range(3)]
        assert len(set(pins)) == 3
        assert await code(host, "POST", "/api/tournaments", BODY) == (429, "too_many_tournaments")
        answers = await asyncio.gather(
            *[(await guest(limited.url)).call("POST", "/api/tournaments", BODY) for _ in range(20)]
        )
        assert sorted(status for status, _ in answers) == 17 * [201] + 3 * [429]


async def test_ten_wrong_pins_a_minute(tmp_path: Path) -> None:
    """Right ones do not count, however many come at once."""
    async with local_server(tmp_path, limits=True) as limited:
        cup = await new_cup(limited)
        api = Api(limited.url)
        answer = await asyncio.gather(*[api.call("POST", "/api/tournaments/find", {"pin": cup.pin}) for _ in range(30)])
        assert {status for status, _ in answer} == {200}
        other = "000000" if cup.pin != "000000" else "000001"
        tries = await asyncio.gather(*[api.call("POST", "/api/tournaments/find", {"pin": other}) for _ in range(15)])
        assert sorted(status for status, _ in tries) == 10 * [404] + 5 * [429]
        assert await code(cup.host, "POST", "/api/tournaments/join", {"pin": cup.pin}) == (429, "rate_limited")


async def test_a_server_without_tournaments(tmp_path: Path) -> None:
    async with local_server(tmp_path, tournaments=False) as other:
        host = await guest(other.url)
        assert await code(host, "POST", "/api/tournaments", BODY) == (403, "forbidden")
        assert await code(host, "POST", "/api/tournaments/find", {"pin": "123456"}) == (403, "forbidden")
        assert await Api(other.url).get("/api/tournaments") == {"tournaments": []}
        assert await code(host, "GET", "/api/tournaments/x") == (404, "unknown_tournament")
        assert (await Api(other.url).get("/api/variants"))["features"]["tournaments"] is False


async def test_only_programs_on_the_machine_may_host(tmp_path: Path) -> None:
    async with local_server(tmp_path, hosts="loopback") as other:
        host = await guest(other.url)
        assert (await host.call("POST", "/api/tournaments", BODY))[0] == 201
        for headers in ({"X-Forwarded-For": "203.0.113.7"}, {"Via": "1.1 proxy"}, {"Host": "games.example.org"}):
            status, answer = await host.call("POST", "/api/tournaments", BODY, headers)
            assert (status, answer["error"]["code"]) == (403, "forbidden")


async def test_where_names_are_not_free(tmp_path: Path) -> None:
    async with local_server(tmp_path, free_names=False) as other:
        host, ann = await guest(other.url), await guest(other.url)
        body = {**BODY, "entry": "names", "names": ["Ann", "Bob"]}
        assert await code(host, "POST", "/api/tournaments", body) == (403, "forbidden")
        answer: Message = await host.post("/api/tournaments", BODY)
        assert answer["tournament"]["name"] == f"Tournament of {host.player['name']}"
        cup = Cup(other, host, answer)
        await ann.post("/api/tournaments/join", {"pin": cup.pin, "name": "Rude"})
        assert [row["name"] for row in await cup.standings()] == [ann.player["name"]]
        answer = await cup.command("rename", entrant=1, name="Rude")
        assert answer["code"] == "forbidden"
