"""The start of one of several nodes, whose store may not be there yet, and of a server below a path."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from noughts.app import server as server_module
from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.sqlite.store import SqliteStore
from tests.support.local_server import local_server
from tests.support.player import WAIT_S, Api
from tests.support.responses import raw_response


class LateStore(SqliteStore):
    """A store of several nodes that cannot be reached at first, and then has the data of another release."""

    opened = 0

    async def open(self) -> None:
        self.opened += 1
        raise StoreUnavailableError("out of order") if self.opened < 3 else SchemaError("The data has another schema.")


async def test_a_node_that_cannot_use_its_store_tries_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its operator reads why."""
    monkeypatch.setattr(server_module, "PROBE_S", 0.0)
    monkeypatch.setattr(SqliteStore, "shared", True)
    store = LateStore(tmp_path / "noughts.db")
    with capture_logs() as lines:
        async with local_server(tmp_path, store) as server, asyncio.timeout(WAIT_S):
            while not [line for line in lines if "cannot use" in line["event"]]:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            status, body = await Api(server.url).call("GET", "/readyz")
            assert (status, body["why"]) == (503, "The data has another schema.")
            assert store.opened == 3
    assert [line["event"] for line in lines].count("the store cannot be reached: this node waits for it") == 1


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
