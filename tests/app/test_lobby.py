"""The lobby, quick play, limits and the settings of an operator."""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import AsyncExitStack

import pytest

from noughts.app.runtime.config import SettingError, load
from noughts.app.runtime.limits import ROOMS
from tests.support.player import Api, connect, enter, guest
from tests.support.rooms import pair

ANYONE = {"variant": "classic", "opponent": "anyone"}


def ids(lobby, list_="open"):
    return [item["id"] for item in lobby[list_]]


async def test_the_lobby_is_pushed_whole(server):
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    async with connect(server.ws_url, {"lobby": True}) as lobby:
        first = await lobby.until(lambda m: m["type"] == "lobby")
        made = await ann.post("/api/rooms", {**ANYONE, "mark": "X"})
        room = made["room"]["id"]
        async with enter(server, room, ann) as x:
            pushed = await lobby.until(lambda m: m["type"] == "lobby" and room in ids(m))
            assert ids(pushed)[0] == room  # newest first
            assert pushed["open"][0] == {
                "id": room, "variant": "classic", "clock": None, "mark": "O", "created_ms": made["room"]["created_ms"],
                "owner": {"player": ann.player["id"], "name": "Ann"},
            }  # fmt: skip
            assert room not in ids(first)
            async with enter(server, room, ben) as o:
                await o.ok("sit", mark="O")
                pushed = await lobby.until(lambda m: m["type"] == "lobby" and room in ids(m, "live"))
                assert room not in ids(pushed)
                await x.until_room(lambda view: view["phase"] == "playing")
                await x.move("b2")
                await lobby.until(
                    lambda m: m["type"] == "lobby" and any(i["id"] == room and i["ply"] == 1 for i in m["live"])
                )
                await o.ok("resign")
                await lobby.until(lambda m: m["type"] == "lobby" and room not in ids(m, "live") + ids(m))
        assert pushed["players"] >= 2
        assert pushed["rooms"] >= 1


async def test_an_open_room_leaves_the_lobby_as_its_owner_leaves(server):
    ann = await guest(server.url)
    async with connect(server.ws_url, {"lobby": True}) as lobby:
        room = (await ann.post("/api/rooms", ANYONE))["room"]["id"]
        async with enter(server, room, ann):
            await lobby.until(lambda m: m["type"] == "lobby" and room in ids(m))
        await lobby.until(lambda m: m["type"] == "lobby" and room not in ids(m))
        assert room not in ids({"open": (await ann.get("/api/rooms?state=open"))["rooms"]})
        async with enter(server, room, ann):  # back before a minute is over, it is there again
            await lobby.until(lambda m: m["type"] == "lobby" and room in ids(m))


async def test_a_newcomer_too_is_told_once_a_second_at_most(server):
    ann = await guest(server.url, "Ann")
    for _ in range(3):  # whenever it arrives between two turns
        before_s = time.monotonic()
        async with connect(server.ws_url, {"lobby": True}) as lobby:
            await lobby.until(lambda m: m["type"] == "lobby")
            room = (await ann.post("/api/rooms", ANYONE))["room"]["id"]
            async with enter(server, room, ann):
                await lobby.until(lambda m: m["type"] == "lobby")
                assert time.monotonic() - before_s > 0.5
            await asyncio.sleep(0.3)


async def test_a_list_has_at_most_fifty(start_server):
    server = start_server()
    ann = await guest(server.url)
    made = [(await ann.post("/api/rooms", {**ANYONE}))["room"]["id"] for _ in range(55)]
    assert len((await ann.get("/api/rooms"))["rooms"]) == 50
    assert ids({"open": (await ann.get("/api/rooms"))["rooms"]}) == made[:-51:-1]


# --- games to watch -------------------------------------------------------------------------------------------------


async def public_game(server, ann, ben, stack):
    """A public game of two people, and their sockets, which the stack closes."""
    room = (await ann.post("/api/rooms", {**ANYONE, "mark": "X"}))["room"]["id"]
    x = await stack.enter_async_context(enter(server, room, ann))
    o = await stack.enter_async_context(enter(server, room, ben))
    await o.ok("sit", mark="O")
    await x.until_room(lambda view: view["phase"] == "playing")
    return room


async def live(api):
    return ids(await api.get("/api/rooms?state=live"), "rooms")


async def abandoned_game(server, ann, ben):
    """A public game that nobody has ever been in."""
    made = [await api.post("/api/quickplay", {"variant": "classic"}) for api in (ann, ben)]
    assert made[0]["room"]["id"] == made[1]["room"]["id"]
    return made[0]["room"]["id"]


