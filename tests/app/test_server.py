"""The wired server: what it does when it starts and stops, the settings that switch parts of it, and its limits."""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import suppress
from functools import partial
from ipaddress import ip_network
from pathlib import Path

import aiohttp
import pytest
import structlog
import websockets

from noughts.app.players.guests import DAY_MS
from noughts.app.runtime.limits import ROOMS
from noughts.app.search.pool import SearchPool
from noughts.protocol.close_codes import TOO_MANY, UNKNOWN_ROOM
from noughts.room.clock import MoveClock
from noughts.room.commands import Move
from noughts.store.contract import StoredPlayer
from noughts.store.sqlite.store import SqliteStore
from tests.support.local_server import local_server
from tests.support.node import ANN, Node, open_cluster
from tests.support.player import WAIT_S, Api, Message, Served, connect, enter, guest
from tests.support.responses import rejection
from tests.support.rooms import pair
from tests.support.statuses import STATUS
from tests.support.waiting import until

ANYONE = {"variant": "classic", "opponent": "anyone"}
HOUR_MS = 3_600_000


def now_ms() -> int:
    return time.time_ns() // 1_000_000


# --- start ----------------------------------------------------------------------------------------------------------


async def test_a_server_is_ready_once_it_has_started(tmp_path: Path) -> None:
    async with local_server(tmp_path) as served:
        assert await Api(served.url).get("/readyz") == {"status": "ready"}
        async with aiohttp.ClientSession() as session, session.get(served.url + "/healthz") as response:
            assert response.headers["Server"] == "Noughts"  # and no version of any library


@pytest.mark.parametrize("moved", [True, False])
async def test_an_hour_of_downtime_costs_no_player_time(tmp_path: Path, moved: bool) -> None:
    """The time from its last beat to its start is downtime. Nor is a game aborted for want of a first move."""
    async with open_cluster(tmp_path) as cluster:
        cluster.clock.ms = now_ms() - HOUR_MS
        node, clock = Node(cluster), MoveClock(60_000)
        actor = await node.timed_game(clock) if moved else await node.game(clock)
        await cluster.store.beat(STATUS, cluster.clock.ms + 10_000)
    async with local_server(tmp_path) as served:
        view = await Api(served.url).get(f"/api/rooms/{actor.id}")
        assert view["phase"] == "playing"
        async with connect(served.ws_url, {"room": actor.id}) as watcher:
            view = await watcher.until_room(lambda view: True)
            assert (view["phase"], view["clock"]["running"]) == ("playing", "X" if moved else None)


async def test_an_engine_that_was_to_move_moves_after_the_start(tmp_path: Path) -> None:
    """Nobody is connected: the deadlines of all rooms are read from the store."""
    async with open_cluster(tmp_path) as cluster:
        cluster.clock.ms = now_ms() - HOUR_MS
        actor = await Node(cluster).room(opponent="engine", engines=("novice",))
        await actor.request(ANN, Move("a", 0, "b2"))
    store = SqliteStore(tmp_path / "noughts.db")
    async with local_server(tmp_path, store), asyncio.timeout(WAIT_S):
        while (room := await store.load(actor.id)) is None or room.version < 3:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_bans_are_in_force_from_the_start(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "noughts.db")
    await store.open()
    await store.ban("127.0.0.1")
    await store.close()
    async with local_server(tmp_path) as served:
        status, answer = await Api(served.url).call("GET", "/api/rooms")
        assert (status, answer["error"]["code"]) == (403, "forbidden")


async def test_guests_who_were_not_seen_for_long_are_deleted(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "noughts.db")
    await store.open()
    for player, days in (("p_old", 31), ("p_new", 29)):
        await store.add_player(StoredPlayer(player, "Name", now_ms() - days * DAY_MS), player.encode())
    await store.close()
    store = SqliteStore(tmp_path / "noughts.db")
    with structlog.testing.capture_logs() as lines:
        async with local_server(tmp_path, store, guest_days=30):
            await until(lambda: any(line["event"] == "unseen guests deleted" for line in lines))
            assert [line["players"] for line in lines if line["event"] == "unseen guests deleted"] == [1]
            assert await store.player_count() == 1
            assert await store.player("p_new") is not None


