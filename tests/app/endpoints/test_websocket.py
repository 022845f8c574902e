"""``GET /ws`` up to the welcome: which pages may connect, the handshake, the hello, and who is turned away."""

from __future__ import annotations

import asyncio
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
import websockets

from noughts.app.endpoints import websocket
from noughts.app.endpoints.command_receiver import CommandReceiver
from noughts.app.rooms import heartbeat
from noughts.app.runtime.clock import ServerClock
from noughts.app.runtime.limits import MAX_SOCKETS_OF_ADDRESS, MAX_SOCKETS_OF_PLAYER
from noughts.store.backend import Backend
from noughts.store.contract import HeldRoom, StoredPlayer, StoreUnavailableError
from noughts.store.coordination import LocalCoordination
from noughts.store.presence import PresenceMirror
from noughts.store.sqlite.store import SqliteStore
from tests.support.commits import commit, new_room
from tests.support.exchange import Exchange, Link
from tests.support.flaky_store import FlakyStore
from tests.support.local_server import LocalServer, local_server
from tests.support.player import WAIT_S, Api, Socket, connect, friends_room, guest
from tests.support.raw_websocket import (
    CLOSE,
    LOBBY_HELLO,
    PING,
    PONG,
    TEXT,
    UPGRADE,
    authority,
    client_frame,
    handshake,
)
from tests.support.responses import raw_response
from tests.support.rooms import pair

# --- origins ------------------------------------------------------------------------------------------------------


async def test_an_origin_may_be_absent_or_our_own(server: LocalServer) -> None:
    here = authority(server)
    for origin in (None, f"http://{here}", f"https://{here}"):
        async with handshake(server, origin) as client:
            assert client.status == 101, origin


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "null",
        "http://",
        "://{here}",
        "{here}",
        "http://{here}/",
        "http://{here}.evil.example",
        "http://evil.example",
        "http://evil.example/{here}",
        "http://evil.example#{here}",
        "http://{host}",
        "http://{host}:1",
        "http://user@{here}",
        "HTTP://{here}",
        "ftp://{here}",
        "chrome-extension://{here}",
        "file://",
        "http://localhost:{port}",
        "http://{here} http://evil.example",
        "http://{here}\r\nOrigin: https://evil.example",
    ],
)
async def test_any_other_origin_is_403(server: LocalServer, origin: str) -> None:
    here = authority(server)
    host, port = here.split(":")
    async with handshake(server, origin.format(here=here, host=host, port=port)) as client:
        assert client.status == 403


async def test_an_origin_is_compared_with_the_host_header_as_text(server: LocalServer) -> None:
    for header, status in (
        ("games.example.org", 101),
        ("games.example.org:443", 403),
        ("GAMES.example.org", 403),
    ):
        async with handshake(server, "https://games.example.org", changed={"Host": header}) as client:
            assert client.status == status, header


async def test_origins_may_be_listed(tmp_path: Path) -> None:
    origins = ("https://club.example.org", "http://localhost:3000")
    async with local_server(tmp_path, origins=origins) as server:
        for origin, status in (
            ("https://club.example.org", 101),
            ("http://localhost:3000", 101),
            (f"http://{authority(server)}", 101),
            ("http://club.example.org", 403),
            ("https://club.example.org:443", 403),
            ("https://sub.club.example.org", 403),
            ("http://localhost", 403),
            ("null", 403),
        ):
            async with handshake(server, origin) as client:
                assert client.status == status, origin


# --- the handshake ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [{"Upgrade": None, "Connection": None}, {"Upgrade": None}, {"Connection": "keep-alive"}, {"Upgrade": "h2c"}],
    ids=str,
)
async def test_a_plain_get_is_426(server: LocalServer, headers: dict[str, str | None]) -> None:
    async with handshake(server, changed=headers) as client:
        assert client.status == 426


async def test_426_names_the_likely_cause(server: LocalServer) -> None:
    status, text = await Api(server.url).call("GET", "/ws")
    assert status == 426
    assert "proxy" in text
    assert "Upgrade" in text


