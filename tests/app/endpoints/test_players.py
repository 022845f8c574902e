"""Guests over HTTP: made, named, deleted, moved to another device."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from noughts.app.endpoints import players
from noughts.app.runtime.limits import RENAMES, RENAMES_ADDRESS
from noughts.store.coordination import Rate
from tests.support.flaky_store import FlakyStore
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, enter, friends_room, guest
from tests.support.responses import raw_response, rejection

JSON = {"Content-Type": "application/json"}


async def test_a_guest_is_made_with_a_name_or_without(server: LocalServer) -> None:
    anyone = Api(server.url)
    status, answer = await anyone.call("POST", "/api/players", {"name": "Ann"})
    assert status == 201
    assert answer["player"]["name"] == "Ann"
    assert answer["player"]["id"].startswith("p_")
    assert len(answer["token"]) >= 22  # 128 bits
    for body in (None, {}, {"name": None}, {"unknown": 1}):
        status, answer = await anyone.call("POST", "/api/players", body)
        assert status == 201, answer
        assert 1 <= len(answer["player"]["name"]) <= 24


async def test_a_guest_is_shown_renamed_and_deleted(server: LocalServer) -> None:
    ann = await guest(server.url, "Ann")
    assert await ann.get("/api/players/me") == {"player": ann.player}
    status, answer = await ann.call("PATCH", "/api/players/me", {"name": "  Anna\t"})
    assert (status, answer) == (200, {"player": {**ann.player, "name": "Anna"}})
    assert (await ann.get("/api/players/me"))["player"]["name"] == "Anna"
    status, answer = await ann.call("DELETE", "/api/players/me")
    assert (status, answer) == (200, {"player": {**ann.player, "name": "someone"}})
    assert await rejection(ann, "GET", "/api/players/me") == (401, "unauthorized")
    assert await rejection(ann, "DELETE", "/api/players/me") == (401, "unauthorized")


async def test_a_bot_is_a_bot_for_good(server: LocalServer) -> None:
    """Everybody sees it, also after it was renamed in a room. Nobody else is one."""
    answer = await Api(server.url).post("/api/players", {"name": "Robin", "bot": True})
    bot = Api(server.url, answer["token"], answer["player"])
    assert answer["player"]["bot"] is True
    for body in ({"bot": False}, {"bot": None}, {}):
        assert "bot" not in (await Api(server.url).post("/api/players", body))["player"]
    assert await rejection(Api(server.url), "POST", "/api/players", {"bot": 1}) == (400, "bad_message")
    room = (await friends_room(server, bot))["room"]
    assert room["seats"]["X"] == {"kind": "human", "player": bot.player["id"], "name": "Robin", "bot": True}
    async with enter(server, room["id"], bot) as socket:
        assert socket.last["welcome"]["player"] == bot.player
        status, answer = await bot.call("PATCH", "/api/players/me", {"name": "Ruby", "bot": False})
        assert (status, answer["player"]) == (200, {**bot.player, "name": "Ruby"})
        view = await socket.until_room(lambda view: view["seats"]["X"]["name"] == "Ruby")
        assert view["seats"]["X"]["bot"] is True
    code = (await bot.post("/api/players/me/resume-code"))["code"]
    assert (await Api(server.url).post("/api/players/resume", {"code": code}))["player"]["bot"] is True


@pytest.mark.parametrize("name", ["", "   ", "x" * 25, "An\u202en", "\u200d", 7, ["Ann"]], ids=ascii)
async def test_an_invalid_name_is_400(server: LocalServer, name: object) -> None:
    """The names themselves are tested with ``identity``."""
    ann = await guest(server.url, "Ann")
    assert await rejection(Api(server.url), "POST", "/api/players", {"name": name}) == (400, "bad_message")
    assert await rejection(ann, "PATCH", "/api/players/me", {"name": name}) == (400, "bad_message")
    assert (await ann.get("/api/players/me"))["player"]["name"] == "Ann"


@pytest.mark.parametrize("name", [rb"\ud800", rb"Ann\udc00", b"\xed\xa0\x80", b"\xff"])
async def test_half_a_surrogate_pair_is_no_name(server: LocalServer, name: bytes) -> None:
    status, _, answer = await raw_response(server, "POST", "/api/players", b'{"name":"%b"}' % name, JSON)
    assert status == 400
    assert b'"bad_message"' in answer


async def test_a_rename_needs_a_name(server: LocalServer) -> None:
    ann = await guest(server.url, "Ann")
    for body in (None, {}, {"name": None}):
        assert await rejection(ann, "PATCH", "/api/players/me", body) == (400, "bad_message")


# --- resume codes -------------------------------------------------------------------------------------------------


async def test_a_resume_code_gives_a_second_token(server: LocalServer) -> None:
    ann = await guest(server.url, "Ann")
    status, code = await ann.call("POST", "/api/players/me/resume-code")
    assert status == 201
    assert set(code) == {"code", "expires_ms"}
    assert len(code["code"].replace("-", "")) >= 9  # of 30 letters: more than 40 bits
    typed = " " + code["code"].lower().replace("-", " ") + " "
    status, answer = await Api(server.url).call("POST", "/api/players/resume", {"code": typed})
    assert (status, answer["player"]) == (200, ann.player)
    assert answer["token"] != ann.token
    for token in (ann.token, answer["token"]):
        assert (await Api(server.url, token).get("/api/players/me"))["player"] == ann.player


async def test_a_player_sees_and_deletes_its_tokens(server: LocalServer) -> None:
    """A deleted token is refused, and its connections close. The others stay, and so do those of other players."""
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    code = (await ann.post("/api/players/me/resume-code"))["code"]
    _, answer = await Api(server.url).call("POST", "/api/players/resume", {"code": code})
    phone = Api(server.url, answer["token"], ann.player)
    tokens = (await phone.get("/api/players/me/tokens"))["tokens"]
    assert [set(token) for token in tokens] == [{"id", "made_ms", "seen_ms", "current"}] * 2
    assert [token["current"] for token in tokens] == [False, True]
    assert str(ann.token) not in str(tokens)
    first, second = (token["id"] for token in tokens)
    assert await rejection(ben, "DELETE", f"/api/players/me/tokens/{first}") == (404, "not_found")
    room = (await friends_room(server, ann))["room"]
    async with enter(server, room["id"], ann) as lost, enter(server, room["id"], phone) as kept:
        status, answer = await phone.call("DELETE", f"/api/players/me/tokens/{first}")
        assert (status, [token["id"] for token in answer["tokens"]]) == (200, [second])
        assert await lost.closed() == 4401
        await kept.ok("chat", text="still here")
    assert await rejection(ann, "GET", "/api/players/me") == (401, "unauthorized")
    assert await rejection(phone, "DELETE", f"/api/players/me/tokens/{first}") == (404, "not_found")
    status, answer = await phone.call("DELETE", f"/api/players/me/tokens/{second}")
    assert (status, answer) == (200, {"tokens": []})
    assert await rejection(phone, "GET", "/api/players/me/tokens") == (401, "unauthorized")


async def test_resume_codes_have_few_tries_even_without_limits(tmp_path: Path) -> None:
    """After five tries even the right code is 429, until a try comes back."""
    async with local_server(tmp_path, limits=False) as server:
        ann, anyone = await guest(server.url, "Ann"), Api(server.url)
        code = (await ann.post("/api/players/me/resume-code"))["code"]
        assert (await anyone.call("POST", "/api/players/resume", {"code": code}))[0] == 200
        for wrong_code in (code, *3 * ("AAAAA-AAAAA",)):
            answer = await rejection(anyone, "POST", "/api/players/resume", {"code": wrong_code})
            assert answer == (401, "unauthorized")
        code = (await ann.post("/api/players/me/resume-code"))["code"]
        body = f'{{"code":"{code}"}}'.encode()
        status, headers, _ = await raw_response(server, "POST", "/api/players/resume", body, JSON)
        assert status == 429
        assert 1 <= int(headers["Retry-After"]) <= 60


async def test_renames_are_limited_for_each_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rename writes to every room of the player."""
    monkeypatch.setattr(players, "RENAMES", RENAMES._replace(rate=Rate(2, 0.01)))
    async with local_server(tmp_path, limits=True) as server:
        ann, ben = await guest(server.url), await guest(server.url)
        statuses = [await rename(each, name) for each, name in ((ann, "A"), (ann, "B"), (ann, "C"), (ben, "D"))]
        assert statuses == [200, 200, 429, 200]
        assert (await ann.get("/api/players/me"))["player"]["name"] == "B"


