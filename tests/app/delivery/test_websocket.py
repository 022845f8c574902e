"""The reading side of a WebSocket: the queue alone, and a server against a client that sends frame by frame."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from pathlib import Path

import pytest
from aiohttp import WSMessage, WSMsgType
from aiohttp.base_protocol import BaseProtocol
from aiohttp.http_websocket import WebSocketError
from structlog.testing import capture_logs

from noughts.app.delivery.guarded_handler import GuardedHandler
from noughts.app.delivery.websocket import DirectWebSocket, FrameQueue
from noughts.protocol.close_codes import FAULT
from noughts.protocol.codec import MAX_FRAME
from tests.conftest import StartServer
from tests.support.local_server import LocalServer, local_server
from tests.support.player import WAIT_S, enter, friends_room, guest
from tests.support.raw_websocket import (
    BINARY,
    CLOSE,
    CONTINUATION,
    LOBBY_HELLO,
    PING,
    PONG,
    TEXT,
    RawSocket,
    client_frame,
    handshake,
)
from tests.support.rooms import pair, until_crowd

HELLO = client_frame(TEXT, LOBBY_HELLO)
NONSENSE = client_frame(TEXT, b"nonsense")


class Receiver:
    """A receiver that keeps what it is given."""

    def __init__(self) -> None:
        self.frames: list[str | bytes] = []

    def text_received(self, text: str) -> None:
        self.frames.append(text)

    def ping_received(self, payload: bytes) -> None:
        self.frames.append(b"ping " + payload)

    def pong_received(self, payload: bytes) -> None:
        self.frames.append(b"pong " + payload)


def fed(queue: FrameQueue, kind: WSMsgType, data: str | bytes) -> None:
    queue.feed_data(WSMessage(kind, data, None), len(data))


def frame_queue() -> FrameQueue:
    loop = asyncio.get_running_loop()
    return FrameQueue(BaseProtocol(loop), 2**16, loop=loop)


# --- the queue ----------------------------------------------------------------------------------------------------


async def test_a_receiver_is_given_frames_in_the_turn_of_their_arrival() -> None:
    queue, receiver = frame_queue(), Receiver()
    queue.short_texts.receiver = receiver
    fed(queue, WSMsgType.TEXT, "text")
    fed(queue, WSMsgType.PING, b"1")
    fed(queue, WSMsgType.PONG, b"2")
    assert receiver.frames == ["text", b"ping 1", b"pong 2"]
    assert queue.waiting == 0


async def test_frames_wait_until_there_is_a_receiver() -> None:
    queue, receiver = frame_queue(), Receiver()
    fed(queue, WSMsgType.TEXT, "early")
    fed(queue, WSMsgType.PING, b"1")
    queue.short_texts.receiver = receiver
    fed(queue, WSMsgType.TEXT, "late")
    assert receiver.frames == ["late"]
    assert queue.waiting == 2
    assert (await queue.read()).data == "early"


async def test_other_frames_never_pass_by_the_queue() -> None:
    queue, receiver = frame_queue(), Receiver()
    queue.short_texts.receiver = receiver
    fed(queue, WSMsgType.BINARY, b"{}")
    queue.feed_data(WSMessage(WSMsgType.CLOSE, 1000, ""), 0)
    assert (receiver.frames, queue.waiting) == ([], 2)


async def test_a_receiver_that_raises_ends_the_connection() -> None:
    """With the code of a fault, by which a client knows that it may come back."""

    class Faulty(Receiver):
        def text_received(self, text: str) -> None:
            raise KeyError("a bug")

    queue = frame_queue()
    queue.short_texts.receiver = Faulty()
    with capture_logs() as lines, pytest.raises(WebSocketError) as raised:
        fed(queue, WSMsgType.TEXT, "text")
    assert raised.value.code == FAULT
    assert [line["event"] for line in lines] == ["a frame failed"]


async def test_a_short_text_that_fails_ends_the_connection() -> None:
    """It reaches its receiver and the log once, although the parser has it after that."""
    texts: list[str] = []

    class Faulty(Receiver):
        def text_received(self, text: str) -> None:
            texts.append(text)
            raise KeyError("a bug")

    queue = frame_queue()
    queue.short_texts.receiver = Faulty()
    with capture_logs() as lines:
        assert not queue.short_texts.short_text_received(NONSENSE)
        with pytest.raises(WebSocketError) as raised:
            fed(queue, WSMsgType.TEXT, "nonsense")
    assert raised.value.code == FAULT
    assert (texts, [line["event"] for line in lines]) == (["nonsense"], ["a frame failed"])


@pytest.mark.parametrize("text", ["", "text", "é😀" * 20])
async def test_a_short_text_needs_no_parser(text: str) -> None:
    queue, receiver = frame_queue(), Receiver()
    queue.short_texts.receiver = receiver
    assert queue.short_texts.short_text_received(client_frame(TEXT, text.encode()))
    assert (receiver.frames, queue.waiting) == ([text], 0)


async def test_a_short_text_is_left_to_the_parser() -> None:
    """Without a receiver, and where it is not UTF-8."""
    queue, receiver = frame_queue(), Receiver()
    assert not queue.short_texts.short_text_received(client_frame(TEXT, b"text"))
    queue.short_texts.receiver = receiver
    assert not queue.short_texts.short_text_received(client_frame(TEXT, b"\xff"))
    assert (receiver.frames, queue.waiting) == ([], 0)


def test_before_the_handshake_nothing_waits() -> None:
    ws = DirectWebSocket()
    ws.divert_to(Receiver())
    ws.hold(1.0)
    assert not ws.frame_waits


async def test_a_client_without_credit_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[float] = []
    hold = GuardedHandler.hold

    def note(handler: GuardedHandler, seconds: float) -> None:
        held.append(seconds)
        hold(handler, seconds)

    monkeypatch.setattr(GuardedHandler, "hold", note)
    async with local_server(tmp_path, limits=True) as server, handshake(server) as client:
        client.writer.write(HELLO + b"".join(ping(f"{n}") for n in range(200)))
        async with asyncio.timeout(WAIT_S):
            while not held:  # noqa: ASYNC110 - it shows in a value
                await asyncio.sleep(0.01)
    assert min(held) > 0


# --- frames that come early, late or in parts ---------------------------------------------------------------------


async def answers(client: RawSocket, *ids: str) -> dict[str, str]:
    """Return the types of the answers to these commands."""
    types: dict[str, str] = {}
    while set(types) != set(ids):
        message = json.loads(await client.until_frame(TEXT))
        if message.get("id") in ids:
            types[message["id"]] = message["type"]
    return types


def ping(command_id: str) -> bytes:
    return client_frame(TEXT, json.dumps({"type": "ping", "id": command_id}).encode())


async def test_hello_and_commands_may_come_with_the_handshake(server: LocalServer) -> None:
    """A client that does not wait for our answer loses nothing."""
    ann = await guest(server.url, "Ann")
    room = (await friends_room(server, ann))["room"]["id"]
    hello = {"type": "hello", "protocol": 1, "room": room, "token": ann.token}
    chat = {"type": "chat", "id": "1", "text": "hello"}
    early = b"".join(client_frame(TEXT, json.dumps(message).encode()) for message in (hello, chat)) + ping("2")
    async with handshake(server, more=early) as client:
        assert client.status == 101
        assert await answers(client, "1", "2") == {"1": "ok", "2": "pong"}
        client.writer.write(ping("3"))
        assert await answers(client, "3") == {"3": "pong"}


async def test_a_hello_and_many_commands_in_one_segment(server: LocalServer) -> None:
    async with handshake(server) as client:
        client.writer.write(HELLO + b"".join(ping(f"{n}") for n in range(50)))
        assert len(await answers(client, *[f"{n}" for n in range(50)])) == 50


async def test_a_message_in_parts_is_one_message(server: LocalServer) -> None:
    """A control frame may come between the parts."""
    async with handshake(server) as client:
        client.writer.write(client_frame(TEXT, LOBBY_HELLO[:9], fin=False) + client_frame(PING, b"?"))
        client.writer.write(client_frame(CONTINUATION, LOBBY_HELLO[9:]))
        assert await client.until_frame(PONG) == b"?"
        client.writer.write(client_frame(TEXT, b'{"type":"ping",', fin=False))
        client.writer.write(client_frame(CONTINUATION, b'"id"', fin=False) + client_frame(CONTINUATION, b':"1"}'))
        assert await answers(client, "1") == {"1": "pong"}


async def test_a_frame_that_arrives_byte_by_byte(server: LocalServer) -> None:
    async with handshake(server) as client:
        for byte in HELLO + ping("1"):
            client.writer.write(bytes((byte,)))
            await client.writer.drain()
            await asyncio.sleep(0)
        assert await answers(client, "1") == {"1": "pong"}


async def test_pings_are_answered_before_and_after_the_hello(server: LocalServer) -> None:
    async with handshake(server) as client:
        client.writer.write(client_frame(PING, b"before") + client_frame(PONG, b"for nothing"))
        assert await client.until_frame(PONG) == b"before"
        client.writer.write(HELLO + client_frame(PING, b"after") + client_frame(PONG, b""))
        assert await client.until_frame(PONG) == b"after"


# --- broken frames ------------------------------------------------------------------------------------------------

TOO_LONG_IN_PARTS = b"".join(client_frame(CONTINUATION if n else TEXT, b"x" * 1_000, fin=False) for n in range(9))
BROKEN: dict[str, tuple[bytes, set[int | None]]] = {
    "not UTF-8": (client_frame(TEXT, b"\xff\xfe"), {1007}),
    "half a surrogate pair as UTF-8": (client_frame(TEXT, b'{"type":"\xed\xa0\x80"}'), {1007}),
    "the bit of an extension": (client_frame(TEXT, b"{}", reserved=4), {1002}),
    "another reserved bit": (client_frame(TEXT, b"{}", reserved=1), {1002}),
    "an unknown data frame": (client_frame(3, b""), {1002}),
    "an unknown control frame": (client_frame(11, b""), {1002}),
    "a part of no message": (client_frame(CONTINUATION, b"more"), {1002}),
    "a long ping": (client_frame(PING, b"x" * 126), {1002}),
    "a ping in parts": (client_frame(PING, b"ping", fin=False), {1002}),
    "a new message within another": (client_frame(TEXT, b"{", fin=False) + client_frame(TEXT, b"}"), {1002}),
    "a byte too long": (client_frame(TEXT, b"x" * (MAX_FRAME + 1)), {1009}),
    "far too long": (client_frame(TEXT, b"x" * 70_000), {1009, None}),
    "a terabyte": (struct.pack("!BBQ", 0x81, 0xFF, 1 << 40) + b"abcd", {1009}),
    "too long in parts": (TOO_LONG_IN_PARTS, {1009}),
    "binary": (client_frame(BINARY, b"{}"), {1008}),
    "empty and binary": (client_frame(BINARY, b""), {1008}),
    "a close without a code": (client_frame(CLOSE, b""), {1000, 1005}),
}


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("greeted", [False, True])
async def test_a_broken_frame_closes_with_its_code(server: LocalServer, kind: str, greeted: bool) -> None:
    broken, codes = BROKEN[kind]
    async with handshake(server) as client:
        assert client.status == 101
        client.writer.write((HELLO if greeted else b"") + broken)
        assert await client.close_code() in codes


@pytest.mark.parametrize("opcode", [TEXT, BINARY, CONTINUATION, CLOSE, PING, PONG])
async def test_a_frame_without_a_mask_closes_with_1002(server: LocalServer, opcode: int) -> None:
    async with handshake(server) as client:
        client.writer.write(HELLO + client_frame(opcode, b"", mask=False))
        assert await client.close_code() == 1002


@pytest.mark.parametrize("code", [1006, 5000])
async def test_a_close_code_that_is_never_sent_is_1002(server: LocalServer, code: int) -> None:
    async with handshake(server) as client:
        client.writer.write(HELLO + client_frame(CLOSE, struct.pack("!H", code)))
        assert await client.close_code() == 1002


async def test_a_command_before_a_close_gets_its_answer(server: LocalServer) -> None:
    ann = await guest(server.url, "Ann")
    room = (await friends_room(server, ann))["room"]["id"]
    hello = {"type": "hello", "protocol": 1, "room": room, "token": ann.token}
    chat = {"type": "chat", "id": "1", "text": "good bye"}
    early = b"".join(client_frame(TEXT, json.dumps(message).encode()) for message in (hello, chat))
    async with handshake(server, more=early + client_frame(CLOSE, struct.pack("!H", 1000))) as client:
        assert await answers(client, "1") == {"1": "ok"}
        assert await client.close_code() == 1000


# --- the end ------------------------------------------------------------------------------------------------------


async def test_the_server_waits_for_the_clients_close_frame(server: LocalServer) -> None:
    """A transport that is closed too early resets the connection, and a client that still sends loses our close code."""
    async with handshake(server) as client:
        client.writer.write(HELLO + 20 * NONSENSE)
        assert await client.close_code() == 4429
        client.writer.write(NONSENSE)
        for _ in range(100):
            await asyncio.sleep(0)
        assert not client.reader.at_eof()
        client.writer.write(client_frame(CLOSE, struct.pack("!H", 4429)))
        async with asyncio.timeout(WAIT_S):
            assert await client.reader.read() == b""


async def test_a_client_that_vanishes_during_our_close_ends_it(server: LocalServer) -> None:
    async with handshake(server) as client:
        client.writer.write(HELLO + 20 * NONSENSE)
        assert await client.close_code() == 4429
        client.writer.transport.abort()
    await guest(server.url)  # the server goes on


async def test_a_client_that_hangs_up_leaves_no_trace(server: LocalServer) -> None:
    async with pair(server) as game:
        for hello in (b"", client_frame(TEXT, json.dumps({"type": "hello", "protocol": 1, "room": game.id}).encode())):
            for _ in range(5):
                async with handshake(server) as client:
                    client.writer.write(hello)
                    await client.writer.drain()
                    client.writer.transport.abort()
        await game.play("b2", "a1")
        async with enter(server, game.id) as watcher:  # whose hello is read after all of those
            crowd = await until_crowd(watcher, lambda crowd: crowd["spectators"] == 1)
            assert crowd["names"] == []


async def test_a_hangup_during_the_handshake_leaves_no_traceback(start_server: StartServer) -> None:
    server = start_server()
    for _ in range(20):
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        linger = struct.pack("ii", 1, 0)  # the connection ends with a reset
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.write(
            b"GET /ws HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        writer.transport.abort()
    await guest(server.url)  # a server that answers this has seen those
    assert await asyncio.to_thread(server.stop) == 0
    assert "Traceback" not in server.log, server.log
