"""Notices of a running server, as a push service and a browser of the test's own receive them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from structlog.testing import capture_logs

from noughts.app.push import posts
from noughts.app.rooms import notices
from noughts.app.rooms.notices import topic_of
from noughts.app.runtime.limits import NOTICES_OF_PLAYER, SharedLimit
from noughts.app.runtime.push_hosts import push_host_list
from noughts.room import timers
from noughts.store.coordination import Rate
from noughts.store.sqlite.store import SqliteStore
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, enter
from tests.support.push_browser import Browser, decoded
from tests.support.push_service import CONTACT, Post, PushService, statuses
from tests.support.rooms import Pair, pair
from tests.support.waiting import until

DAYS = {"mode": "days", "days": 3}
QUIET_S = 0.1
"""How long a test waits for a post that must not come, after every notice that has begun."""


class Push:
    """A server with its push service, and Ben's browser."""

    def __init__(self, server: LocalServer, service: PushService, store: SqliteStore) -> None:
        self.server = server
        self.service = service
        self.store = store
        self.browser = Browser.new()

    async def subscribe(self, api: Api, path: str = "p/ben", zone: str = "Europe/Berlin") -> None:
        await api.post("/api/players/me/push", {**self.browser.subscription(self.service.url(path)), "zone": zone})

    def messages(self) -> list[dict[str, Any]]:
        """Return what the browser can read of all posts so far."""
        return [json.loads(self.browser.decrypt(post.body)) for post in self.service.posts]

    async def none_comes(self, so_far: int) -> None:
        await until(lambda: not self.server.server.rooms.notifier.runs)
        await asyncio.sleep(QUIET_S)
        assert len(self.service.posts) == so_far, self.messages()


@asynccontextmanager
async def running(tmp_path: Path, **settings: Any) -> AsyncIterator[Push]:
    """Serve, with a push service that the server trusts."""
    async with PushService(tmp_path) as service:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SSL_CERT_FILE", str(service.certificate))
            store = SqliteStore(tmp_path / "noughts.db")
            hosts = push_host_list(f"localhost:{service.port}")
            async with local_server(tmp_path, store, push_hosts=hosts, contact=CONTACT, **settings) as server:
                yield Push(server, service, store)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send notices of one room without a pause, and at once after a player left. Try again at once."""
    monkeypatch.setattr(notices, "NOTICES_OF_ROOM", SharedLimit("quick", Rate(1_000, 1_000), ""))
    monkeypatch.setattr(timers, "RETURN_MS", 0)
    monkeypatch.setattr(posts, "PAUSES_S", (0.01, 0.01))


@pytest.fixture
async def push(tmp_path: Path, quick: None) -> AsyncIterator[Push]:
    async with running(tmp_path) as server:
        yield server


@asynccontextmanager
async def game(push: Push, **options: Any) -> AsyncIterator[Pair]:
    """Begin a game of days in which Ben has left, and gets notices."""
    async with pair(push.server, clock=DAYS, **options) as game:
        await push.subscribe(game.ben)
        await game.o.close()
        yield game


def verified(post: Post, key: str) -> dict[str, Any]:
    """Check the server's signature of a post. Return the claims (RFC 8292)."""
    scheme, _, fields = post.headers["Authorization"].partition(" ")
    parts = dict(field.strip().split("=", 1) for field in fields.split(","))
    assert (scheme, parts["k"]) == ("vapid", key)
    signed, _, signature = parts["t"].rpartition(".")
    r, s = int.from_bytes(decoded(signature)[:32]), int.from_bytes(decoded(signature)[32:])
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(key))
    public.verify(utils.encode_dss_signature(r, s), signed.encode(), ec.ECDSA(hashes.SHA256()))
    return dict(json.loads(decoded(signed.partition(".")[2])))