async def test_a_server_whose_pool_does_not_start_serves_people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a fault, which the operator sees."""

    async def failing(pool: SearchPool) -> None:
        raise OSError("no process")

    monkeypatch.setattr(SearchPool, "start", failing)
    async with local_server(tmp_path) as served:
        async with pair(served) as room:
            await room.play("b2", "a1")
        _, text = await Api(served.url).call("GET", "/metrics")
        assert "noughts_faults_total 1.0" in text


# --- settings that switch parts of it -------------------------------------------------------------------------------


async def test_a_server_without_a_lobby(tmp_path: Path) -> None:
    """It has no public rooms and no quick play; friends play as ever."""
    async with local_server(tmp_path, lobby=False) as served:
        ann = await guest(served.url)
        for path, body in (("/api/rooms", ANYONE), ("/api/quickplay", {"variant": "classic"})):
            assert await rejection(ann, "POST", path, body) == (403, "forbidden")
        assert await ann.get("/api/rooms") == {"rooms": []}
        engines = {"variant": "classic", "opponent": "engines", "levels": ["novice", "novice"]}
        assert (await ann.post("/api/rooms", engines))["room"]["visibility"] == "unlisted"
        async with connect(served.ws_url, {"lobby": True}) as lobby:
            assert await lobby.closed() == UNKNOWN_ROOM
        async with pair(served) as room:
            await room.play("b2")


async def test_a_server_without_chat_and_with_random_names(tmp_path: Path) -> None:
    async with local_server(tmp_path, chat=False, free_names=False) as served:
        ann = await guest(served.url, "Rude Name")
        assert ann.player["name"] != "Rude Name"
        assert await rejection(ann, "PATCH", "/api/players/me", {"name": "Rude Name"}) == (403, "forbidden")
        assert (await Api(served.url).call("POST", "/api/players", {"name": ""}))[0] == 400
        async with pair(served) as room:
            assert "chat" not in room.x.you["can"]
            assert await room.x.rejected("chat", text="hello") == "forbidden"
            assert await room.x.rejected("react", emoji="👍") == "forbidden"


# --- limits ---------------------------------------------------------------------------------------------------------


async def _game(served: Served, ann: Api, ben: Api, answer: Message) -> None:
    room = answer["room"]["id"]
    async with enter(served, room, ann) as x, enter(served, room, ben) as o:
        await o.ok("sit", mark="O", invite=answer["invite"])
        for ply, cell in enumerate(("b2", "a1", "b1", "b3", "a2", "c2", "a3", "c1", "c3")):
            socket = (x, o)[ply % 2]
            await socket.until_room(partial(_has_ply, ply))
            await socket.move(cell)
        await o.until_room(lambda view: bool(view["phase"] == "finished"))
        await x.ok("chat", text="well played")


def _has_ply(ply: int, view: Message) -> bool:
    return bool(view["game"]) and len(view["game"]["moves"]) == ply


async def test_a_limit_says_how_long_to_wait(tmp_path: Path) -> None:
    """Of rooms, chat, messages and guests. Pings have credit of their own; malformed messages cost the connection."""
    async with local_server(tmp_path, limits=True) as served:
        ann = await guest(served.url)
        burst = int(ROOMS.rate.burst)
        body = {"variant": "classic", "opponent": "friend"}
        answers = [await ann.call("POST", "/api/rooms", body) for _ in range(burst + 2)]
        assert [status for status, _ in answers[:burst]] == [201] * burst
        status, answer = answers[-1]
        assert (status, answer["error"]["code"]) == (429, "too_many_rooms")
        assert re.search(r"wait \d\d? s\.", answer["error"]["message"])
        async with enter(served, answers[0][1]["room"]["id"], ann) as socket:
            lines = [await socket.ask("chat", text="again") for _ in range(8)]
            assert lines[0]["type"] == "ok"
            assert (lines[-1]["code"], lines[-1]["retry_ms"] > 0) == ("rate_limited", True)
            for n in range(60):
                await socket.send({"type": "stand", "id": f"s{n}"})
            assert (await socket.until(lambda message: message.get("id") == "s59"))["code"] == "rate_limited"
            assert (await socket.ask("ping"))["type"] == "pong"
            with suppress(websockets.ConnectionClosed):  # it may close before all are sent
                for n in range(80):
                    await socket.send({"type": "move", "id": f"m{n}"})
            assert await socket.closed() == TOO_MANY
        guests = [await Api(served.url).call("POST", "/api/players", {}) for _ in range(130)]
        assert guests[50][0] == 201
        assert (guests[-1][0], guests[-1][1]["error"]["code"]) == (429, "rate_limited")


async def test_a_waiting_player_may_repeat_quick_play(tmp_path: Path) -> None:
    async with local_server(tmp_path, limits=True) as served:
        ann = await guest(served.url)
        answers = [await ann.post("/api/quickplay", {"variant": "classic"}) for _ in range(int(ROOMS.rate.burst) + 5)]
        assert len({answer["room"]["id"] for answer in answers}) == 1


async def test_addresses_come_from_trusted_proxies_only(tmp_path: Path) -> None:
    """Anybody can write the header. Behind a proxy, its own entry is the last one."""

    async def rejections(served: Served, address: str) -> int:
        """Count the rejections of 130 new guests, each with an address of its own in place of ``{n}``."""
        answers = [
            await Api(served.url).call("POST", "/api/players", {}, {"X-Forwarded-For": address.format(n=n)})
            for n in range(130)
        ]
        return [status for status, _ in answers].count(429)

    async with local_server(tmp_path / "plain", limits=True) as plain:
        assert await rejections(plain, "203.0.113.{n}") > 0
    trusted = (ip_network("127.0.0.1"),)
    async with local_server(tmp_path / "behind", limits=True, trusted=trusted) as behind:
        assert await rejections(behind, "203.0.113.{n}") == 0
        assert await rejections(behind, "198.51.100.{n}, 203.0.113.250") > 0
        headers = {"X-Forwarded-For": "127.0.0.1, 203.0.113.9"}
        assert (await Api(behind.url).call("GET", "/metrics", headers=headers))[0] == 403
        ann = await guest(behind.url)
        body = {"variant": "classic", "opponent": "friend"}
        _, answer = await ann.call("POST", "/api/rooms", body, {"X-Forwarded-Proto": "https"})
        assert answer["url"].startswith("https://")
