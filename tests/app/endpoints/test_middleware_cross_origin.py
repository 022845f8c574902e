"""Pages of other origins: the listed ones may use the API, and any page may import the modules."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.local_server import LocalServer, local_server
from tests.support.responses import raw_response

LISTED = "https://club.example.org"
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}


@pytest_asyncio.fixture
async def club(tmp_path: Path) -> AsyncIterator[LocalServer]:
    """Serve under a sub-path, with one listed origin."""
    async with local_server(tmp_path, origins=(LISTED,), base_path="/games") as server:
        yield server


async def test_a_listed_page_reads_answers(club: LocalServer) -> None:
    status, headers, _ = await raw_response(club, "GET", "/api/variants", headers={"Origin": LISTED})
    assert (status, headers["Access-Control-Allow-Origin"]) == (200, LISTED)
    assert "Origin" in ", ".join(headers.getall("Vary"))
    assert "Access-Control-Allow-Credentials" not in headers


async def test_a_listed_page_reads_rejections(club: LocalServer) -> None:
    status, headers, _ = await raw_response(club, "GET", "/api/players/me", headers={"Origin": LISTED})
    assert (status, headers["Access-Control-Allow-Origin"]) == (401, LISTED)
    assert headers["Access-Control-Expose-Headers"] == "Retry-After"


async def test_a_listed_page_may_send_a_token(club: LocalServer) -> None:
    status, headers, body = await raw_response(club, "OPTIONS", "/api/rooms", headers={"Origin": LISTED, **PREFLIGHT})
    assert (status, body) == (204, b"")
    assert headers["Access-Control-Allow-Origin"] == LISTED
    assert "POST" in headers["Access-Control-Allow-Methods"]
    assert headers["Access-Control-Allow-Headers"] == "Authorization, Content-Type"


@pytest.mark.parametrize("origin", ["https://other.example.org", "null", "", f"{LISTED}.evil.example"])
async def test_other_pages_learn_nothing(club: LocalServer, origin: str) -> None:
    """A browser keeps the answer from the page, and sends no request that it must ask for."""
    _, headers, _ = await raw_response(club, "GET", "/api/variants", headers={"Origin": origin})
    assert "Access-Control-Allow-Origin" not in headers
    assert "Origin" in ", ".join(headers.getall("Vary"))
    status, headers, _ = await raw_response(club, "OPTIONS", "/api/rooms", headers={"Origin": origin, **PREFLIGHT})
    assert status == 405
    assert "Access-Control-Allow-Origin" not in headers


async def test_only_the_api_is_open(club: LocalServer) -> None:
    """Neither pages nor the operator's endpoints are readable from elsewhere."""
    for path in ("/", "/healthz", "/metrics", "/admin/rooms", "/apis"):
        _, headers, _ = await raw_response(club, "GET", path, headers={"Origin": LISTED})
        assert "Access-Control-Allow-Origin" not in headers, path
    status, _, _ = await raw_response(club, "OPTIONS", "/", headers={"Origin": LISTED, **PREFLIGHT})
    assert status == 405


async def test_no_origin_is_listed_by_default(server: LocalServer) -> None:
    _, headers, _ = await raw_response(server, "GET", "/api/variants", headers={"Origin": LISTED})
    assert "Access-Control-Allow-Origin" not in headers