async def test_a_game_is_there_to_watch_while_a_player_is_here(start_server):
    server = start_server(grace_ms=0)
    ann, ben = await guest(server.url), await guest(server.url)
    async with connect(server.ws_url, {"lobby": True}) as lobby, AsyncExitStack() as stack:
        room = await public_game(server, ann, ben, stack)
        await lobby.until(lambda m: m["type"] == "lobby" and room in ids(m, "live"))
        async with enter(server, room) as watcher:
            await stack.aclose()
            await watcher.until(lambda m: m["type"] == "crowd" and all(not p["present"] for p in m["seats"].values()))
            await lobby.until(lambda m: m["type"] == "lobby" and room not in ids(m, "live"))  # to watch whom?
            assert room not in await live(ann)
        async with enter(server, room, ben):
            await lobby.until(lambda m: m["type"] == "lobby" and room in ids(m, "live"))
            assert room in await live(ann)


async def test_a_game_left_within_the_grace_is_there_and_after_it_is_not(start_server):
    server = start_server(grace_ms=2_500)
    ann, ben = await guest(server.url), await guest(server.url)
    async with connect(server.ws_url, {"lobby": True}) as lobby, AsyncExitStack() as stack:
        room = await public_game(server, ann, ben, stack)
        await lobby.until(lambda m: m["type"] == "lobby" and room in ids(m, "live") and m["players"] == 2)
        await stack.aclose()
        pushed = await lobby.until(lambda m: m["type"] == "lobby" and m["players"] == 0)
        left = room in ids(pushed, "live")  # within the grace, unless this machine is very busy
        if left:
            pushed = await lobby.until(lambda m: m["type"] == "lobby" and room not in ids(m, "live"))
        assert room not in await live(ann)
        assert pushed["players"] == 0  # nobody did anything: the time had come
        async with enter(server, room, ann):
            await lobby.until(lambda m: m["type"] == "lobby" and room in ids(m, "live"))


async def test_a_reload_does_not_take_a_game_off_the_list(start_server):
    server = start_server(grace_ms=600_000)
    ann, ben = await guest(server.url), await guest(server.url)
    async with connect(server.ws_url, {"lobby": True}) as lobby, AsyncExitStack() as stack:
        room = await public_game(server, ann, ben, stack)
        await lobby.until(lambda m: m["type"] == "lobby" and room in ids(m, "live") and m["players"] == 2)
        await stack.aclose()
        pushed = await lobby.until(lambda m: m["type"] == "lobby" and m["players"] == 0)
        assert room in ids(pushed, "live")


async def test_after_a_restart_only_games_with_somebody_there_are_listed(start_server):
    server = start_server(grace_ms=600_000)
    ann, ben = await guest(server.url), await guest(server.url)
    engines = {"variant": "classic", "opponent": "engines", "levels": ["novice", "novice"]}
    machines = (await ann.post("/api/rooms", engines))["room"]["id"]
    async with AsyncExitStack() as stack:
        room = await public_game(server, ann, ben, stack)
        assert await live(ann) == [room, machines]
        server.kill()
    server.start()
    assert await live(ann) == [machines]  # whoever comes to watch starts them
    assert (await ann.get(f"/api/rooms/{room}"))["phase"] == "playing"
    assert await live(ann) == [machines]  # to be read is not to be played
    async with connect(server.ws_url, {"lobby": True}) as lobby:
        first = await lobby.until(lambda m: m["type"] == "lobby")
        assert ids(first, "live") == [machines]
        async with enter(server, room, ben):
            await lobby.until(lambda m: m["type"] == "lobby" and ids(m, "live") == [room, machines])


async def test_games_that_nobody_plays_do_not_hide_one_that_is_on(start_server):
    server = start_server()
    ann, ben = await guest(server.url), await guest(server.url)
    async with AsyncExitStack() as stack:
        room = await public_game(server, ann, ben, stack)
        for _ in range(51):
            await abandoned_game(server, ann, ben)
        assert await live(ann) == [room]


async def test_quick_play_seats_two_strangers_within_a_second(server):
    ann, ben = await guest(server.url), await guest(server.url)
    body = {"variant": "classic", "clock": {"mode": "fischer", "initial_ms": 77_000, "increment_ms": 0}}
    room = (await ann.post("/api/quickplay", body))["room"]["id"]
    async with enter(server, room, ann) as waiting:
        met = await ben.post("/api/quickplay", body)
        assert met["room"]["id"] == room
        view = await waiting.until_room(lambda view: view["phase"] == "playing")
        assert view["game"]["number"] == 1


