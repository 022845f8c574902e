"""Subscriptions to notices over HTTP: what is accepted, every refusal, and what is stored."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from noughts.app.runtime.push_hosts import push_host_list
from noughts.store.sqlite.store import SqliteStore
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, guest
from tests.support.push_browser import Browser, decoded, encoded
from tests.support.push_service import CONTACT
from tests.support.responses import rejection

ENDPOINT = "https://fcm.googleapis.com/fcm/send/one"
PATH = "/api/players/me/push"


def subscription(endpoint: str = ENDPOINT, **changed: Any) -> dict[str, Any]:
    return {**Browser.new().subscription(endpoint), **changed}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> SqliteStore:
    return SqliteStore(tmp_path_factory.mktemp("push") / "noughts.db")


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory, store: SqliteStore) -> AsyncIterator[LocalServer]:
    """Return a server on a store of this module's own."""
    async with local_server(tmp_path_factory.mktemp("server"), store, contact=CONTACT) as running:
        yield running


async def stored(store: SqliteStore, api: Api) -> list[str]:
    """Return the endpoints that the store has for a player."""
    return [row.endpoint for row in await store.subscriptions(api.player["id"])]


async def test_the_key_is_a_point_and_stays_the_same(server: LocalServer) -> None:
    key = (await Api(server.url).get("/api/push"))["key"]
    assert (len(decoded(key)), decoded(key)[0]) == (65, 4)
    assert (await Api(server.url).get("/api/push"))["key"] == key


async def test_a_subscription_is_stored_moved_and_deleted(server: LocalServer, store: SqliteStore) -> None:
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    body = subscription(zone="Europe/Berlin")
    assert await ann.call("POST", PATH, body) == (201, {})
    (row,) = await store.subscriptions(ann.player["id"])
    assert (row.zone, row.base, row.p256dh) == ("Europe/Berlin", server.url, body["keys"]["p256dh"])
    assert await ben.call("POST", PATH, {**body, "zone": "Nowhere/At all"}) == (201, {})
    assert (await stored(store, ann), await stored(store, ben)) == ([], [ENDPOINT])
    for api in (ann, ben, ben):
        assert await api.call("DELETE", PATH, {"endpoint": ENDPOINT}) == (200, {})
    assert await stored(store, ben) == []


async def test_an_endpoint_is_deleted_as_the_browser_spells_it(server: LocalServer, store: SqliteStore) -> None:
    ann = await guest(server.url, "Ann")
    for endpoint in ("https://a.notify.windows.com/w/?token=BQ%2b%2fA%3d%3d", "HTTPS://FCM.googleapis.com:443/x#y"):
        await ann.post(PATH, subscription(endpoint))
        assert len(await stored(store, ann)) == 1
        assert await ann.call("DELETE", PATH, {"endpoint": endpoint}) == (200, {})
        assert await stored(store, ann) == []
    assert await ann.call("DELETE", PATH, {"endpoint": "https://[x"}) == (200, {})


async def test_five_subscriptions_of_a_player_stay(server: LocalServer, store: SqliteStore) -> None:
    ann = await guest(server.url, "Ann")
    for number in range(6):
        await ann.post(PATH, subscription(f"{ENDPOINT}{number}"))
    assert set(await stored(store, ann)) == {f"{ENDPOINT}{number}" for number in range(1, 6)}
    await ann.call("DELETE", "/api/players/me")
    assert await stored(store, ann) == []


KEYS: dict[str, str] = subscription()["keys"]
NO_POINT = encoded(b"\4" + bytes(64))


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"endpoint": ENDPOINT},
        {"endpoint": 7, "keys": KEYS},
        {"endpoint": ENDPOINT, "keys": KEYS, "zone": 7},
        {"endpoint": "http://fcm.googleapis.com/x", "keys": KEYS},
        {"endpoint": "https://evil.example/x", "keys": KEYS},
        {"endpoint": "https://me@fcm.googleapis.com/x", "keys": KEYS},
        {"endpoint": "https://fcm.googleapis.com/" + "x" * 2_048, "keys": KEYS},
        {"endpoint": ENDPOINT, "keys": {"p256dh": "", "auth": KEYS["auth"]}},
        {"endpoint": ENDPOINT, "keys": {"p256dh": NO_POINT, "auth": KEYS["auth"]}},
        {"endpoint": ENDPOINT, "keys": {"p256dh": KEYS["p256dh"][:-4], "auth": KEYS["auth"]}},
        {"endpoint": ENDPOINT, "keys": {"p256dh": KEYS["p256dh"], "auth": encoded(bytes(15))}},
        {"endpoint": ENDPOINT, "keys": {"p256dh": KEYS["p256dh"], "auth": "ä"}},
        {"endpoint": ENDPOINT, "keys": {"p256dh": KEYS["p256dh"], "auth": "a b+/"}},
    ],
)
async def test_other_subscriptions_are_rejected(server: LocalServer, store: SqliteStore, body: dict[str, Any]) -> None:
    ann = await guest(server.url, "Ann")
    assert await rejection(ann, "POST", PATH, body) == (400, "bad_message")
    assert await stored(store, ann) == []


async def test_keys_may_be_padded(server: LocalServer) -> None:
    ann = await guest(server.url, "Ann")
    keys = {name: base64.urlsafe_b64encode(decoded(key)).decode() for name, key in KEYS.items()}
    assert await ann.call("POST", PATH, {"endpoint": ENDPOINT, "keys": keys}) == (201, {})
    await ann.call("DELETE", PATH, {"endpoint": ENDPOINT})


async def test_only_a_listed_port_may_be_private(tmp_path: Path) -> None:
    hosts = push_host_list("localhost,localhost:8443")
    async with local_server(tmp_path, push_hosts=hosts, contact=CONTACT) as server:
        ann = await guest(server.url, "Ann")
        assert await rejection(ann, "POST", PATH, subscription("https://localhost/x")) == (400, "bad_message")
        assert await ann.call("POST", PATH, subscription("https://localhost:8443/x")) == (201, {})


async def test_where_push_is_off_the_key_is_null(tmp_path: Path) -> None:
    async with local_server(tmp_path, push=False, contact=CONTACT) as server:
        ann = await guest(server.url, "Ann")
        assert await ann.get("/api/push") == {"key": None}
        assert await rejection(ann, "POST", PATH, subscription()) == (403, "forbidden")
        assert await rejection(ann, "DELETE", PATH, {"endpoint": ENDPOINT}) == (403, "forbidden")
        assert await rejection(Api(server.url), "POST", PATH, subscription()) == (401, "unauthorized")


async def test_a_player_subscribes_a_few_times_a_minute(tmp_path: Path) -> None:
    async with local_server(tmp_path, limits=True, contact=CONTACT) as server:
        ann = await guest(server.url, "Ann")
        answers = [(await ann.call("POST", PATH, subscription()))[0] for _ in range(12)]
        assert answers == [201] * 10 + [429] * 2


async def test_each_page_may_send_what_is_stored(tmp_path: Path) -> None:
    """It uses no credit, which new subscriptions need. A restored server that has lost it stores it again."""
    async with local_server(tmp_path, limits=True, contact=CONTACT) as server:
        ann, body = await guest(server.url, "Ann"), subscription()
        assert [(await ann.call("POST", PATH, body))[0] for _ in range(12)] == [201] * 12
        assert [(await ann.call("POST", PATH, subscription()))[0] for _ in range(9)] == [201] * 9
        assert (await ann.call("POST", PATH, subscription()))[0] == 429
