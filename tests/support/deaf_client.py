"""A client that sends its hello and reads nothing from then on."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.player import Message
from tests.support.raw_websocket import TEXT, client_frame, upgrade_request
from tests.support.server import RunningServer


@contextmanager
def deaf_client(server: RunningServer, hello: Message) -> Iterator[socket.socket]:
    """Connect such a client. Its receive buffer is as small as the system allows."""
    host, port = server.url.removeprefix("http://").split(":")
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.connect((host, int(port)))
        text = json.dumps({"type": "hello", "protocol": 1, **hello}).encode()
        client.sendall(upgrade_request() + client_frame(TEXT, text))
        yield client
