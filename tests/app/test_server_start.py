"""The start of one of several nodes, whose store may not be there yet, and of a server below a path."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from noughts.app import server as server_module
from noughts.app.runtime.clock import ServerClock
from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.sqlite.store import SqliteStore
from tests.support.exchange import Exchange, Link, backend_of
from tests.support.flaky_store import FlakyStore
from tests.support.local_server import local_server
from tests.support.player import WAIT_S, Api, guest
from tests.support.responses import raw_response


class LateLink(Link):
    """A link to a shared store that cannot be opened for some time."""

    opened = 0
    schema_error: SchemaError | None = None

    async def open(self) -> None:
        self.opened += 1
        if self.schema_error is not None:
            raise self.schema_error
        self._check()
        await self._exchange.store.open()


@pytest.fixture
def link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LateLink:
    """Return the link of a node whose store cannot be reached yet. The node tries again in each turn of its loop."""
    monkeypatch.setattr(server_module, "PROBE_S", 0.0)
    exchange = Exchange(FlakyStore(tmp_path / "noughts.db"), ServerClock())
    link = exchange.links["one"] = LateLink(exchange, "one")
    link.cut = True
    return link


async def test_a_node_waits_for_its_store(tmp_path: Path, link: LateLink) -> None:
    """It listens at once, is not ready and says why, and serves without a restart once the store is there."""
    with capture_logs() as lines:
        async with local_server(tmp_path, backend=backend_of(link)) as server, asyncio.timeout(WAIT_S):
            while link.opened < 3:  # noqa: ASYNC110 - it tries again and again
                await asyncio.sleep(0.01)
            anyone = Api(server.url)
            status, body = await anyone.call("GET", "/readyz")
            assert (status, body["why"]) == (503, "this node does not reach the store")
            link.cut = False
            while (await anyone.call("GET", "/readyz"))[0] != 200:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            await guest(server.url, "Ann")
    assert [line["event"] for line in lines].count("the store cannot be reached: this node waits for it") == 1


async def test_a_node_that_cannot_use_its_store_tries_no_more(tmp_path: Path, link: LateLink) -> None:
    """Its operator reads why."""
    with capture_logs() as lines:
        async with local_server(tmp_path, backend=backend_of(link)) as server, asyncio.timeout(WAIT_S):
            link.schema_error = SchemaError("The data has another schema.")
            while not [line for line in lines if "cannot use" in line["event"]]:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            opened = link.opened
            status, body = await Api(server.url).call("GET", "/readyz")
            assert (status, body["why"]) == (503, "The data has another schema.")
            assert link.opened == opened


async def test_a_server_alone_does_not_start_without_its_store(tmp_path: Path) -> None:
    """Nothing else could bring the store back."""
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailableError):
        async with local_server(tmp_path, SqliteStore(tmp_path / "file" / "noughts.db")):
            raise AssertionError("it has started")


async def test_the_path_of_a_server_leads_to_its_page(tmp_path: Path) -> None:
    async with local_server(tmp_path, base_path="/games") as server:
        status, headers, _ = await raw_response(server, "GET", "")
        assert (status, headers["Location"]) == (308, "/games/")
        assert (await raw_response(server, "GET", "/"))[0] == 200
