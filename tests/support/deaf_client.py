"""A client that sends its hello and reads nothing from then on."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.player import Message
from tests.support.server import RunningServer

HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
)


@contextmanager
def deaf_client(server: RunningServer, hello: Message) -> Iterator[socket.socket]:
    """Connect such a client. Its receive buffer is as small as the system allows."""
    host, port = server.url.removeprefix("http://").split(":")
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.connect((host, int(port)))
        text = json.dumps({"type": "hello", "protocol": 1, **hello}).encode()
        # A mask of zeros leaves the text as it is.
        client.sendall(HANDSHAKE + struct.pack("!BBH", 0x81, 0xFE, len(text)) + bytes(4) + text)
        yield client
