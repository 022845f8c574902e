"""Admin commands over HTTP: only with the secret, rooms listed and closed, addresses banned."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest_asyncio
from structlog.testing import capture_logs

from noughts.store.sqlite.store import SqliteStore
from tests.support.commits import commit, new_room
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, Message, connect, guest
from tests.support.responses import rejection
from tests.support.rooms import pair
from tests.support.tournament_client import new_cup


class Administered(NamedTuple):
    """A server, and its operator."""

    server: LocalServer
    operator: Api


@pytest_asyncio.fixture(loop_scope="session")
async def administered(tmp_path: Path) -> AsyncIterator[Administered]:
    """Return a server that has left its secret in the data directory."""
    async with local_server(tmp_path) as server:
        yield Administered(server, server.operator())
        server.server.admin_secret.remove()


# --- rooms --------------------------------------------------------------------------------------------------------


def without_time(answer: Message) -> Message:
    """Return an answer without the server's time, from which a page counts the others."""
    assert abs(answer.pop("now_ms") - time.time() * 1000) < 60_000
    return answer


async def test_rooms_are_listed_newest_first(administered: Administered) -> None:
    server, operator = administered
    assert without_time(await operator.get("/admin/rooms")) == {"rooms": [], "total": 0}
    async with pair(server) as game:
        await game.play("b2")
        engines = {"variant": "4x4", "opponent": "engines", "levels": ["novice", "casual"]}
        newer = (await game.ann.post("/api/rooms", engines))["room"]["id"]
        listed = await operator.get("/admin/rooms")
    assert listed["total"] == 2
    rows = {row["id"]: row for row in listed["rooms"]}
    assert [row["id"] for row in listed["rooms"]] == [newer, game.id]
    row = rows[game.id]
    assert (row["variant"], row["phase"], row["visibility"], row["ply"]) == ("classic", "playing", "unlisted", 1)
    assert (row["players"], row["connections"]) == (["Ann", "Ben"], 2)
    assert rows[newer]["players"] == ["engine:novice", "engine:casual"]
    assert rows[newer]["connections"] == 0
    assert row["game"] is None
    (short,) = (await operator.get("/admin/rooms?newest=1"))["rooms"]
    assert (short["id"], short["game"]["variant"]) == (newer, "4x4")
    answer = await operator.get(f"/admin/rooms?id={game.id}")
    assert ([row["id"] for row in answer["rooms"]], answer["total"]) == ([game.id], 1)
    assert answer["rooms"][0]["game"]["moves"] == ["b2"]
    assert without_time(await operator.get("/admin/rooms?id=nosuch")) == {"rooms": [], "total": 0}
    for number in ("0", "101", "-1", "x", "", "1" * 5_000, "\u0663"):
        assert await rejection(operator, "GET", f"/admin/rooms?newest={number}") == (400, "bad_message")


async def test_an_unreadable_room_is_listed_and_closed(tmp_path: Path) -> None:
    """So the operator can find it and remove it. The lobby and quick play go on without it."""
    store = SqliteStore(tmp_path / "noughts.db")
    await store.open()
    await commit(store, new_room("broken", data=b"\x00nonsense"))
    await store.close()
    async with local_server(tmp_path) as server:
        operator = server.operator()
        (row,) = (await operator.get("/admin/rooms"))["rooms"]
        assert (row["id"], row["phase"]) == ("broken", "unreadable")
        assert (await operator.get("/admin/rooms?id=broken"))["rooms"] == [row]
        ann = await guest(server.url)
        assert (await ann.get("/api/rooms"))["rooms"] == []
        await ann.post("/api/quickplay", {"variant": "classic"})
        assert (await ann.call("GET", "/api/rooms/broken"))[0] == 503
        assert await operator.post("/admin/rooms/broken/close") == {"closed": "broken"}
        assert (await operator.get("/admin/rooms"))["total"] == 1
        assert (await operator.call("POST", "/admin/rooms/broken/close"))[0] == 404


