"""Many idle connections that note when a message reaches them, at the least cost for the reader.

Plain sockets and one epoll: an event loop's bookkeeping for a thousand of them would take longer than the fan-out.
"""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from tests.bench.websocket import PING, PONG, TEXT, frame, handshake, parse

TIMEOUT_S = 60.0


class Listeners:
    """Connections to one URL that receive the same messages.

    Args:
        url: Where to connect to.
        hello: The first message to send; empty for none.
        prefix: The beginning of the messages that count.
    """

    def __init__(self, url: str, hello: str, prefix: bytes) -> None:
        self._url = url
        self._hello = frame(hello.encode()) if hello else b""
        self._prefix = prefix
        self._sockets: dict[int, socket.socket] = {}
        self._rests: dict[int, bytes] = {}
        self._epoll = select.epoll()

    def enter(self, count: int, hello: str = "") -> None:
        """Open connections, one after the other, each until it has received a first message if it sent a hello.

        ``hello`` is sent instead of the hello of all.
        """
        parts, first = urlsplit(self._url), frame(hello.encode()) if hello else self._hello
        for _ in range(count):
            connection = socket.create_connection((parts.hostname, parts.port), TIMEOUT_S)
            connection.sendall(handshake(self._url))
            data = b""
            while b"\r\n\r\n" not in data:
                data += connection.recv(65_536)
            if not data.startswith(b"HTTP/1.1 101"):
                raise ConnectionError(data.decode())
            rest = data.partition(b"\r\n\r\n")[2]
            connection.sendall(first)
            seen = not first
            while not seen:
                rest += connection.recv(65_536)
                messages, rest = parse(rest)
                seen = any(message.startswith(self._prefix) for _, message in messages)
            connection.setblocking(False)
            descriptor = connection.fileno()
            self._sockets[descriptor] = connection
            self._rests[descriptor] = rest
            self._epoll.register(descriptor, select.EPOLLIN)

    def time(self, started: float) -> list[float]:
        """Read until every connection has a message that counts; return when each was read, in seconds since ``started``."""
        times: dict[int, float] = {}
        deadline = time.monotonic() + TIMEOUT_S

        def note(descriptor: int) -> None:
            times.setdefault(descriptor, time.perf_counter() - started)

        while len(times) < len(self._sockets):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{len(times)} of {len(self._sockets)} have it")
            self._read(0.1, note)
        return list(times.values())

    def drain(self, seconds: float) -> None:
        """Read what comes for a while, and answer pings."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self._read(left, lambda descriptor: None)

    def close(self) -> None:
        """Close all connections."""
        self._epoll.close()
        for connection in self._sockets.values():
            connection.close()

    def _read(self, seconds: float, note: Callable[[int], None]) -> None:
        for descriptor, _ in self._epoll.poll(seconds, len(self._sockets)):
            data = self._sockets[descriptor].recv(65_536)
            if not data:
                raise ConnectionError("the server closed a connection")
            messages, self._rests[descriptor] = parse(self._rests[descriptor] + data)
            for opcode, message in messages:
                if opcode == TEXT and message.startswith(self._prefix):
                    note(descriptor)
                elif opcode == PING:
                    self._sockets[descriptor].send(frame(message, PONG))