async def test_a_notice_names_room_game_opponent_and_ply(push: Push) -> None:
    async with game(push) as played:
        await moves(played, "b2")
        (post,) = await push.service.wait(1)
        expected = {
            "type": "turn",
            "room": played.id,
            "game": 1,
            "variant": "classic",
            "opponent": "Ann",
            "ply": 1,
            "url": f"{push.server.url}/r/{played.id}",
        }
        assert push.messages() == [expected]
        assert 3 * 86_400 - 60 < int(post.headers["TTL"]) <= 3 * 86_400
        assert (post.headers["Topic"], len(post.headers["Topic"])) == (topic_of(played.id), 32)
        assert post.headers["Content-Encoding"] == "aes128gcm"
        claims = verified(post, (await played.ann.get("/api/push"))["key"])
        assert claims["aud"] == f"https://localhost:{push.service.port}"
        assert claims["sub"] == CONTACT
        await push.none_comes(1)


async def test_a_player_who_sees_the_page_gets_no_notice_until_it_is_hidden(push: Push) -> None:
    async with pair(push.server, clock=DAYS) as played:
        await push.subscribe(played.ben)
        await played.play("b2")
        await push.none_comes(0)
        version = (await played.view())["version"]
        assert await played.o.ask("visible", visible=False, id="v1") == {"type": "ok", "id": "v1", "version": version}
        await push.service.wait(1)
        for visible in (True, False):
            await played.o.ok("visible", visible=visible)
        await push.none_comes(1)
        await played.play("a1", "c1")
        await push.service.wait(2)
        assert [message["ply"] for message in push.messages()] == [1, 3]


async def test_the_first_turn_of_a_game_gets_a_notice(push: Push) -> None:
    async with pair(push.server, clock=DAYS) as played:
        await push.subscribe(played.ann)
        await played.x.close()
        await push.service.wait(1)
        assert push.messages()[0]["ply"] == 0


async def test_a_ply_that_comes_again_is_another_turn(push: Push) -> None:
    async with game(push) as played:
        await moves(played, "b2")
        await push.service.wait(1)
        async with enter_again(played) as ben:
            await played.x.ok("offer", what="takeback")
            await ben.ok("answer", what="takeback", accept=True)
        await moves(played, "a1")
        await push.service.wait(2)
        assert [message["ply"] for message in push.messages()] == [1, 1]
        await push.none_comes(2)


async def test_other_rooms_get_no_notices(push: Push) -> None:
    for clock in (None, {"mode": "move", "move_ms": 60_000}):
        async with pair(push.server, clock=clock) as played:
            await push.subscribe(played.ben)
            await played.o.close()
            await moves(played, "b2")
    await push.none_comes(0)


@pytest.mark.parametrize(("status", "tries"), [(429, 3), (500, 3), (307, 1), (413, 1)])
async def test_a_failure_is_noted_and_the_turn_is_settled(push: Push, status: int, tries: int) -> None:
    push.service.answers = [(status, {"Location": push.service.url("elsewhere")})] * tries
    async with game(push) as played:
        await moves(played, "b2")
        await push.service.wait(tries)
        await push.none_comes(tries)
        (row,) = await push.store.subscriptions(played.ben.player["id"])
        assert row.failing_since_ms
        assert {post.path for post in push.service.posts} == {"/p/ben"}
        async with enter_again(played) as ben:
            await ben.move("a1")
        await moves(played, "c1")
        await push.service.wait(tries + 1)
        await push.none_comes(tries + 1)
        (row,) = await push.store.subscriptions(played.ben.player["id"])
        assert not row.failing_since_ms


async def test_a_refusal_is_logged_by_service_and_status_without_the_endpoint(push: Push) -> None:
    """The log limits lines with one text."""
    push.service.answers = statuses(403, 403, 401)
    async with game(push) as played:
        await push.subscribe(played.ben, "p/ben-2")
        await push.subscribe(played.ben, "p/ben-3")
        with capture_logs() as lines:
            await moves(played, "b2")
            await push.service.wait(3)
            await push.none_comes(3)
    refusals = [line for line in lines if "refused a notice" in line["event"]]
    assert sorted(line["event"].rpartition(" ")[2] for line in refusals) == ["401", "403", "403"]
    assert len({line["event"] for line in refusals}) == 2
    assert {line["host"] for line in refusals} == {"localhost"}
    assert all(line["reason"].startswith("xxx") for line in refusals)
    assert "p/ben" not in str(lines)


