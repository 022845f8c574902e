"""The HTTP endpoints: their answers, their rejections, and programs that are no Noughts server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from noughts.client.connection import UNAVAILABLE_TRIES
from noughts.client.endpoints import Endpoints
from noughts.client.errors import ConnectError, Rejected, RoomGone
from noughts.protocol.bodies import NewPlayer, PlayerAnswer, Rename, VariantsAnswer
from tests.support.server import RunningServer


@asynccontextmanager
async def answering(answer: bytes, requests: list[None] | None = None) -> AsyncIterator[str]:
    """Serve one answer to every request, and count the requests. Yield the URL."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        if requests is not None:
            requests.append(None)
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@asynccontextmanager
async def endpoints(url: str, token: str | None = None) -> AsyncIterator[Endpoints]:
    caller = Endpoints(url, token, unavailable_ms=1)
    try:
        yield caller
    finally:
        await caller.close()


async def test_answers_are_typed(server: RunningServer) -> None:
    async with endpoints(server.url) as anyone:
        assert (await anyone.get("/api/variants", VariantsAnswer)).variants[0].key == "classic"
        answer = await anyone.post("/api/players", PlayerAnswer, NewPlayer("Ann"))
        assert answer.player.name == "Ann"
    async with endpoints(server.url, answer.token) as ann:
        assert (await ann.get("/api/players/me", PlayerAnswer)).player == answer.player
        assert (await ann.patch("/api/players/me", PlayerAnswer, Rename("Bea"))).player.name == "Bea"


async def test_a_rejection_has_the_code_of_the_server(server: RunningServer) -> None:
    async with endpoints(server.url, "unknown") as anyone:
        with pytest.raises(Rejected, match="unauthorized") as rejected:
            await anyone.get("/api/players/me", PlayerAnswer)
        assert rejected.value.retry_ms is None
        with pytest.raises(RoomGone, match="ask for another link"):
            await anyone.get("/api/rooms/none", PlayerAnswer)


async def test_the_server_says_when_to_ask_again() -> None:
    body = b'{"error":{"code":"rate_limited","message":"Slow down."}}'
    head = b"HTTP/1.1 429 No\r\nRetry-After: 7\r\nContent-Length: %d\r\n\r\n" % len(body)
    async with answering(head + body) as url, endpoints(url) as anyone:
        with pytest.raises(Rejected, match="rate_limited: Slow down") as rejected:
            await anyone.get("/api/variants", VariantsAnswer)
        assert rejected.value.retry_ms == 7_000


async def test_a_get_is_asked_again_while_the_server_has_no_time() -> None:
    body = b'{"error":{"code":"unavailable","message":"Busy."}}'
    requests: list[None] = []
    async with answering(b"HTTP/1.0 503 No\r\n\r\n" + body, requests) as url, endpoints(url) as anyone:
        with pytest.raises(Rejected, match="unavailable"):
            await anyone.get("/api/variants", VariantsAnswer)
        assert len(requests) == UNAVAILABLE_TRIES
        with pytest.raises(Rejected, match="unavailable"):
            await anyone.post("/api/players", PlayerAnswer, NewPlayer())
        assert len(requests) == UNAVAILABLE_TRIES + 1  # the server may have made the player


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.0 200 OK\r\n\r\n<p>Hello</p>",
        b"HTTP/1.0 404 No\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.0 302 No\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
        b"SSH-2.0-OpenSSH\r\n",
        b'HTTP/1.0 200 OK\r\n\r\n{"variants":7}',
    ],
)
async def test_another_program_is_no_noughts_server(answer: bytes) -> None:
    async with answering(answer) as url, endpoints(url) as anyone:
        with pytest.raises(ConnectError, match=f"no Noughts server at {url}.*Check the URL"):
            await anyone.get("/api/variants", VariantsAnswer)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://no.such.host.invalid"])
async def test_a_server_that_is_not_there_is_named(url: str) -> None:
    async with endpoints(url) as anyone:
        with pytest.raises(ConnectError, match=f"No server can be reached at {url}: .*Start it, or check the URL"):
            await anyone.get("/api/variants", VariantsAnswer)


async def test_a_server_that_hangs_up_is_named() -> None:
    async with answering(b"") as url, endpoints(url) as anyone:
        with pytest.raises(ConnectError, match="No server can be reached"):
            await anyone.get("/api/variants", VariantsAnswer)
