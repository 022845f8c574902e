"""``/healthz``, ``/readyz`` and ``/metrics``: what a monitor sees, and what a stranger sees."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Set
from pathlib import Path

import pytest
import pytest_asyncio

from noughts import __version__
from noughts.app.endpoints import health
from noughts.store.contract import Guarantee, NodeStatus, Pulse, StoreUnavailableError
from noughts.store.sqlite.store import SqliteStore
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, connect
from tests.support.responses import raw_response, rejection

FORWARDED = ["203.0.113.9", "127.0.0.1", "203.0.113.9, 127.0.0.1", "::1"]
"""A stranger behind a local proxy may write anything into this header."""


class ProbedStore(SqliteStore):
    """A store that counts the questions whether it can be written, and answers as a test says."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.beats = 0
        self.fails = False
        self.hangs = False

    async def beat(self, status: NodeStatus, now_ms: int, players: Set[str] = frozenset()) -> Pulse:
        self.beats += 1
        if self.hangs:
            await asyncio.Event().wait()
        if self.fails:
            raise StoreUnavailableError("out of order")
        return await super().beat(status, now_ms, players)


class Probed:
    """A server on such a store."""

    def __init__(self, server: LocalServer, store: ProbedStore) -> None:
        self.api = Api(server.url)
        self.store = store

    async def statuses(self, count: int) -> set[int]:
        """Ask this many times at once whether the server is ready."""
        return {status for status, _ in await asyncio.gather(*[self.api.call("GET", "/readyz") for _ in range(count)])}


@pytest_asyncio.fixture(loop_scope="session")
async def probed(tmp_path: Path) -> AsyncIterator[Probed]:
    """Return a server whose store a test can break."""
    store = ProbedStore(tmp_path / "noughts.db")
    async with local_server(tmp_path, store) as server:
        store.beats = 0  # without that of the start
        yield Probed(server, store)


# --- details ------------------------------------------------------------------------------------------------------


async def test_this_machine_sees_details(server: LocalServer) -> None:
    here = Api(server.url)
    async with connect(server.ws_url, {"lobby": True}) as client:
        await client.receive()
        details = await here.get("/healthz")
    assert (details["status"], details["version"]) == ("ok", __version__)
    assert details["connections"] >= 1
    assert details["rooms_hosted"] >= 0
    assert (details["searches_running"], details["searches_waiting"]) == (0, 0)
    assert await here.get("/readyz") == {"status": "ready"}


async def test_this_machine_sees_metrics(server: LocalServer) -> None:
    status, headers, body = await raw_response(server, "GET", "/metrics")
    assert (status, headers["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    for name in (b"noughts_connections ", b"noughts_store_batches ", b"# TYPE noughts_commands_total counter"):
        assert name in body


@pytest.mark.parametrize("forwarded", FORWARDED)
async def test_a_stranger_sees_no_details(server: LocalServer, forwarded: str) -> None:
    headers, anyone = {"X-Forwarded-For": forwarded}, Api(server.url)
    assert await anyone.call("GET", "/healthz", headers=headers) == (200, {"status": "ok"})
    assert await anyone.call("GET", "/readyz", headers=headers) == (200, {"status": "ready"})
    assert await rejection(anyone, "GET", "/metrics", headers=headers) == (403, "forbidden")


async def test_metrics_may_be_open_to_everyone(tmp_path: Path) -> None:
    async with local_server(tmp_path, open_metrics=True) as server:
        headers = {"X-Forwarded-For": "203.0.113.9"}
        assert (await Api(server.url).call("GET", "/metrics", headers=headers))[0] == 200
        assert "version" in (await Api(server.url).call("GET", "/healthz", headers=headers))[1]


# --- readiness ----------------------------------------------------------------------------------------------------


async def test_readiness_checks_at_once_share_one_write(probed: Probed) -> None:
    """Finding out is a write, and anybody may ask. A good answer holds for a second."""
    assert await probed.statuses(50) == {200}
    assert probed.store.beats == 1
    assert await probed.statuses(1) == {200}
    assert probed.store.beats == 1


async def test_a_readiness_check_is_cached_for_one_second(probed: Probed, monkeypatch: pytest.MonkeyPatch) -> None:
    assert health.READY_S == 1.0
    monkeypatch.setattr(health, "READY_S", 0.0)
    assert await probed.statuses(1) == {200}
    probed.store.fails = True
    assert await probed.statuses(1) == {503}
    assert probed.store.beats >= 2  # the outage that has begun is probed too


async def test_the_reason_is_for_this_machine_only(probed: Probed) -> None:
    probed.store.fails = True
    details = {"status": "not ready", "why": "the store cannot be written"}
    assert await probed.api.call("GET", "/readyz") == (503, details)
    headers = {"X-Forwarded-For": "203.0.113.9"}
    assert await probed.api.call("GET", "/readyz", headers=headers) == (503, {"status": "not ready"})


async def test_a_server_with_a_hanging_store_is_not_ready(probed: Probed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "STORE_ANSWER_S", 0.05)
    probed.store.hangs = True
    assert await probed.statuses(3) == {503}
    assert probed.store.beats == 1


async def test_a_monitor_that_disconnects_leaves_others_their_answer(probed: Probed) -> None:
    """The write goes on, and answers the others."""
    _, writer = await asyncio.open_connection(*probed.api.url.removeprefix("http://").split(":"))
    writer.write(b"GET /readyz HTTP/1.1\r\nHost: here\r\n\r\n")
    writer.transport.abort()
    assert await probed.statuses(5) == {200}


async def test_a_server_without_its_file_is_not_ready(probed: Probed, monkeypatch: pytest.MonkeyPatch) -> None:
    """The probe writes nothing: the store would write to a file that nobody finds again."""
    monkeypatch.setattr(probed.store, "loss_reason", lambda: "the file was deleted")
    details = {"status": "not ready", "why": "the file was deleted"}
    assert await probed.api.call("GET", "/readyz") == (503, details)


@pytest.mark.parametrize("weakness", [None, "It is weak: mend it."])
async def test_a_node_of_several_says_what_its_store_guarantees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weakness: str | None
) -> None:
    """That depends on how the operator set it up. A stranger is not shown it."""
    monkeypatch.setattr(SqliteStore, "shared", True)
    monkeypatch.setattr(SqliteStore, "guarantee", lambda store: Guarantee("written down", weakness))
    async with local_server(tmp_path) as server:
        answer = await Api(server.url).get("/readyz")
        _, stranger = await Api(server.url).call("GET", "/readyz", headers={"X-Forwarded-For": "203.0.113.9"})
    shown = {"status": "ready", "guarantee": "written down"}
    assert (answer, stranger) == (shown | ({"weakness": weakness} if weakness else {}), {"status": "ready"})