async def test_a_week_of_failures_deletes(push: Push) -> None:
    push.service.answers = statuses(400)
    async with game(push) as played:
        (row,) = await push.store.subscriptions(played.ben.player["id"])
        await push.store.note_failure(row.endpoint, row.made_ms - notices.FAILING_MS - 1)
        await moves(played, "b2")
        await push.service.wait(1)
        await push.none_comes(1)
        assert await push.store.subscriptions(played.ben.player["id"]) == []


async def test_a_second_notice_of_a_room_waits_and_may_be_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timers, "RETURN_MS", 0)
    monkeypatch.setattr(notices, "NOTICES_OF_ROOM", SharedLimit("room", Rate(1, 1.0), ""))
    async with running(tmp_path) as push, game(push) as played:
        await moves(played, "b2")
        await push.service.wait(1)
        async with enter_again(played) as ben:
            await ben.move("a1")
        await moves(played, "c1")  # this turn has passed before its notice may be sent
        async with enter_again(played) as ben:
            await ben.move("a3")
        await moves(played, "c3")
        await push.service.wait(2)
        assert [message["ply"] for message in push.messages()] == [1, 5]


async def test_only_so_many_notices_go_to_a_player_on_a_day(
    tmp_path: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert NOTICES_OF_PLAYER.rate.burst == 60
    monkeypatch.setattr(notices, "NOTICES_OF_PLAYER", SharedLimit("player", Rate(2, 0.00001), ""))
    async with running(tmp_path) as push:
        async with game(push) as played:
            for turn, (mine, theirs) in enumerate([("b2", "a1"), ("c1", "a3"), ("c3", "")]):
                await moves(played, mine)
                await push.service.wait(min(2, turn + 1))
                async with enter_again(played) as ben:
                    if theirs:
                        await ben.move(theirs)
        await push.none_comes(2)


@pytest.mark.usefixtures("quick")
async def test_a_turn_that_passed_in_the_queue_gets_no_notice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posts, "AT_A_TIME", 1)
    monkeypatch.setattr(posts, "POST_S", 0.5)
    async with running(tmp_path) as push, game(push) as slow, pair(push.server, clock=DAYS) as played:
        push.service.answers_of["/p/ben"] = (0, {})
        await push.subscribe(played.ben, "p/other")
        await played.o.close()
        await moves(slow, "b2")
        await push.service.wait(1)
        await moves(played, "b2")  # its notice waits for the end of the first post
        async with enter_again(played) as ben:
            await ben.move("a1")
        await push.service.wait(3)
        await push.none_comes(3)


async def test_a_forgotten_guest_gets_no_second_try(push: Push, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posts, "POST_S", 0.5)
    push.service.silent = True
    async with game(push) as played:
        await moves(played, "b2")
        await push.service.wait(1)
        assert (await played.ben.call("DELETE", "/api/players/me"))[0] == 200
        await push.none_comes(1)


async def test_a_silent_service_delays_no_move(push: Push) -> None:
    push.service.silent = True
    async with game(push) as played:
        await moves(played, "b2")
        await push.service.wait(1)
        async with enter_again(played) as ben, asyncio.timeout(2):
            await ben.move("a1")
            await moves(played, "c1")


async def moves(played: Pair, cell: str) -> None:
    """Let Ann move as soon as it is her turn."""
    await played.x.until_room(lambda view: view["game"]["turn"] == "X")
    await played.x.move(cell)


def enter_again(played: Pair) -> Any:
    return enter(played.server, played.id, played.ben)