async def test_renames_are_limited_for_each_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "RENAMES_ADDRESS", RENAMES_ADDRESS._replace(rate=Rate(2, 0.01)))
    async with local_server(tmp_path, limits=True) as server:
        assert [await rename(await guest(server.url), "Ann") for _ in range(3)] == [200, 200, 429]


async def rename(api: Api, name: str) -> int:
    return (await api.call("PATCH", "/api/players/me", {"name": name}))[0]


# --- tokens -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/api/variants", "/api/rooms", "/api/analysis?variant=classic", "/r/nowhere", "/"])
async def test_other_gets_ignore_tokens(server: LocalServer, path: str) -> None:
    for headers in (None, {"Authorization": "Bearer wrong"}):
        assert (await raw_response(server, "GET", path, headers=headers))[0] in (200, 404)


# --- a player's name, wherever it is shown ------------------------------------------------------------------------


async def test_a_late_rename_of_a_deleted_player_is_undone(tmp_path: Path) -> None:
    """The request to rename was accepted before the delete, and reaches the rooms after it."""
    store = FlakyStore(tmp_path / "noughts.db")
    async with local_server(tmp_path, store) as server:
        ann = await guest(server.url, "Ann")
        room = (await friends_room(server, ann))["room"]["id"]
        may_rename = store.block("rename")
        rename = asyncio.create_task(rejection(ann, "PATCH", "/api/players/me", {"name": "Remains"}))
        while "rename" not in store.methods:  # noqa: ASYNC110 - the server runs in this loop
            await asyncio.sleep(0)
        assert (await ann.call("DELETE", "/api/players/me"))[0] == 200
        may_rename.set()
        assert await rename == (401, "unauthorized")
        assert (await Api(server.url).get(f"/api/rooms/{room}"))["seats"]["X"]["name"] == "someone"
