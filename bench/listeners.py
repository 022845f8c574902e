"""Many idle connections, at the least cost for the reader: plain sockets and one epoll."""

from __future__ import annotations

import asyncio
import json
import resource
import select
import socket
import time
from typing import Final
from urllib.parse import urlsplit

from bench.noughts_server import Noughts
from bench.websocket import PING, PONG, frame, handshake, parse

TIMEOUT_S = 60.0
FIRST: Final = 100
"""Connections that fill what a server allocates once; memory is counted from there."""
A_ROOM: Final = 20
"""Spectators of a room."""
SETTLED_S: Final = 2.0


class Listeners:
    """Connections to one URL. ``prefix`` is the beginning of the first message that each of them waits for."""

    def __init__(self, url: str, prefix: bytes) -> None:
        self._url = url
        self._prefix = prefix
        self._sockets: dict[int, socket.socket] = {}
        self._rests: dict[int, bytes] = {}
        self._epoll = select.epoll()

    def enter(self, count: int, hello: str) -> None:
        """Open connections, one after the other, each until it has received a first message."""
        parts = urlsplit(self._url)
        for _ in range(count):
            connection = socket.create_connection((parts.hostname, parts.port), TIMEOUT_S)
            connection.sendall(handshake(self._url))
            data = b""
            while b"\r\n\r\n" not in data:
                data += connection.recv(65_536)
            if not data.startswith(b"HTTP/1.1 101"):
                raise ConnectionError(data.decode())
            rest = data.partition(b"\r\n\r\n")[2]
            connection.sendall(frame(hello.encode()))
            seen = False
            while not seen:
                rest += connection.recv(65_536)
                messages, rest = parse(rest)
                seen = any(message.startswith(self._prefix) for _, message in messages)
            connection.setblocking(False)
            descriptor = connection.fileno()
            self._sockets[descriptor] = connection
            self._rests[descriptor] = rest
            self._epoll.register(descriptor, select.EPOLLIN)

    def drain(self, seconds: float) -> None:
        """Read what comes for a while, and answer pings."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            for descriptor, _ in self._epoll.poll(left, len(self._sockets)):
                data = self._sockets[descriptor].recv(65_536)
                if not data:
                    raise ConnectionError("the server closed a connection")
                messages, self._rests[descriptor] = parse(self._rests[descriptor] + data)
                for opcode, message in messages:
                    if opcode == PING:
                        self._sockets[descriptor].send(frame(message, PONG))

    def close(self) -> None:
        """Close all connections."""
        self._epoll.close()
        for connection in self._sockets.values():
            connection.close()


async def idle_kib(server: Noughts, idle: int) -> float:
    """Return the KiB of memory that a server takes for each of some idle connections, which watch rooms."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    listeners = Listeners(server.ws_url, b'{"type":"room"')
    base_kib = 0
    try:
        for number, room in enumerate(await server.hold_rooms(idle // A_ROOM), 1):
            listeners.enter(A_ROOM, json.dumps({"type": "hello", "protocol": 1, "room": room}))
            if number * A_ROOM == FIRST:
                base_kib = server.rss_kib()
            if number % 10 == 0:
                listeners.drain(0.01)  # answer the pings of those who are there
        listeners.drain(SETTLED_S)
        await asyncio.sleep(0.1)
        return (server.rss_kib() - base_kib) / (idle // A_ROOM * A_ROOM - FIRST)
    finally:
        listeners.close()