async def test_fifty_ask_for_a_game_at_once_and_none_sits_twice(server):
    players = await asyncio.gather(*[guest(server.url) for _ in range(20)])
    told = await asyncio.gather(*[api.post("/api/quickplay", {"variant": "5x5"}) for api in players])
    rooms = {}
    for api, answer in zip(players, told, strict=True):
        rooms.setdefault(answer["room"]["id"], set()).add(api.player["id"])
    assert sorted(map(len, rooms.values())) == [2] * 10
    for room, seated in rooms.items():
        view = await Api(server.url).get(f"/api/rooms/{room}")
        assert {seat["player"] for seat in view["seats"].values()} == seated


async def test_whoever_waits_may_ask_for_a_game_again_and_again(start_server):
    server = start_server(limits="on")
    ann = await guest(server.url)
    asked = [await ann.post("/api/quickplay", {"variant": "classic"}) for _ in range(ROOMS.rate.burst + 5)]
    assert len({answer["room"]["id"] for answer in asked}) == 1


# --- settings -----------------------------------------------------------------------------------------------------


async def test_a_server_without_a_lobby(start_server):
    server = start_server(lobby="off")
    ann = await guest(server.url)
    status, answer = await ann.call("POST", "/api/rooms", ANYONE)
    assert (status, answer["error"]["code"]) == (403, "forbidden")
    status, answer = await ann.call("POST", "/api/quickplay", {"variant": "classic"})
    assert (status, answer["error"]["code"]) == (403, "forbidden")
    assert (await ann.get("/api/rooms")) == {"rooms": []}
    engines = {"variant": "classic", "opponent": "engines", "levels": ["novice", "novice"]}
    assert (await ann.post("/api/rooms", engines))["room"]["visibility"] == "unlisted"
    async with connect(server.ws_url, {"lobby": True}) as lobby:
        assert await lobby.closed() == 4404
    async with pair(server) as table:
        await table.play("b2")


async def test_a_server_without_chat_and_with_made_up_names(start_server):
    server = start_server(chat="off", free_names="off", typo=1)
    ann = await guest(server.url, "Rude Name")
    assert ann.player["name"] != "Rude Name"
    status, answer = await ann.call("PATCH", "/api/players/me", {"name": "Rude Name"})
    assert (status, answer["error"]["code"]) == (403, "forbidden")
    status, answer = await Api(server.url).call("POST", "/api/players", {"name": ""})
    assert status == 400
    async with pair(server) as table:
        assert "chat" not in table.x.you["can"]
        assert await table.x.rejected("chat", text="hello") == "forbidden"
        assert await table.x.rejected("react", emoji="👍") == "forbidden"
    assert "NOUGHTS_TYPO" in server.log  # warned about, never fatal


@pytest.mark.parametrize(
    "text",
    ["https://games.example.org", "http://localhost:8000/", "https://club.example.org/noughts", "http://[::1]:80", ""],
)
def test_links_may_begin_with_a_scheme_a_host_and_a_path(text):
    assert load({"public_url": text}, {})[0].public_url == text


@pytest.mark.parametrize(
    "text",
    [
        "games.example.org", "games.example.org:8000", "localhost:8000", "//games.example.org", "/noughts", "https://",
        "https:///noughts", "ftp://games.example.org", "javascript:alert(1)", "https://games.example.org?x", "https://a#b",
        "https://games example.org", " https://games.example.org", "https://games.example.org\n", "https://games:port",
        "https://:8000", "https://ann:secret@games.example.org", "http://[::1", "http://games.example.org:70000",
    ],
)  # fmt: skip
def test_what_links_cannot_begin_with_is_refused(text):
    with pytest.raises(SettingError, match=r"--public-url must be http:// or https:// and a host, .* not "):
        load({"public_url": text}, {})
    with pytest.raises(SettingError, match="NOUGHTS_PUBLIC_URL must be"):
        load({}, {"NOUGHTS_PUBLIC_URL": text})


def test_origins_are_kept_as_browsers_write_them():
    listed = (
        "https://Club.Example.org/, HTTP://localhost:3000,https://a.example:443, http://b.example:80,http://[::1]:5,"
    )
    assert load({"origins": listed}, {})[0].origins == (
        "https://club.example.org", "http://localhost:3000", "https://a.example", "http://b.example", "http://[::1]:5",
    )  # fmt: skip
    assert load({"origins": "http://c.example:443, app://d"}, {})[0].origins == ("http://c.example:443", "app://d")
    assert load({"origins": ""}, {})[0].origins == ()


