"""The HTTP endpoints: their answers, their rejections, and programs that are no Noughts server."""

from __future__ import annotations

import asyncio
import gzip
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from noughts.client.connection import MAX_MESSAGE, UNAVAILABLE_TRIES
from noughts.client.endpoints import Endpoints
from noughts.client.errors import ConnectError, Rejected, RoomGone
from noughts.protocol.bodies import NewPlayer, PlayerAnswer, Rename, VariantsAnswer
from tests.support.one_answer import answering
from tests.support.server import RunningServer


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
        answer = await anyone.call("POST", "/api/players", PlayerAnswer, NewPlayer("Ann"))
        assert answer.player.name == "Ann"
    async with endpoints(server.url, answer.token) as ann:
        assert (await ann.get("/api/players/me", PlayerAnswer)).player == answer.player
        assert (await ann.call("PATCH", "/api/players/me", PlayerAnswer, Rename("Bea"))).player.name == "Bea"


async def test_a_rejection_has_the_code_of_the_server(server: RunningServer) -> None:
    async with endpoints(server.url, "unknown") as anyone:
        with pytest.raises(Rejected, match="unauthorized") as rejected:
            await anyone.get("/api/players/me", PlayerAnswer)
        assert rejected.value.retry_ms is None
        with pytest.raises(RoomGone, match="ask for another link"):
            await anyone.get("/api/rooms/none", PlayerAnswer)


async def test_a_get_is_asked_again_while_the_server_has_no_time() -> None:
    """Not where it names another reason and the time to wait."""
    answers = {
        code: b'HTTP/1.0 %s\r\n\r\n{"error":{"code":"%s","message":"Slow down."}}' % (head, code.encode())
        for code, head in (("unavailable", b"503 No"), ("rate_limited", b"429 No\r\nRetry-After: 7"))
    }
    requests: asyncio.Queue[None] = asyncio.Queue()
    async with answering(answers["unavailable"], requests) as url, endpoints(url) as anyone:
        with pytest.raises(Rejected, match="unavailable"):
            await anyone.get("/api/variants", VariantsAnswer)
        assert requests.qsize() == UNAVAILABLE_TRIES
        with pytest.raises(Rejected, match="unavailable"):
            await anyone.call("POST", "/api/players", PlayerAnswer, NewPlayer())
        assert requests.qsize() == UNAVAILABLE_TRIES + 1  # the server may have made the player
    async with answering(answers["rate_limited"]) as url, endpoints(url) as anyone:
        with pytest.raises(Rejected, match="rate_limited: Slow down") as rejected:
            await anyone.get("/api/variants", VariantsAnswer)
        assert rejected.value.retry_ms == 7_000


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


@pytest.mark.parametrize("kind", ["text/plain", "application/json\r\nContent-Encoding: gzip"])
async def test_an_endless_answer_is_not_read_to_its_end(kind: str) -> None:
    """Neither is a small one that would become an endless one."""
    body = gzip.compress(bytes(64 << 20)) if "gzip" in kind else bytes(8 << 20)
    head = b"HTTP/1.0 200 OK\r\nContent-Type: %b\r\n\r\n" % kind.encode()
    async with answering(head + body) as url, endpoints(url) as anyone:
        tracemalloc.start()
        with pytest.raises(ConnectError, match=f"no Noughts server at {url}.*Check the URL"):
            await anyone.get("/api/variants", VariantsAnswer)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 16 * MAX_MESSAGE


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://no.such.host.invalid", ""])
async def test_a_server_that_is_not_there_is_named(url: str) -> None:
    """So is one that hangs up."""
    async with answering(b"") as silent, endpoints(url or silent) as anyone:
        with pytest.raises(ConnectError, match=f"No server can be reached at {url}.*: .*Start it, or check the URL"):
            await anyone.get("/api/variants", VariantsAnswer)