@pytest.mark.parametrize("version", ["", "0", "8", "12", "13, 8", "14"])
async def test_another_version_is_told_the_one_that_is_spoken(server: LocalServer, version: str) -> None:
    """RFC 6455, section 4.4."""
    upgrade = {**UPGRADE, "Sec-WebSocket-Version": version}
    status, headers, _ = await raw_response(server, "GET", "/ws", headers=upgrade)
    assert (status, headers["Sec-WebSocket-Version"], headers["Upgrade"]) == (426, "13", "websocket")


async def test_no_upgrade_over_http_1_0(server: LocalServer) -> None:
    reader, writer = await asyncio.open_connection(server.host, server.port)
    lines = [f"{name}: {value}" for name, value in {"Host": authority(server), **UPGRADE}.items()]
    writer.write("\r\n".join(["GET /ws HTTP/1.0", *lines, "", ""]).encode())
    assert b" 426 " in await reader.readline()
    writer.close()


@pytest.mark.parametrize(
    "headers", [{"Sec-WebSocket-Version": "6"}, {"Sec-WebSocket-Key": None}, {"Sec-WebSocket-Key": "short"}], ids=str
)
async def test_a_broken_handshake_is_400(server: LocalServer, headers: dict[str, str | None]) -> None:
    async with handshake(server, changed=headers) as client:
        assert client.status in (400, 426)


async def test_a_client_that_leaves_during_the_handshake_is_forgotten(server: LocalServer) -> None:
    for _ in range(20):
        _, writer = await asyncio.open_connection(server.host, server.port)
        lines = ["GET /ws HTTP/1.1", "Host: here", *[f"{name}: {value}" for name, value in UPGRADE.items()]]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        writer.transport.abort()
    await guest(server.url)  # a server that answers this has seen those


async def test_no_extension_is_agreed_on(server: LocalServer) -> None:
    """Compression would cost 90 KiB for each connection."""
    async with websockets.connect(server.ws_url, proxy=None, compression="deflate") as connection:
        assert connection.protocol.extensions == []


# --- the hello ----------------------------------------------------------------------------------------------------


async def code_after(server: LocalServer, hello: str | bytes | dict[str, Any]) -> int:
    """Send a hello that is not accepted. Return the close code; nothing else may be sent."""
    async with connect(server.ws_url) as client:
        await client.send({"type": "hello", "protocol": 1, **hello} if isinstance(hello, dict) else hello)
        code = await client.closed()
        assert client.seen == []
        return code


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"ping","id":"1"}',
        '{"type":"hello"}',
        '{"type":"hello","protocol":1}',
        '{"type":"hello","protocol":2,"lobby":true}',
        '{"type":"hello","protocol":0,"lobby":true}',
        '{"type":"hello","protocol":"1","lobby":true}',
        '{"type":"hello","protocol":null,"lobby":true}',
        '{"type":"hello","room":"x"}',
        '{"type":"hello","protocol":1,"room":7}',
        '{"type":"hello","protocol":1,"room":null}',
        '{"type":"hello","protocol":1,"lobby":false}',
        '{"type":"hello","protocol":1,"lobby":true,"room":"x"}',
        '{"type":"hello","protocol":1,"lobby":true,"token":5}',
        '{"type":"Hello","protocol":1,"lobby":true}',
        '{"protocol":1,"lobby":true}',
        '["hello"]',
        "hello",
        "",
        "{",
        b'{"type":"hello","protocol":1,"lobby":true}',
    ],
    ids=str,
)
async def test_anything_but_a_hello_is_1008(server: LocalServer, text: str | bytes) -> None:
    assert await code_after(server, text) == 1008


def test_a_client_has_five_seconds_for_its_hello() -> None:
    assert websocket.HELLO_S == 5.0


