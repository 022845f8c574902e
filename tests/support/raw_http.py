"""HTTP without a library: requests byte by byte, and all answers of a connection."""

from __future__ import annotations

import asyncio
from typing import Final, NamedTuple

from tests.support.player import WAIT_S, Served
from tests.support.raw_websocket import authority

END: Final = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
"""A request after which the server ends the connection."""
NO_BODY: Final = frozenset((101, 204, 304))


class Answer(NamedTuple):
    """A status, the head of the answer, and its body."""

    status: int
    head: str
    body: bytes

    def header(self, name: str) -> str | None:
        """Return the value of a header; None without it."""
        for line in self.head.split("\r\n")[1:]:
            key, _, value = line.partition(":")
            if key.lower() == name.lower():
                return value.strip()
        return None


def answers_in(data: bytes, *, heads_only: bool = False) -> list[Answer]:
    """Return the answers that a connection carried. Raise ValueError for bytes that are no answer."""
    answers = []
    while data:
        head, separator, rest = data.partition(b"\r\n\r\n")
        if not separator or not head.startswith(b"HTTP/1."):
            raise ValueError(f"no answer: {data[:200]!r}")
        answer = Answer(int(head.split()[1]), head.decode("latin-1"), b"")
        size = 0
        if answer.status >= 200 and answer.status not in NO_BODY and not heads_only:
            size = int(answer.header("Content-Length") or len(rest))
        answers.append(answer._replace(body=rest[:size]))
        data = rest[size:]
    return answers


async def exchange(
    server: Served, data: bytes, address: str | None = None, *, heads_only: bool = False
) -> list[Answer]:
    """Send bytes, and return all answers until the server ends the connection.

    The bytes must make the server end it: they are malformed, or their last request is :data:`END`.
    """
    host, port = authority(server).split(":")
    local = None if address is None else (address, 0)
    reader, writer = await asyncio.open_connection(host, int(port), local_addr=local)
    received = b""
    try:
        writer.write(data)
        async with asyncio.timeout(WAIT_S):
            while chunk := await reader.read(65_536):
                received += chunk
    except ConnectionError:
        pass  # the server did not read all that was sent
    finally:
        writer.close()
    return answers_in(received, heads_only=heads_only)


def request(line: str, *headers: str, body: bytes = b"", host: str | None = "127.0.0.1") -> bytes:
    """Return a request. ``line`` lacks the version; a body gets its length unless a header gives one."""
    lines = [f"{line} HTTP/1.1"]
    if host is not None:
        lines.append(f"Host: {host}")
    lines += headers
    if body and not any(header.lower().startswith(("content-length", "transfer-encoding")) for header in headers):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body
