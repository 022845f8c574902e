"""Around every request: limits by network, bans, secrets in URLs, and errors as the contract has them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from noughts.app.endpoints.middleware import RequestTurns, middleware
from noughts.app.endpoints.requests import ADDRESS
from noughts.app.players.bans import Bans
from noughts.app.runtime.config import Config
from noughts.app.runtime.limits import FILES, REQUESTS, Limits
from noughts.app.runtime.metrics import Metrics
from noughts.errors import Rejection
from noughts.store.contract import StoreUnavailableError
from noughts.store.coordination import LocalCoordination
from noughts.store.relay import SingleNodeRelay
from noughts.store.sqlite.store import SqliteStore
from tests.conftest import StartServer
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api
from tests.support.responses import raw_response

BURST = int(REQUESTS.rate.burst)


class Around:
    """The middleware with limits on, around a handler that answers or raises as a test says."""

    def __init__(self, bans: Bans | None = None) -> None:
        self.metrics = Metrics()
        self.raises: BaseException | None = None
        self.requests: dict[str, web.Request] = {}
        bans = bans or Bans(SqliteStore(Path("unused")), SingleNodeRelay())
        limits = Limits(LocalCoordination(), off=False)
        self.around: Any = middleware(Config(), limits, self.metrics, bans, lambda request: web.Response(status=404))

    async def handler(self, request: web.Request) -> web.Response:
        if self.raises is not None:
            raise self.raises
        return web.Response(text=request[ADDRESS])

    async def response(self, path: str = "/", remote: str = "203.0.113.9") -> web.Response:
        if path not in self.requests:
            self.requests[path] = make_mocked_request("GET", path, {"Host": "localhost"})
        request = self.requests[path].clone(remote=remote)
        response = await self.around(request, self.handler)
        assert isinstance(response, web.Response)
        return response

    async def count_429(self, path: str, remotes: Iterable[str]) -> int:
        """Return how many requests are rejected for their number."""
        return [(await self.response(path, remote)).status for remote in remotes].count(429)


# --- limits -------------------------------------------------------------------------------------------------------


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the time of the middleware, so that no credit comes back while a test sends its requests."""
    monkeypatch.setattr("noughts.app.endpoints.middleware.time", SimpleNamespace(monotonic=lambda: 1_000.0))


@pytest.mark.usefixtures("frozen")
@pytest.mark.parametrize("path", ["/", "/ws", "/r/nowhere", "/metrics", "/robots.txt", "/nowhere", "/api/variants"])
async def test_requests_are_counted(path: str) -> None:
    assert await Around().count_429(path, ["203.0.113.9"] * (BURST + 20)) == 20


@pytest.mark.usefixtures("frozen")
@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/static/0123/js/main.js", "/favicon.ico", "/admin/rooms"])
async def test_files_monitors_and_the_operator_cost_no_credit(path: str) -> None:
    """A page is many files, and a monitor must not find the server down because others of its address are busy."""
    assert await Around().count_429(path, ["203.0.113.9"] * (BURST + 20)) == 0


@pytest.mark.usefixtures("frozen")
@pytest.mark.parametrize(
    ("remotes", "one"),
    [
        ([f"2001:db8::{n:x}" for n in range(BURST + 20)], True),
        ([f"2001:db8:0:1:{n:x}:{n:x}::" for n in range(BURST + 20)], True),
        ([f"::ffff:203.0.113.{n % 3}" if n % 2 else f"203.0.113.{n % 3}" for n in range(3 * BURST + 20)], True),
        ([f"2001:db8:0:{n % 256:x}::1" for n in range(4 * BURST + 20)], True),
        ([f"2001:db8:0:{n:x}::1" for n in range(BURST + 20)], False),
        ([f"203.0.{n // 250}.{n % 250}" for n in range(BURST + 20)], False),
    ],
    ids=["a /64", "another /64", "IPv4 as IPv6", "a /56", "many /64", "many IPv4 addresses"],
)
async def test_addresses_of_one_subscriber_share_credit(remotes: list[str], one: bool) -> None:
    assert (await Around().count_429("/api/variants", remotes) > 0) is one


# --- bans ---------------------------------------------------------------------------------------------------------


async def test_a_banned_address_is_403(tmp_path: Path) -> None:
    """The operator, who is known by a secret, can always lift a ban."""
    store = SqliteStore(tmp_path / "noughts.db")
    await store.open()
    bans = Bans(store, SingleNodeRelay())
    for address in ("203.0.113.9", "2001:db8::9"):
        await bans.ban(address)
    around = Around(bans)
    remotes = ("2001:db8::9", "2001:db8::a", "203.0.113.9", "::ffff:203.0.113.9", "203.0.113.8", "unknown")
    statuses = [(await around.response("/", remote)).status for remote in remotes]
    assert statuses == [403, 200, 403, 403, 200, 200]
    assert (await around.response("/admin/bans", "203.0.113.9")).status == 200
    assert (await around.response("/static/css/room.css", "203.0.113.9")).status == 403
    await store.close()


