"""A whole server in the process and event loop of the test, which can measure it and reach its parts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web

from noughts.app.runtime.admin_secret import read_secrets
from noughts.app.runtime.config import Config
from noughts.app.server import Server
from noughts.store.backend import Backend, single_node
from noughts.store.contract import Store
from noughts.store.sqlite.store import SqliteStore
from tests.support.player import Api

QUICK_CONFIG: dict[str, Any] = {"limits": False, "engine_pace_ms": 0, "engines_pace_ms": 0, "workers": 1}
"""The settings of :data:`tests.support.server.QUICK`, and one worker."""


class LocalServer:
    """A server of this process that listens on the loopback."""

    def __init__(self, server: Server, data: Path, host: str, port: int, base_path: str = "") -> None:
        self.server = server
        self.data = data
        self.host = host
        self.port = port
        self.url = f"http://{host}:{port}{base_path}"
        self.ws_url = f"ws://{host}:{port}{base_path}/ws"

    def operator(self) -> Api:
        """Return what the command line sends to the server, whose secret is in the data directory from now on."""
        self.server.admin_secret.write(self.url)
        (secret,) = read_secrets(self.data)
        return Api(*secret)


@asynccontextmanager
async def local_server(
    data: Path,
    store: Store | None = None,
    backend: Backend | None = None,
    programs_fault: str | None = None,
    **settings: Any,
) -> AsyncIterator[LocalServer]:
    """Serve on a free port. ``settings`` are fields of the configuration.

    The store is a file in ``data``, unless a store for one node is given, or a whole backend. ``programs_fault`` is why the
    engine's compiled programs do not run, None if they do.
    """
    config = Config(data=data, **{**QUICK_CONFIG, **settings})
    backend = backend or single_node(store or SqliteStore(data / "noughts.db"))
    server = Server(config, backend, programs_fault=programs_fault)
    runner = web.AppRunner(server.application(), handle_signals=False, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    listener = await server.listen(runner, "127.0.0.1", 0)
    try:
        host, port = listener.sockets[0].getsockname()[:2]
        yield LocalServer(server, data, host, port, config.base_path)
    finally:
        listener.close()
        await runner.cleanup()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalServer]:
    """Return one server for all tests that do not stop it. The engine has no pace and there are no limits."""
    async with local_server(tmp_path_factory.mktemp("local-server")) as running:
        yield running
