"""When a connection to /ws is rejected or closed: limits, outages, a stop, and faults."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from noughts.app.delivery.hub import Hub
from noughts.app.endpoints import websocket
from noughts.app.endpoints.command_receiver import CommandReceiver
from noughts.app.node import heartbeat
from noughts.app.rooms.on_node import RoomOnNode
from noughts.app.runtime.limits import MAX_SOCKETS_OF_ADDRESS
from noughts.errors import Rejection
from noughts.store.contract import StoredPlayer, StoreUnavailableError
from noughts.store.sqlite.store import SqliteStore
from tests.support.commits import commit, new_room
from tests.support.flaky_store import FlakyStore
from tests.support.local_server import LocalServer, local_server
from tests.support.metrics import metric
from tests.support.player import WAIT_S, Api, code_after, connect, friends_room, guest
from tests.support.raw_websocket import (
    CLOSE,
    LOBBY_HELLO,
    TEXT,
    client_frame,
    handshake,
)

# --- who is turned away -------------------------------------------------------------------------------------------


async def test_one_network_has_a_limited_number_of_sockets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is for a class behind one address. A further handshake is 429."""
    assert MAX_SOCKETS_OF_ADDRESS >= 10 * 40
    monkeypatch.setattr(websocket, "MAX_SOCKETS_OF_ADDRESS", 2)
    async with local_server(tmp_path, limits=True) as server:
        async with handshake(server), handshake(server), handshake(server) as client:
            assert client.status == 429
            assert b"rate_limited" in await client.reader.read(1_000)
        async with connect(server.ws_url, {"lobby": True}) as later:
            await later.until(lambda message: message["type"] == "lobby")


async def test_one_player_has_a_limited_number_of_sockets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "MAX_SOCKETS_OF_PLAYER", 2)
    async with local_server(tmp_path, limits=True) as server:
        ann, ben = [{"lobby": True, "token": (await guest(server.url)).token} for _ in range(2)]
        async with connect(server.ws_url, ann) as first, connect(server.ws_url, ann) as second:
            for client in (first, second):
                await client.receive()
            assert await code_after(server, ann) == 4429
            async with connect(server.ws_url, ben) as other:
                assert (await other.receive())["type"] == "welcome"


class FailingStore(SqliteStore):
    """A store that can be opened and then cannot look up a token or a room."""

    async def player_by_token(self, token_hash: bytes) -> StoredPlayer | None:
        raise StoreUnavailableError("out of order")

    async def load(self, room: str) -> None:
        raise StoreUnavailableError("out of order")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FlakyStore:
    """Return a store that other nodes may use too."""
    monkeypatch.setattr(FlakyStore, "shared", True)
    return FlakyStore(tmp_path / "noughts.db")


@pytest.mark.parametrize("passes", [True, False])
async def test_a_hello_waits_while_the_node_counts_as_ready(
    tmp_path: Path, store: FlakyStore, monkeypatch: pytest.MonkeyPatch, passes: bool
) -> None:
    """An outage that passes before the node counts as not ready closes no connection. Any other closes with 1012."""
    for module in (websocket, heartbeat):
        monkeypatch.setattr(module, "LATE_S", WAIT_S)
    async with local_server(tmp_path, store) as server:
        room = (await friends_room(server, await guest(server.url)))["room"]["id"]
        store.down, before = True, store.methods.count("load")
        async with connect(server.ws_url, {"room": room}) as client:
            async with asyncio.timeout(WAIT_S):
                while store.methods.count("load") < before + 2:  # noqa: ASYNC110 - the second try shows that the hello waits
                    await asyncio.sleep(0.01)
            assert (await Api(server.url).call("GET", "/readyz"))[0] == 200
            if passes:
                store.down = False
                assert (await client.until_room(lambda view: True))["id"] == room
            else:
                monkeypatch.setattr(heartbeat, "LATE_S", 0.0)
                assert (await Api(server.url).call("GET", "/readyz"))[0] == 503
                assert await client.closed() == 1012