async def test_no_hello_in_time_is_4408(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sign of life is no hello."""
    monkeypatch.setattr(websocket, "HELLO_S", 0.1)
    async with handshake(server) as silent, handshake(server) as pinging:
        for _ in range(3):
            pinging.writer.write(client_frame(PING, b"") + client_frame(PONG, b""))
            await pinging.until_frame(PONG)
        assert await silent.close_code() == 4408
        assert await pinging.close_code() == 4408


async def test_a_bad_token_is_4401_before_an_unknown_room(server: LocalServer) -> None:
    ann = await guest(server.url)
    room = (await friends_room(server, ann))["room"]["id"]
    for token in ("", "wrong", "x" * 5_000, "\0", "ä"):
        for hello in ({"room": room}, {"room": "nowhere"}, {"lobby": True}):
            assert await code_after(server, {"token": token, **hello}) == 4401


async def test_an_unknown_room_is_4404(server: LocalServer) -> None:
    ann = await guest(server.url)
    room = (await friends_room(server, ann))["room"]["id"]
    for token in ({}, {"token": ann.token}, {"token": None}):
        for unknown in ("nowhere", "", "x" * 1_000, "../" + room, room + " ", room.swapcase()):
            assert await code_after(server, {"room": unknown, **token}) == 4404


async def test_unknown_fields_of_a_hello_are_ignored(server: LocalServer) -> None:
    async with connect(server.ws_url, {"lobby": True, "size": 3, "room": None}) as client:
        assert (await client.receive())["type"] == "welcome"


async def test_a_second_hello_is_rejected_without_an_id(server: LocalServer) -> None:
    async with pair(server) as game:
        before = await game.view()
        await game.x.send({"type": "hello", "protocol": 1, "room": game.id, "id": "h"})
        answer = await game.x.until(lambda message: message["type"] == "rejected")
        assert (answer["id"], answer["code"]) == (None, "bad_message")
        await game.x.move("b2")  # and the connection goes on
        assert (await game.view())["version"] == before["version"] + 1


async def test_commands_may_follow_the_hello_at_once(server: LocalServer) -> None:
    """A client that does not wait for the welcome loses nothing: text, Ping and Pong all wait for the room."""
    ann = await guest(server.url)
    room = (await friends_room(server, ann))["room"]["id"]
    hello = {"type": "hello", "protocol": 1, "room": room, "token": ann.token}
    frames = [(TEXT, hello), (TEXT, {"type": "chat", "id": "1", "text": "early"}), (TEXT, {"type": "ping", "id": "2"})]
    early = b"".join(client_frame(opcode, json.dumps(message).encode()) for opcode, message in frames)
    async with handshake(server, more=early + client_frame(PONG, b"") + client_frame(PING, b"!")) as client:
        answers: dict[str, str] = {}
        while len(answers) < 3:
            opcode, payload = await client.frame()
            if opcode == PONG:
                answers["!"] = payload.decode()
            elif (message := json.loads(payload)).get("id"):
                answers[message["id"]] = message["type"]
        assert answers == {"1": "ok", "2": "pong", "!": "!"}


# --- what comes first ---------------------------------------------------------------------------------------------


async def test_a_newcomer_gets_welcome_room_crowd_and_chat(server: LocalServer) -> None:
    async with pair(server) as game:
        await game.o.ok("chat", text="hello")
        async with connect(server.ws_url, {"room": game.id, "token": game.ann.token}) as client:
            first = [await client.receive() for _ in range(4)]
        assert [message["type"] for message in first] == ["welcome", "room", "crowd", "chat"]
        welcome, room, crowd, chat = first
        assert set(welcome) == {"type", "protocol", "player", "now_ms", "reactions"}
        assert (welcome["protocol"], welcome["player"]) == (1, game.ann.player)
        assert "👍" in welcome["reactions"]
        assert (room["event"], room["you"]["mark"]) == (None, "X")
        assert crowd["seats"]["O"] == {"present": True, "away_ms": None, "claimable_in_ms": None}
        assert [line["text"] for line in chat["lines"]] == ["hello"]
        async with connect(server.ws_url, {"room": game.id}) as nameless:
            assert (await nameless.receive())["player"] is None


async def test_a_newcomer_gets_welcome_and_lobby(server: LocalServer) -> None:
    async with connect(server.ws_url, {"lobby": True}) as client:
        assert (await client.receive())["type"] == "welcome"
        assert set(await client.receive()) == {"type", "open", "live", "players", "rooms"}


async def test_the_lobby_takes_no_commands_but_pings(server: LocalServer) -> None:
    ann = await guest(server.url)
    async with connect(server.ws_url, {"lobby": True, "token": ann.token}) as client:
        assert (await client.ask("ping"))["type"] == "pong"
        assert await client.rejected("chat", text="hello") == "forbidden"
        assert await client.rejected("move", ply=0, cell="b2") == "forbidden"
    async with connect(server.ws_url, {"lobby": True}) as client:
        assert await client.rejected("chat", text="hello") == "unauthorized"


async def test_a_binary_frame_is_1008(server: LocalServer) -> None:
    async with connect(server.ws_url, {"lobby": True}) as client:
        await client.receive()
        await client.send(b'{"type":"ping","id":"1"}')
        assert await client.closed() == 1008


async def test_a_server_without_a_lobby_closes_with_4404(tmp_path: Path) -> None:
    async with local_server(tmp_path, lobby=False) as server:
        assert await code_after(server, {"lobby": True}) == 4404


# --- who is turned away -------------------------------------------------------------------------------------------


async def test_one_network_has_a_limited_number_of_sockets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is for a class behind one address. A further handshake is 429."""
    assert MAX_SOCKETS_OF_ADDRESS >= 10 * 40
    monkeypatch.setattr(websocket, "MAX_SOCKETS_OF_ADDRESS", 2)
    async with local_server(tmp_path, limits=True) as server:
        async with handshake(server), handshake(server):
            async with handshake(server) as client:
                assert client.status == 429
                head = await client.reader.read(1_000)
            assert b"rate_limited" in head
        async with connect(server.ws_url, {"lobby": True}) as later:
            while True:
                assert (await later.receive())["type"] in ("welcome", "lobby")
                if "lobby" in later.last:
                    break


async def test_one_player_has_a_limited_number_of_sockets(tmp_path: Path) -> None:
    async with local_server(tmp_path, limits=True) as server, asyncio.TaskGroup() as group:
        ann, ben = await guest(server.url), await guest(server.url)
        entered, done = [asyncio.Event() for _ in range(MAX_SOCKETS_OF_PLAYER)], asyncio.Event()

        async def stay(event: asyncio.Event) -> None:
            async with connect(server.ws_url, {"lobby": True, "token": ann.token}) as client:
                await client.receive()
                event.set()
                await done.wait()

        for event in entered:
            group.create_task(stay(event))
        for event in entered:
            await event.wait()
        assert await code_after(server, {"lobby": True, "token": ann.token}) == 4429
        async with connect(server.ws_url, {"lobby": True, "token": ben.token}) as client:
            assert (await client.receive())["type"] == "welcome"
        done.set()


class FailingStore(SqliteStore):
    """A store that can be opened and then cannot look up a token or a room."""

    async def player_by_token(self, token_hash: bytes) -> StoredPlayer | None:
        raise StoreUnavailableError("out of order")

    async def load(self, room: str) -> None:
        raise StoreUnavailableError("out of order")


async def test_a_store_that_is_away_closes_with_1012(tmp_path: Path) -> None:
    """The handshake is over, so no status can say it. The client comes back."""
    async with local_server(tmp_path, FailingStore(tmp_path / "noughts.db")) as server:
        assert await code_after(server, {"lobby": True, "token": "a-token"}) == 1012
        async with connect(server.ws_url, {"room": "a-room"}) as client:
            assert await client.closed() == 1012


class CountedLink(Link):
    """A node's link to a shared store that counts the reads of rooms."""

    reads = 0

    async def hold(self, room: str) -> HeldRoom | None:
        self.reads += 1
        return await super().hold(room)


@pytest.mark.parametrize("passes", [True, False])
async def test_a_hello_waits_while_the_node_counts_as_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, passes: bool
) -> None:
    """An outage that passes before the node counts as not ready closes no connection. Any other closes with 1012."""
    for module in (websocket, heartbeat):
        monkeypatch.setattr(module, "LATE_S", WAIT_S)
    exchange = Exchange(FlakyStore(tmp_path / "noughts.db"), ServerClock())
    link = CountedLink(exchange, "one")
    exchange.links["one"] = link
    backend = Backend(link.as_store(), PresenceMirror("one", link), link, LocalCoordination(time.monotonic))
    async with local_server(tmp_path, backend=backend) as server:
        room = (await friends_room(server, await guest(server.url)))["room"]["id"]
        link.cut, before = True, link.reads
        async with connect(server.ws_url, {"room": room}) as client:
            async with asyncio.timeout(WAIT_S):
                while link.reads < before + 2:  # noqa: ASYNC110 - the second try shows that the hello waits
                    await asyncio.sleep(0.01)
            assert (await Api(server.url).call("GET", "/readyz"))[0] == 200
            if passes:
                link.cut = False
                assert (await client.until_room(lambda view: True))["id"] == room
            else:
                monkeypatch.setattr(heartbeat, "LATE_S", 0.0)
                assert (await Api(server.url).call("GET", "/readyz"))[0] == 503
                assert await client.closed() == 1012