@pytest.mark.parametrize(
    "text",
    ["foo", "*", "null", "club.example.org", "localhost:3000", "https://", "https://club.example.org/page", "https://é.example",
     "https://*", "https://a b", "https://a?b", "https://a:b", "https://a;https://b"],
)  # fmt: skip
def test_what_is_no_origin_is_refused(text):
    with pytest.raises(SettingError, match=r"--origins must be scheme://host or scheme://host:port, such as .* not "):
        load({"origins": f"https://club.example.org, {text}"}, {})


# --- limits -------------------------------------------------------------------------------------------------------


async def test_a_class_of_forty_fits_behind_one_address(start_server):
    server = start_server(limits="on")
    players = await asyncio.gather(*[guest(server.url, f"Pupil {n}") for n in range(40)])
    made = await asyncio.gather(
        *[api.post("/api/rooms", {"variant": "classic", "opponent": "friend", "mark": "X"}) for api in players[:20]]
    )

    async def game(ann, ben, room):
        async with enter(server, room["room"]["id"], ann) as x, enter(server, room["room"]["id"], ben) as o:
            await o.ok("sit", mark="O", invite=room["invite"])
            for ply, cell in enumerate(("b2", "a1", "b1", "b3", "a2", "c2", "a3", "c1", "c3")):
                socket = (x, o)[ply % 2]
                await socket.until_room(lambda v, ply=ply: v["game"] and len(v["game"]["moves"]) == ply)
                await socket.move(cell)
            await o.until_room(lambda view: view["phase"] == "finished")
            await x.ok("chat", text="well played")

    await asyncio.gather(*[game(*three) for three in zip(players[:20], players[20:], made, strict=True)])


async def test_limits_are_told_with_the_time_to_wait(start_server):
    server = start_server(limits="on")
    ann = await guest(server.url)
    body = {"variant": "classic", "opponent": "friend"}
    told = [await ann.call("POST", "/api/rooms", body) for _ in range(ROOMS.rate.burst + 2)]
    assert [status for status, _ in told[: ROOMS.rate.burst]] == [201] * ROOMS.rate.burst
    assert (told[-1][0], told[-1][1]["error"]["code"]) == (429, "too_many_rooms")
    assert re.fullmatch(
        r"You have made many rooms: use one of them, or wait \d\d? s\.", told[-1][1]["error"]["message"]
    )
    async with enter(server, told[0][1]["room"]["id"], ann) as socket:
        answers = [await socket.ask("chat", text="again") for _ in range(8)]
        assert answers[0]["type"] == "ok"
        assert (answers[-1]["code"], answers[-1]["retry_ms"] > 0) == ("rate_limited", True)
        for n in range(60):
            await socket.send({"type": "stand", "id": f"s{n}"})
        answer = await socket.until(lambda m: m.get("id") == "s59")
        assert answer["code"] == "rate_limited"
        assert (await socket.ask("ping"))["type"] == "pong"  # pings have credits of their own
        for n in range(80):  # malformed ones cost the same, and in the end the connection
            await socket.send({"type": "move", "id": f"m{n}"})
        assert await socket.closed() == 4429
    guests = [await Api(server.url).call("POST", "/api/players", {}) for _ in range(130)]
    assert guests[50][0] == 201
    assert (guests[-1][0], guests[-1][1]["error"]["code"]) == (429, "rate_limited")


async def test_addresses_come_from_trusted_proxies_only(start_server):
    server = start_server(limits="on")
    other = start_server(limits="on", trusted="127.0.0.1")

    async def refused(server, forwarded):
        told = [
            await Api(server.url).call("POST", "/api/players", {}, {"X-Forwarded-For": forwarded(n)})
            for n in range(130)
        ]
        return [status for status, _ in told].count(429)

    assert await refused(server, lambda n: f"203.0.113.{n}") > 0  # anybody can write that
    assert await refused(other, lambda n: f"203.0.113.{n}") == 0
    assert await refused(other, lambda n: f"198.51.100.{n}, 203.0.113.250") > 0  # the proxy's word is the last one
    status, _ = await Api(other.url).call("GET", "/metrics", headers={"X-Forwarded-For": "127.0.0.1, 203.0.113.9"})
    assert status == 403
    ann = await guest(other.url)
    _, made = await ann.call(
        "POST", "/api/rooms", {"variant": "classic", "opponent": "friend"}, {"X-Forwarded-Proto": "https"}
    )
    assert made["url"].startswith("https://")
