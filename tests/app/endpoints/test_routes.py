"""The router against the table of endpoints, and made-up requests against what the OpenAPI document says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import requests
import schemathesis
from aiohttp import hdrs
from hypothesis import HealthCheck, Phase, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from noughts.app.runtime.config import Config
from noughts.app.server import Server
from noughts.protocol import openapi
from noughts.protocol.endpoints import ENDPOINTS
from noughts.rules.variant import VARIANTS
from noughts.store.backend import single_node
from noughts.store.sqlite.store import SqliteStore
from tests.support.documents import validator
from tests.support.local_server import LocalServer
from tests.support.player import Api
from tests.support.responses import raw_response
from tests.support.server import QUICK, RunningServer

PAGES = {"/", "/static/{path}", "/favicon.ico", "/robots.txt"}
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


async def test_api_answers_are_for_no_cache(server: LocalServer) -> None:
    for path in ("/api/variants", "/api/rooms", "/api/rooms/nowhere"):
        _, headers, _ = await raw_response(server, "GET", path)
        assert headers["Cache-Control"] == "no-store"
        assert headers["Content-Type"].startswith("application/json")


async def test_rejections_are_as_described(server: LocalServer) -> None:
    error = validator(await Api(server.url).get("/api/openapi.json"), "ErrorAnswer")
    async with aiohttp.ClientSession(server.url) as session:
        for method, path, body, status in (
            ("GET", "/api/players/me", None, 401),
            ("GET", "/api/rooms/unknown", None, 404),
            ("GET", "/api/rooms?state=gone", None, 400),
            ("GET", "/api/analysis?variant=classic&moves=a1,a1", None, 400),
            ("GET", "/api/variants?token=x", None, 400),
            ("POST", "/api/players", "[", 400),
            ("POST", "/api/players", " " * 20_000, 413),
            ("PUT", "/api/players", "{}", 405),
        ):
            headers = {"Content-Type": "application/json"} if body is not None else {}
            async with session.request(method, path, data=body, headers=headers) as answer:
                content = json.loads(await answer.read())
                assert answer.status == status, content
                assert error.is_valid(content), content


# --- made-up requests ---------------------------------------------------------------------------------------------

EXAMPLES = 12
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
SOLVED = ("classic", "misere", "vanishing")
"""Variants whose analysis takes no time."""

schema = schemathesis.openapi.from_dict(openapi.described())
schema.config.generation.update(
    modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE],
    max_examples=EXAMPLES,
    deterministic=True,
    with_security_parameters=False,
)


@schema.hook
def map_query(context: Any, query: Any) -> Any:
    """Analyse small games only. A large one would take seconds."""
    variant = query.get("variant") if context.operation.path == "/api/analysis" and query else None
    if isinstance(variant, str) and variant in VARIANTS:
        query["variant"] = SOLVED[len(variant) % len(SOLVED)]
    return query


class Caller:
    """A guest and an HTTP session."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.session = requests.Session()
        self.session.trust_env = False
        self.token = self.new_token()

    def new_token(self) -> str:
        answer = self.session.post(f"{self.url}/api/players", json={}, timeout=10)
        return str(answer.json()["token"])


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """Return a caller of a server of its own, because many rooms are left in it."""
    running = RunningServer(tmp_path_factory.mktemp("made-up"), {**QUICK, "NOUGHTS_THINK_MS": "50"}).start()
    caller = Caller(running.url)
    yield caller
    caller.session.close()
    try:
        status = running.stop()
    finally:
        running.kill()
    assert status == 0, running.log
    assert "Traceback" not in running.log, running.log


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_made_up_requests_are_answered_as_described(case: Any, caller: Caller) -> None:
    """No request breaks the server, and every response fits the document."""
    token = caller.new_token() if case.method == "DELETE" else caller.token
    answer = case.call(
        base_url=caller.url, session=caller.session, headers={"Authorization": f"Bearer {token}"}, timeout=20
    )
    case.validate_response(answer, checks=CHECKS)