async def test_a_room_whose_last_client_leaves_is_opened_again(
    server: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was dropped between the read and the arrival of the next client."""
    room = (await friends_room(server, await guest(server.url)))["room"]["id"]
    registry, dropped = server.server.registry, iter([False, False])
    join = registry.join
    monkeypatch.setattr(registry, "join", lambda actor, client: next(dropped, True) and join(actor, client))
    async with connect(server.ws_url, {"room": room}) as client:
        assert (await client.until_room(lambda view: True))["id"] == room
        assert [message["type"] for message in client.seen].count("welcome") == 1


async def test_a_server_that_stops_closes_with_1012(tmp_path: Path) -> None:
    async with local_server(tmp_path) as server:
        ann = await guest(server.url)
        room = (await friends_room(server, ann))["room"]["id"]
        connections = [await websockets.connect(server.ws_url, compression=None, proxy=None) for _ in range(2)]
        clients = [Socket(connection) for connection in connections]
        await clients[0].send({"type": "hello", "protocol": 1, "room": room})
        await clients[0].receive()  # the other has said no hello yet
    for client in clients:
        assert await client.closed() == 1012


async def metric(server: LocalServer, name: str) -> int:
    text = (await Api(server.url).call("GET", "/metrics"))[1]
    (line,) = [line for line in text.splitlines() if line.startswith(f"{name} ")]
    return int(float(line.split()[1]))


async def test_the_metrics_count_connections(server: LocalServer) -> None:
    before = await metric(server, "noughts_connections")
    async with handshake(server) as client:
        client.writer.write(client_frame(TEXT, LOBBY_HELLO))
        await client.frame()
        assert await metric(server, "noughts_connections") >= before + 1


async def test_the_metrics_count_clients_that_were_cut(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """With these bounds, a client counts as too slow before it can read anything."""
    monkeypatch.setattr("noughts.app.delivery.connection.FULL_BYTES", 0)
    monkeypatch.setattr("noughts.app.delivery.connection.MAX_OUTBOX", 0)
    before = await metric(server, "noughts_connections_cut_total")
    assert await code_after(server, {"lobby": True}) == 4503
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
        assert await faults(server) == 0


async def faults(server: LocalServer) -> float:
    """Return how many faults the server has counted."""
    _, text = await Api(server.url).call("GET", "/metrics")
    return float(re.findall(r"^noughts_faults_total (\S+)$", text, re.M)[0])


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
        assert await faults(server) == 1
