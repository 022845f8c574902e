"""The router against the table of endpoints, and the headers of every answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp import hdrs

from noughts.app.runtime.config import Config
from noughts.app.server import Server
from noughts.protocol.endpoints import ENDPOINTS
from noughts.store.backend import single_node
from noughts.store.sqlite.store import SqliteStore
from tests.support.local_server import LocalServer, local_server
from tests.support.responses import raw_response

PAGES = {
    "/", "/static/{tree}/{path}", "/favicon.ico", "/robots.txt", "/manifest.webmanifest", "/service-worker.js",
    "/preview.png", "/r/{id}/preview.png", "/puzzle/{id}/preview.png", "/static/js/{module}",
}  # fmt: skip
"""Addresses that are no part of the contract: the page and its files."""


def test_the_router_has_the_endpoints_of_the_table(tmp_path: Path) -> None:
    """What goes beyond the table is the page, and the admin commands, which need a secret."""
    router = Server(Config(data=tmp_path), single_node(SqliteStore(tmp_path / "noughts.db"))).application().router
    routes = {
        (route.method, route.resource.canonical)
        for route in router.routes()
        if route.resource is not None and route.method != hdrs.METH_HEAD
    }
    contract = {(method, path) for method, path in routes if path not in PAGES and not path.startswith("/admin/")}
    assert contract == {(endpoint.method, endpoint.path) for endpoint in ENDPOINTS}


async def test_a_get_answers_head_where_the_answer_is_for_everybody(server: LocalServer) -> None:
    for endpoint in ENDPOINTS:
        if endpoint.method == "GET" and "{" not in endpoint.path:
            status, _, body = await raw_response(server, "HEAD", endpoint.path + "?variant=classic")
            allowed = endpoint.token != "needed" and endpoint.path != "/ws"
            assert (status != 405) is allowed, endpoint.path
            assert body == b""


SAFE = ("Content-Security-Policy", "X-Content-Type-Options", "Cross-Origin-Resource-Policy")


@pytest.mark.parametrize("base_path", ["", "/games"])
async def test_every_answer_has_the_headers_of_a_safe_one(tmp_path: Path, base_path: str) -> None:
    """Successes, rejections, redirects, files, and what aiohttp answers itself."""
    async with local_server(tmp_path, base_path=base_path) as server:
        requests: list[tuple[str, str]] = [
            (
                endpoint.method,
                endpoint.path.format(id="nowhere", number=1, page="how-to/nowhere", variant="x", moves="b2"),
            )
            for endpoint in ENDPOINTS
        ]
        requests += [(method, path) for path in ("/", "/nothing", "/api/nothing") for method in ("GET", "PUT", "TRACE")]
        requests += [("GET", path.format(tree="x", path="js/main.js", id="nowhere", module="en.js")) for path in PAGES]
        requests += [("POST", "/admin/rooms/x/close"), ("GET", "/admin/rooms"), ("GET", "/%2e%2e/"), ("GET", "//")]
        for method, path in requests:
            for sent in ({}, {"Host": "a b"}, {"Content-Encoding": "br", "Content-Type": "application/json"}):
                status, headers, _ = await raw_response(
                    server, method, path, b"{}" if "br" in sent.values() else None, sent
                )
                missing = [name for name in SAFE if name not in headers]
                assert not missing, (method, path, status, missing)
                assert headers["X-Content-Type-Options"] == "nosniff"
