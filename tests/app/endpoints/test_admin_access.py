"""Who may use the admin endpoints: the command line with its secret, and the page with a code and a session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from tests.support.local_server import local_server
from tests.support.player import Api
from tests.support.responses import rejection


async def page_of(operator: Api) -> Api:
    """Return what the admin page sends, after a link was opened."""
    code = (await operator.post("/admin/codes"))["code"]
    return Api(operator.url, (await Api(operator.url).post("/admin/session", {"code": code}))["session"])


@pytest_asyncio.fixture(loop_scope="session")
async def operator(tmp_path: Path) -> AsyncIterator[Api]:
    """Return the command line of a server with limits."""
    async with local_server(tmp_path, limits=True) as server:
        yield server.operator()


async def test_a_code_opens_one_session(operator: Api) -> None:
    code = (await operator.post("/admin/codes"))["code"]
    stranger = Api(operator.url)
    assert await rejection(stranger, "POST", "/admin/session", {"code": code + "x"}) == (404, "not_found")
    session = (await stranger.post("/admin/session", {"code": code}))["session"]
    assert await rejection(stranger, "POST", "/admin/session", {"code": code}) == (404, "not_found")
    page = Api(operator.url, session)
    for path in ("rooms", "players", "nodes", "bans", "backup"):
        await page.get(f"/admin/{path}")
    assert await rejection(Api(operator.url, code), "GET", "/admin/rooms") == (404, "not_found")
    assert await rejection(page, "GET", "/api/players/me") == (401, "unauthorized")
    await page.post("/admin/session/end")
    assert await rejection(page, "GET", "/admin/rooms") == (404, "not_found")


async def test_a_session_makes_no_code(operator: Api) -> None:
    """Otherwise a stolen session could be made to last."""
    page = await page_of(operator)
    assert await rejection(page, "POST", "/admin/codes") == (404, "not_found")


async def test_the_log_names_the_door_and_no_secret(operator: Api) -> None:
    with capture_logs() as lines:
        page = await page_of(operator)
        for path in ("rooms", "players", "nodes", "bans"):
            await page.get(f"/admin/{path}")
        await page.post("/admin/bans", {"address": "203.0.113.9"})
    assert [(line["command"], line.get("on"), line["door"]) for line in lines] == [
        ("make a code", None, "command line"),
        ("begin a session", "127.0.0.1", "page"),
        ("ban", "203.0.113.9", "page"),
    ]
    assert str(page.token) not in str(lines)


async def test_a_crowd_of_its_network_does_not_stop_the_page(operator: Api) -> None:
    """A class behind the operator's address uses up the requests of the address."""
    page, pupil = await page_of(operator), Api(operator.url)
    await page.get("/admin/nodes")
    statuses: list[int] = []
    while 429 not in statuses:
        requests = [pupil.call("GET", "/api/variants") for _ in range(200)]
        requests += [page.call("GET", "/admin/nodes") for _ in range(20)]
        statuses = [status for status, _ in await asyncio.gather(*requests)]
        assert statuses[200:] == 20 * [200]
    assert await rejection(Api(operator.url, "x"), "GET", "/admin/nodes") == (404, "not_found")


async def test_a_stranger_sees_nothing(operator: Api) -> None:
    """Neither the method nor the form of the request tells which commands there are."""
    stranger = Api(operator.url, "x")
    for path in ("/admin/rooms", "/admin/nothing", "/admin/bans", "/admin/session", "/admin/"):
        for method in ("GET", "POST", "PATCH", "DELETE"):
            for headers in ({}, {"Content-Type": "text/plain"}, {"Accept": "text/html"}):
                assert await rejection(stranger, method, path, None, headers) == (404, "not_found")


@pytest.mark.parametrize(
    ("settings", "bases"),
    [
        ({}, ["http://127.0.0.1:PORT"]),
        ({"base_path": "/games"}, ["http://127.0.0.1:PORT/games"]),
        ({"public_url": "https://games.example.org", "base_path": "/games"}, ["https://games.example.org/games"]),
    ],
)
async def test_a_link_begins_as_other_links_do(tmp_path: Path, settings: dict[str, Any], bases: list[str]) -> None:
    async with local_server(tmp_path, **settings) as server:
        answer = await server.operator().post("/admin/codes")
    assert answer["links"] == [f"{base}/#admin={answer['code']}".replace("PORT", str(server.port)) for base in bases]


async def test_the_page_can_be_switched_off(tmp_path: Path) -> None:
    """Codes and sessions from before, which the store still has, open nothing."""
    async with local_server(tmp_path) as server:
        page = await page_of(server.operator())
        code = (await server.operator().post("/admin/codes"))["code"]
    async with local_server(tmp_path, admin_page=False) as server:
        operator, stranger = server.operator(), Api(server.url)
        assert await rejection(operator, "POST", "/admin/codes") == (403, "forbidden")
        assert await rejection(stranger, "POST", "/admin/session", {"code": code}) == (404, "not_found")
        assert await rejection(Api(server.url, page.token), "GET", "/admin/rooms") == (404, "not_found")
        await operator.get("/admin/rooms")