async def test_a_tournament_is_listed_until_it_is_over_or_deleted(administered: Administered) -> None:
    """The operator sees an unlisted one too."""
    server, operator = administered
    cup = await new_cup(server, visibility="unlisted")
    (row,) = (await operator.get("/admin/tournaments"))["tournaments"]
    assert abs(row.pop("used_ms") - time.time() * 1000) < 60_000
    about = {"name": "Cup", "mode": "arena", "variant": "classic", "state": "open", "entrants": 0, "host": "Hanna"}
    assert row == {"id": cup.id, **about}
    assert await operator.post(f"/admin/rooms/{cup.id}/close") == {"closed": cup.id}
    assert await operator.get("/admin/tournaments") == {"tournaments": []}
    over = await new_cup(server)
    await over.ok("stop")
    assert await operator.get("/admin/tournaments") == {"tournaments": []}


# --- bans ---------------------------------------------------------------------------------------------------------


async def test_what_is_no_address_is_400(administered: Administered) -> None:
    for address in ("everybody", "", "10.0.0.0/8", "127.0.0.1:80", "é", "p_\x1b", "p_" + 40 * "x", 7):
        for banned in (True, False):
            body = {"address": address, "banned": banned}
            assert await rejection(administered.operator, "POST", "/admin/bans", body) == (400, "bad_message"), address


# --- players ------------------------------------------------------------------------------------------------------


async def test_a_banned_player_is_sent_away(administered: Administered) -> None:
    server, operator = administered
    async with pair(server) as game:
        ann = game.ann.player["id"]
        assert await operator.post("/admin/bans", {"address": ann}) == {"banned": [ann]}
        assert await game.x.closed() == 1008
        assert await rejection(game.ann, "GET", "/api/players/me") == (403, "forbidden")
        async with connect(server.ws_url, {"lobby": True, "token": game.ann.token}) as client:
            assert await client.closed() == 1008
        await game.ben.get("/api/players/me")
        assert await operator.post("/admin/bans", {"address": ann, "banned": False}) == {"banned": []}
        await game.ann.get("/api/players/me")


async def test_only_a_player_who_exists_is_banned(administered: Administered) -> None:
    """An id with a slip is no ban. The ban of a player who is deleted later is lifted all the same."""
    server, operator = administered
    ann = await guest(server.url)
    id = ann.player["id"]
    assert await rejection(operator, "POST", "/admin/bans", {"address": id[:-1]}) == (404, "not_found")
    await operator.post("/admin/bans", {"address": id})
    await operator.post(f"/admin/players/{id}/forget")
    assert await operator.post("/admin/bans", {"address": id, "banned": False}) == {"banned": []}


async def test_a_rename_by_the_operator_is_for_every_player(tmp_path: Path) -> None:
    """The server's rules about names bind players, not the operator."""
    async with local_server(tmp_path, free_names=False) as server:
        operator = server.operator()
        ann = await guest(server.url)
        path = f"/admin/players/{ann.player['id']}/rename"
        assert (await operator.post(path, {"name": " Ann "}))["name"] == "Ann"
        assert (await ann.get("/api/players/me"))["player"]["name"] == "Ann"
        assert await rejection(operator, "POST", path, {"name": "\u202e"}) == (400, "bad_message")


# --- the audit log ------------------------------------------------------------------------------------------------


async def test_commands_rooms_and_games_are_logged(administered: Administered) -> None:
    server, operator = administered
    with capture_logs() as lines:
        async with pair(server) as game:
            await game.x.ok("resign")
            await operator.get("/admin/rooms")
            await operator.get(f"/admin/rooms/{game.id}/chat")
            await operator.post(f"/admin/rooms/{game.id}/close")
            assert await game.x.closed() == 4410
        await operator.post("/admin/bans", {"address": "203.0.113.9"})
    texts = [(line["event"], line.get("command"), line.get("on", line.get("id", line.get("room")))) for line in lines]
    assert texts == [
        ("room made", None, game.id[:8]),
        ("game ended", None, game.id[:8]),
        ("admin command", "list rooms", None),
        ("admin command", "read chat", game.id[:8]),
        ("room closed", None, game.id[:8]),
        ("admin command", "close room", game.id[:8]),
        ("admin command", "ban", "203.0.113.9"),
    ]
    assert {line["door"] for line in lines if "door" in line} == {"command line"}
    assert {line["log_level"] for line in lines} == {"info"}