# --- errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Rejection("stale", "Too late."), 409, "stale"),
        (StoreUnavailableError("disk full"), 503, "unavailable"),
        (web.HTTPNotFound(), 404, "not_found"),
        (ZeroDivisionError(), 500, "internal"),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_errors_have_the_form_of_the_contract(error: Exception, status: int, code: str) -> None:
    around = Around()
    around.raises = error
    response = await around.response()
    assert isinstance(response.body, bytes)
    assert (response.status, json.loads(response.body)["error"]["code"]) == (status, code)
    assert response.headers.get("Retry-After") == ("1" if status == 503 else None)
    assert around.metrics.faults == (code == "internal")


async def test_a_proxy_that_is_not_trusted_is_logged_once(capsys: pytest.CaptureFixture[str]) -> None:
    """A client on the internet can send the header too: no line advises to trust it."""
    around = Around()
    headers = {"Host": "localhost", "X-Forwarded-For": "198.51.100.7"}
    around.requests["/"] = make_mocked_request("GET", "/", headers)
    assert (await around.response(remote="8.8.8.8")).text == "8.8.8.8"
    for _ in range(3):
        assert (await around.response(remote="172.17.0.1")).text == "172.17.0.1"
    log = capsys.readouterr().out
    assert log.count("X-Forwarded-For from") == 1
    assert "X-Forwarded-For from 172.17.0.1 is ignored: name it in NOUGHTS_TRUSTED" in log


async def test_a_fault_is_logged_whole_and_shown_as_one_word(capsys: pytest.CaptureFixture[str]) -> None:
    around = Around()
    around.raises = ZeroDivisionError("a detail")
    response = await around.response("/api/rooms?variant=classic")
    assert b"detail" not in (response.body if isinstance(response.body, bytes) else b"detail")
    log = capsys.readouterr().out
    assert "ZeroDivisionError: a detail" in log
    assert "/api/rooms" in log
    assert "variant=classic" not in log  # a query string reaches no log


@pytest.mark.parametrize("error", [ConnectionResetError(), web.HTTPFound("/"), web.HTTPUpgradeRequired()], ids=type)
async def test_other_exceptions_pass_through(error: Exception) -> None:
    around = Around()
    around.raises = error
    with pytest.raises(type(error)):
        await around.response()


# --- secrets ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["token", "access_token", "invite", "%74oken"])
@pytest.mark.parametrize("path", ["/api/rooms", "/", "/r/nowhere", "/ws", "/nowhere", "/healthz"])
async def test_a_secret_in_a_query_string_is_400(server: LocalServer, path: str, name: str) -> None:
    status, answer = await Api(server.url).call("GET", f"{path}?a=1&{name}=a-secret")
    assert (status, answer["error"]["code"]) == (400, "bad_message")
    assert "a-secret" not in str(answer)


async def test_a_secret_in_a_url_reaches_no_log(start_server: StartServer) -> None:
    """Not even in a URL that is too long, or in a request that is malformed."""
    server = start_server(log_level="debug")
    for path in ("/?token=a-secret", "/nowhere?invite=a-secret", "/?token=a-secret" + "x" * 10_000):
        status, _, _ = await raw_response(server, "GET", path)
        assert status in (400, 404, 414)
    server.stop()
    assert "a-secret" not in server.log
    assert "Traceback" not in server.log


async def test_files_have_a_credit_of_their_own() -> None:
    around = Around()
    assert await around.count_429("/static/0123/js/main.js", ["203.0.113.9"] * (2 * int(FILES.rate.burst))) > 0
    assert (await around.response("/api/rooms")).status == 200


async def test_requests_of_a_network_begin_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that cost no credit. Without limits, all begin at once."""
    networks: list[str] = []

    async def begin(_: RequestTurns, network: str) -> None:
        networks.append(network)

    monkeypatch.setattr(RequestTurns, "begin", begin)
    for limits, expected in ((False, []), (True, ["127.0.0.1"] * 2)):
        async with local_server(tmp_path, limits=limits) as server:
            for path in ("/healthz", "/nothing"):
                await raw_response(server, "GET", path)
        assert networks == expected


async def test_a_rejected_request_is_the_last_of_its_connection() -> None:
    around = Around()
    response = await around.response("/api/rooms")
    while response.status != 429:
        assert response.keep_alive is not False
        response = await around.response("/api/rooms")
    assert response.keep_alive is False