async def test_a_hello_is_answered_when_the_outage_is_over_already(
    tmp_path: Path, store: FlakyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store answered a beat after the read had failed, and before its failure was handled."""
    async with local_server(tmp_path, store) as server:
        room = (await friends_room(server, await guest(server.url)))["room"]["id"]
        registry, rejections = server.server.rooms.registry, [Rejection("unavailable", "Try again.", retry_ms=1_000)]
        open_room = registry.open

        async def open_or_reject(room_id: str) -> RoomOnNode:
            if rejections:
                raise rejections.pop()
            return await open_room(room_id)

        monkeypatch.setattr(registry, "open", open_or_reject)
        async with connect(server.ws_url, {"room": room}) as client:
            assert (await client.until_room(lambda view: True))["id"] == room


async def test_a_room_whose_last_client_leaves_is_opened_again(
    server: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was dropped between the read and the arrival of the next client."""
    room = (await friends_room(server, await guest(server.url)))["room"]["id"]
    registry, open_room = server.server.rooms.registry, server.server.rooms.registry.open
    dropped = [await open_room((await friends_room(server, await guest(server.url)))["room"]["id"])] * 2

    async def open_or_dropped(room_id: str) -> RoomOnNode:
        return dropped.pop() if dropped else await open_room(room_id)

    monkeypatch.setattr(registry, "open", open_or_dropped)
    async with connect(server.ws_url, {"room": room}) as client:
        assert (await client.until_room(lambda view: True))["id"] == room
        assert [message["type"] for message in client.seen].count("welcome") == 1


async def test_a_room_that_ends_as_a_client_enters_it_closes_with_4404(
    server: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = (await friends_room(server, await guest(server.url)))["room"]["id"]
    registry = server.server.rooms.registry
    dropped = [await registry.open((await friends_room(server, await guest(server.url)))["room"]["id"])]

    async def dropped_or_gone(room_id: str) -> RoomOnNode:
        if dropped:
            return dropped.pop()
        raise Rejection("unknown_room", "There is no such room.")

    monkeypatch.setattr(registry, "open", dropped_or_gone)
    async with connect(server.ws_url, {"room": room}) as client:
        assert await client.closed() == 4404


async def test_a_client_that_comes_as_the_server_stops_is_sent_away(
    server: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its handshake began while the server still listened."""
    monkeypatch.setattr(Hub, "stopping", property(lambda hub: True, lambda hub, stopping: None), raising=False)
    async with handshake(server) as client:
        assert await client.close_code() == 1012


async def test_the_metrics_count_clients_that_were_cut(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """With these bounds, a client counts as too slow before it can read anything."""
    async with asyncio.timeout(WAIT_S):
        while await metric(server, "noughts_connections"):
            pass  # those of other tests would be cut too
    monkeypatch.setattr("noughts.app.delivery.sender.FULL_BYTES", 0)
    monkeypatch.setattr("noughts.app.delivery.sender.MAX_OUTBOX", 0)
    before = await metric(server, "noughts_connections_cut_total")
    assert await code_after(server, {"lobby": True}) == 4503
    async with asyncio.timeout(WAIT_S):
        while await metric(server, "noughts_connections"):
            pass
    assert await metric(server, "noughts_connections_cut_total") == before + 1


# --- faults ---------------------------------------------------------------------------------------------------------


async def test_a_room_that_cannot_be_read_closes_with_1011(tmp_path: Path) -> None:
    """The handshake is over, so an answer of HTTP would be nonsense. It is not a fault of the server."""
    store = SqliteStore(tmp_path / "noughts.db")
    await store.open()
    await commit(store, new_room("broken", data=b"\x93no room"))
    await store.close()
    async with local_server(tmp_path) as server:
        async with connect(server.ws_url, {"room": "broken"}) as client:
            assert await client.closed() == 1011
        assert await metric(server, "noughts_faults_total") == 0


@pytest.mark.parametrize("stage", ["the hello", "a frame"])
async def test_a_fault_on_an_open_socket_closes_it_with_1011(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    """No byte of HTTP follows the handshake. The fault is counted."""

    def fail(*arguments: object) -> None:
        raise RuntimeError("a bug")

    async with local_server(tmp_path) as server:
        async with handshake(server, more=client_frame(TEXT, LOBBY_HELLO) if stage == "a frame" else b"") as client:
            if stage == "a frame":
                assert b'"type":"welcome"' in await client.until_frame(TEXT)
                await client.until_frame(TEXT)  # the lobby: frames go to the receiver from now on
                monkeypatch.setattr(CommandReceiver, "text_received", fail)
                client.writer.write(client_frame(TEXT, b"{}"))
            else:
                monkeypatch.setattr(websocket, "decode_hello", fail)
                client.writer.write(client_frame(TEXT, LOBBY_HELLO))
            assert await client.close_code() == 1011
            client.writer.write(client_frame(CLOSE, (1011).to_bytes(2, "big")))
            assert await client.reader.read() == b""
        assert await metric(server, "noughts_faults_total") == 1
