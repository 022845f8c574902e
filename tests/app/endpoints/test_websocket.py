"""``GET /ws`` after the handshake: the hello, and the messages that come first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from noughts.app.endpoints import websocket
from noughts.app.runtime.limits import HELLO_S, PIECE
from tests.support.local_server import LocalServer, local_server
from tests.support.player import code_after, connect, friends_room, guest
from tests.support.raw_websocket import (
    LOBBY_HELLO,
    PING,
    PONG,
    TEXT,
    client_frame,
    handshake,
)
from tests.support.rooms import pair

# --- the hello ----------------------------------------------------------------------------------------------------


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
    assert HELLO_S == 5.0


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


async def test_many_frames_may_follow_the_hello_at_once(server: LocalServer) -> None:
    """More than are taken in a turn of the event loop. All are answered, in their order."""
    contents = [f"{number}".encode() for number in range(PIECE)]
    more = client_frame(TEXT, LOBBY_HELLO) + b"".join(client_frame(PING, content) for content in contents)
    async with handshake(server, more=more) as client:
        assert [await client.until_frame(PONG) for _ in contents] == contents


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
