"""``GET /ws`` up to the hello: who may connect, and how nonsense ends."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import socket
import struct
from contextlib import asynccontextmanager

import pytest
import websockets

from tests.support.player import WAIT_S, Api, connect, enter, friends_room, guest
from tests.support.rooms import pair, until_crowd

UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": base64.b64encode(b"0123456789abcdef").decode(),
}


def authority(server):
    return server.url.removeprefix("http://")


@asynccontextmanager
async def handshake(server, origin=None, **changed):
    """A raw connection with a handshake sent: status, then the two ends to read and write frames."""
    host, port = authority(server).split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    headers = {"Host": authority(server), **UPGRADE, **changed}
    if origin is not None:
        headers["Origin"] = origin
    lines = ["GET /ws HTTP/1.1", *[f"{name}: {value}" for name, value in headers.items() if value is not None]]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    try:
        async with asyncio.timeout(WAIT_S):
            head = await reader.readuntil(b"\r\n\r\n")
        yield int(head.split()[1]), reader, writer
    finally:
        writer.close()


def frame(opcode, payload, *, mask=True, fin=True, reserved=0):
    """One frame of a client, byte by byte as RFC 6455 has it."""
    first = (0x80 if fin else 0) | reserved << 4 | opcode
    bit = 0x80 if mask else 0
    size = len(payload)
    if size < 126:
        head = struct.pack("!BB", first, bit | size)
    elif size < 65_536:
        head = struct.pack("!BBH", first, bit | 126, size)
    else:
        head = struct.pack("!BBQ", first, bit | 127, size)
    if not mask:
        return head + payload
    key = os.urandom(4)
    return head + key + bytes(byte ^ key[i % 4] for i, byte in enumerate(payload))


async def close_code(reader):
    """Read frames of the server until it closes; its code, None when it just hung up (as a transport does that is closed
    with bytes unread)."""
    while True:
        try:
            async with asyncio.timeout(WAIT_S):
                first, second = await reader.readexactly(2)
            size = second & 0x7F
            if size == 126:
                (size,) = struct.unpack("!H", await reader.readexactly(2))
            payload = await reader.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        if first & 0x0F == 8:
            return struct.unpack("!H", payload[:2])[0]


# --- origins ------------------------------------------------------------------------------------------------------


async def test_an_origin_must_be_absent_or_our_own(server):
    here = authority(server)
    for origin in (None, f"http://{here}", f"https://{here}"):
        async with handshake(server, origin) as (status, *_):
            assert status == 101, origin


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
async def test_any_other_origin_is_403(server, origin):
    here = authority(server)
    host, port = here.split(":")
    async with handshake(server, origin.format(here=here, host=host, port=port)) as (status, *_):
        assert status == 403


async def test_origins_are_compared_with_the_host_as_the_client_wrote_it(server):
    async with handshake(server, "https://games.example.org", Host="games.example.org") as (status, *_):
        assert status == 101
    async with handshake(server, "https://games.example.org", Host="games.example.org:443") as (status, *_):
        assert status == 403
    async with handshake(server, "https://games.example.org", Host="GAMES.example.org") as (status, *_):
        assert status == 403


async def test_origins_may_be_listed(start_server):
    server = start_server(origins="https://club.example.org, http://localhost:3000")
    for origin, expected in (
        ("https://club.example.org", 101),
        ("http://localhost:3000", 101),
        (f"http://{authority(server)}", 101),
        ("http://club.example.org", 403),
        ("https://club.example.org:443", 403),
        ("https://sub.club.example.org", 403),
        ("http://localhost", 403),
        ("null", 403),
    ):
        async with handshake(server, origin) as (status, *_):
            assert status == expected, origin


async def test_a_plain_get_is_426_and_names_the_likely_cause(server):
    for headers in ({"Upgrade": None, "Connection": None}, {"Upgrade": None}, {"Connection": "keep-alive"}):
        async with handshake(server, **headers) as (status, *_):
            assert status == 426
    status, text = await Api(server.url).call("GET", "/ws")
    assert status == 426
    assert "proxy" in text
    assert "Upgrade" in text


async def test_a_broken_handshake_is_400(server):
    for headers in ({"Sec-WebSocket-Version": "6"}, {"Sec-WebSocket-Key": None}, {"Sec-WebSocket-Key": "short"}):
        async with handshake(server, **headers) as (status, *_):
            assert status in (400, 426), headers


async def test_no_extension_is_agreed_on(server):
    async with websockets.connect(server.ws_url, proxy=None, compression="deflate") as connection:
        assert connection.protocol.extensions == []


# --- the hello ----------------------------------------------------------------------------------------------------


async def hello_closes(server, text):
    async with connect(server.ws_url) as socket:
        await socket.send(text)
        code = await socket.closed()
        assert socket.seen == []
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
async def test_anything_else_before_the_hello_is_1008(server, text):
    assert await hello_closes(server, text) == 1008


async def test_no_hello_in_time_is_4408(server):
    async with connect(server.ws_url) as silent, connect(server.ws_url) as pinging:
        started = asyncio.get_running_loop().time()
        await pinging.connection.ping()  # a sign of life is no hello
        assert await silent.closed() == 4408
        assert await pinging.closed() == 4408
        assert asyncio.get_running_loop().time() - started >= 4.5


async def test_a_bad_token_is_4401_before_an_unknown_room_is_4404(server):
    ann = await guest(server.url)
    room = (await friends_room(server, ann))["room"]["id"]
    for token in ("", "wrong", "x" * 5_000, "\0", "ä"):
        for where in ({"room": room}, {"room": "nowhere"}, {"lobby": True}):
            assert (
                await hello_closes(server, json.dumps({"type": "hello", "protocol": 1, "token": token, **where}))
                == 4401
            )
    for token in ({}, {"token": ann.token}, {"token": None}):
        for unknown in ("nowhere", "", "x" * 1_000, "../" + room, room + " ", room.swapcase()):
            hello = {"type": "hello", "protocol": 1, "room": unknown, **token}
            assert await hello_closes(server, json.dumps(hello)) == 4404


async def test_unknown_fields_of_a_hello_are_ignored(server):
    async with connect(server.ws_url, {"lobby": True, "colour": "red", "room": None}) as socket:
        assert (await socket.receive())["type"] == "welcome"


async def test_a_second_hello_is_rejected_without_an_id(server):
    async with pair(server) as table:
        before = await table.view()
        await table.x.send({"type": "hello", "protocol": 1, "room": table.id, "id": "h"})
        answer = await table.x.until(lambda message: message["type"] == "rejected")
        assert (answer["id"], answer["code"]) == (None, "bad_message")
        await table.x.move("b2")  # and the connection goes on
        assert (await table.view())["version"] == before["version"] + 1


async def test_what_a_newcomer_is_sent_first(server):
    async with pair(server) as table:
        await table.o.ok("chat", text="hello")
        async with connect(server.ws_url, {"room": table.id, "token": table.ann.token}) as socket:
            first = [await socket.receive() for _ in range(4)]
            assert [message["type"] for message in first] == ["welcome", "room", "crowd", "chat"]
            welcome, room, crowd, chat = first
            assert set(welcome) == {"type", "protocol", "player", "now_ms", "reactions"}
            assert welcome["protocol"] == 1
            assert welcome["player"] == table.ann.player
            assert "👍" in welcome["reactions"]
            assert room["event"] is None
            assert room["you"]["mark"] == "X"
            assert crowd["seats"]["O"] == {"present": True, "away_ms": None, "claimable_in_ms": None}
            assert [line["text"] for line in chat["lines"]] == ["hello"]
        async with connect(server.ws_url, {"room": table.id}) as nameless:
            assert (await nameless.receive())["player"] is None


async def test_what_is_sent_first_in_the_lobby(server):
    async with connect(server.ws_url, {"lobby": True}) as socket:
        assert (await socket.receive())["type"] == "welcome"
        lobby = await socket.receive()
        assert set(lobby) == {"type", "open", "live", "players", "rooms"}


# --- broken frames ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("broken", "codes"),
    [
        (frame(1, b"\xff\xfe"), {1007}),
        (frame(1, b'{"type":"\xed\xa0\x80"}'), {1007}),
        (frame(1, b"{}", reserved=4), {1002}),
        (frame(1, b"{}", reserved=1), {1002}),
        (frame(3, b""), {1002}),
        (frame(11, b""), {1002}),
        (frame(0, b"going on with nothing"), {1002}),
        (frame(9, b"x" * 126), {1002}),
        (frame(9, b"ping in parts", fin=False), {1002}),
        (frame(1, b"{", fin=False) + frame(1, b"}"), {1002}),
        (frame(1, b"x" * 8_193), {1009}),
        (frame(1, b"x" * 70_000), {1009, None}),
        (struct.pack("!BBQ", 0x81, 0xFF, 1 << 40) + b"abcd", {1009}),
        (b"".join(frame(0 if i else 1, b"x" * 1_000, fin=False) for i in range(9)), {1009}),
        (frame(2, b"{}"), {1008}),
        (frame(2, b""), {1008}),
        (frame(8, b""), {1000, 1005}),
    ],
    ids=[
        "not UTF-8",
        "half a pair as UTF-8",
        "the bit of an extension",
        "another reserved bit",
        "unknown data frame",
        "unknown control frame",
        "going on with nothing",
        "a long ping",
        "a ping in parts",
        "a new message within another",
        "a byte too long",
        "far too long",
        "a terabyte",
        "too long in parts",
        "binary",
        "empty and binary",
        "a close without a code",
    ],
)
@pytest.mark.parametrize("greeted", [False, True])
async def test_broken_frames_end_the_connection_with_their_code(server, broken, codes, greeted):
    async with handshake(server) as (status, reader, writer):
        assert status == 101
        if greeted:
            writer.write(frame(1, b'{"type":"hello","protocol":1,"lobby":true}'))
        writer.write(broken)
        assert await close_code(reader) in codes


async def test_a_frame_without_a_mask_is_taken_as_it_is(server):
    """RFC 6455 would have it refused; the library reads it, and no harm comes of it."""
    async with handshake(server) as (_, reader, writer):
        writer.write(frame(1, b'{"type":"hello","protocol":2}', mask=False))
        assert await close_code(reader) in (1002, 1008)


async def test_a_message_in_parts_is_one_message(server):
    async with handshake(server) as (_, reader, writer):
        writer.write(frame(1, b'{"type":"hello","protocol":', fin=False) + frame(9, b"") + frame(0, b'7,"lobby":true}'))
        assert await close_code(reader) == 1008


async def test_a_client_that_just_hangs_up_leaves_no_trace(server):
    async with pair(server) as table:
        for hello in (b"", frame(1, json.dumps({"type": "hello", "protocol": 1, "room": table.id}).encode())):
            for _ in range(5):
                async with handshake(server) as (_, _, writer):
                    writer.write(hello)
                    await writer.drain()
                    writer.transport.abort()
        await table.play("b2", "a1")
        async with enter(server, table.id) as watcher:  # whose hello is read after all of those
            crowd = await until_crowd(watcher, lambda crowd: crowd["spectators"] == 1)
            assert crowd["names"] == []


async def test_a_client_that_goes_during_the_handshake_leaves_no_traceback(start_server):
    server = start_server()
    port = int(server.url.rpartition(":")[2])
    request = (
        b"GET /ws HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # ends with a reset
            client.sendall(request)
    await guest(server.url)  # a server that answers this has seen those
    assert server.stop() == 0
    assert "Traceback" not in server.log, server.log
