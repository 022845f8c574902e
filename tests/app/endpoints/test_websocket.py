"""``GET /ws`` after the handshake: the hello, and the messages that come first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from noughts.app.delivery import hub
from noughts.app.endpoints import websocket
from tests.support.local_server import LocalServer, local_server
from tests.support.player import code_after, connect, friends_room, guest
from tests.support.raw_websocket import PING, PONG, TEXT, client_frame, handshake
from tests.support.rooms import pair


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"ping","id":"1"}',
        '{"type":"hello","protocol":1}',
        '{"type":"hello","protocol":2,"lobby":true}',
        '{"type":"hello","protocol":1,"lobby":true,"room":"x"}',
        "hello",
        b'{"type":"hello","protocol":1,"lobby":true}',
    ],
    ids=str,
)
async def test_anything_but_a_hello_is_1008(server: LocalServer, text: str | bytes) -> None:
    assert await code_after(server, text) == 1008


async def test_no_hello_in_time_is_4408(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sign of life is no hello."""
    monkeypatch.setattr(websocket, "HELLO_S", 0.1)
    async with handshake(server) as client:
        for _ in range(3):
            client.writer.write(client_frame(PING, b"") + client_frame(PONG, b""))
            await client.until_frame(PONG)
        assert await client.close_code() == 4408


async def test_a_silent_client_is_pinged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PING_INTERVAL_S", "TIMED_PING_INTERVAL_S"):
        monkeypatch.setattr(hub, name, 0.05)
    async with local_server(tmp_path) as server, handshake(server) as client:
        await client.until_frame(PING)


async def test_a_bad_token_is_4401_before_an_unknown_room_is_4404(server: LocalServer) -> None:
    ann = await guest(server.url)
    room = (await friends_room(server, ann))["room"]["id"]
    for token in ("", "wrong", "x" * 5_000, "\0", "ä"):
        for hello in ({"room": room}, {"room": "nowhere"}, {"lobby": True}):
            assert await code_after(server, {"token": token, **hello}) == 4401
    for accepted in ({}, {"token": ann.token}, {"token": None}):
        for unknown in ("nowhere", "", "x" * 1_000, "../" + room, room + " ", room.swapcase()):
            assert await code_after(server, {"room": unknown, **accepted}) == 4404


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


async def test_a_newcomer_gets_welcome_room_crowd_and_chat(server: LocalServer) -> None:
    async with pair(server) as game:
        await game.o.ok("chat", text="hello")
        async with connect(server.ws_url, {"room": game.id, "token": game.ann.token}) as client:
            first = [await client.receive() for _ in range(4)]
        assert [message["type"] for message in first] == ["welcome", "room", "crowd", "chat"]
        welcome, room, crowd, chat = first
        assert set(welcome) == {"type", "protocol", "player", "now_ms", "reactions", "page"}
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
