"""What every request passes through: turns, bans, limits, secrets in URLs, rejections as JSON, and other origins."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Collection
from typing import Final
from urllib.parse import quote

import structlog
from aiohttp import hdrs, web
from aiohttp.typedefs import Middleware

from noughts.app.delivery.front_door import FrontDoor
from noughts.app.delivery.routes import Handler
from noughts.app.endpoints.requests import (
    ADDRESS,
    IDENTITY,
    OPERATOR,
    check_shape,
    client_address,
    identity_of,
    is_unnamed_proxy,
    nothing_here,
)
from noughts.app.endpoints.responses import http_error_response, rejection_response
from noughts.app.players.bans import Bans
from noughts.app.runtime.addresses import enclosing_networks
from noughts.app.runtime.config import Config
from noughts.app.runtime.limits import BEGUN_AT_ONCE, FILES, INTERVAL_S, REQUESTS, Limits, networks_of
from noughts.app.runtime.metrics import Metrics
from noughts.errors import Rejection, fault
from noughts.store.contract import StoreUnavailableError

log = structlog.get_logger()

ADMIN: Final = "/admin/"
_HEALTH: Final = frozenset(("/healthz", "/readyz", "/metrics"))
"""Paths that answer without a sign-on. A monitor does not come through the proxy, and /metrics has its own check."""
_FREE_PATHS: Final = frozenset(("/healthz", "/readyz", "/favicon.ico", "/service-worker.js", "/manifest.webmanifest"))
STATIC: Final = "/static/"
_FREE_PREFIXES: Final = (STATIC, ADMIN)
"""Requests that cost the client none of the credit for requests.

The page consists of many files, which have a credit of their own. A monitor must get an answer however many requests come
from its address, and so must the operator.
"""
_LINK_END: Final = re.compile(r"""[\s/.,;:!?()<>\[\]{}"'»”’…]+$""")
"""What a chat program takes for a part of the link before it. No page's address ends with one of these."""
_SECRET_PARAMETERS: Final = ("token", "access_token", "invite", "pin")


class RequestTurns:
    """The requests of each network that wait to begin, the oldest first. They are not rejected.

    A client may send its requests without waiting for the answers, on many connections at once, and some requests cost no
    credit. So requests would take all of the event loop's time.
    """

    def __init__(self) -> None:
        self._begun: Counter[str] = Counter()
        """How many requests of each network began in this interval."""
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        """By the narrowest network of the client. The networks that wait the longest come first."""
        self._runs = False

    async def begin(self, address: str) -> None:
        """Return when a request from an address may begin."""
        loop, network = asyncio.get_running_loop(), enclosing_networks(address)[0]
        if not self._runs:
            self._runs = True
            loop.call_later(INTERVAL_S, self._end_interval)
        if network not in self._waiting and self._may_begin(network):
            return
        turn = loop.create_future()
        self._waiting.setdefault(network, deque()).append(turn)
        await turn

    def _may_begin(self, network: str) -> bool:
        """Count a request that begins now. Return False if one of its networks has begun as many as it may."""
        networks = tuple(networks_of(network.partition("/")[0]))
        if any(self._begun[name] >= BEGUN_AT_ONCE * wider for name, wider in networks):
            return False
        self._begun.update([name for name, _ in networks])
        return True

    def _end_interval(self) -> None:
        self._begun.clear()
        for network, waiting in tuple(self._waiting.items()):
            served = False
            while waiting and (waiting[0].done() or self._may_begin(network)):
                turn = waiting.popleft()
                if not turn.done():  # else its client has gone
                    turn.set_result(None)
                    served = True
            if served or not waiting:
                del self._waiting[network]
            if served and waiting:
                self._waiting[network] = waiting  # behind the networks that were not served
        self._runs = bool(self._begun)
        if self._runs:
            asyncio.get_running_loop().call_later(INTERVAL_S, self._end_interval)


def middleware(
    config: Config,
    limits: Limits,
    metrics: Metrics,
    bans: Bans,
    missing: Callable[[web.Request], web.StreamResponse],
    turns: RequestTurns | None = None,
) -> Middleware:
    """Return the one middleware of the server. ``missing`` makes the page for an unknown address.

    Without ``turns``, every request begins at once.
    """

    proxy_logged = False

    @web.middleware
    async def around(request: web.Request, handler: Handler) -> web.StreamResponse:
        nonlocal proxy_logged
        request[ADDRESS] = client_address(request, config)
        if not proxy_logged and is_unnamed_proxy(request, config):
            proxy_logged = True
            log.warning(f"X-Forwarded-For from {request[ADDRESS]} is ignored: name it in NOUGHTS_TRUSTED")
        door = request.protocol
        if isinstance(door, FrontDoor):
            door.begin_request(forwarded=hdrs.X_FORWARDED_FOR in request.headers)
        try:
            if turns is not None:
                await turns.begin(request[ADDRESS])
            check_shape(request)
            try:
                check(request, limits, bans, config.base_path)
                _check_visitor(request, config)
            except Rejection as rejection:
                response = rejection_response(_shown(request, rejection, config))
                response.force_close()  # otherwise each request of a long pipeline would cost as much
                return response
            if _wants_page(request, config) and (location := repaired(request, config.base_path)) is not None:
                return web.Response(status=302, headers={hdrs.LOCATION: location})
            return await handler(request)
        except Rejection as rejection:
            return rejection_response(_shown(request, rejection, config))
        except StoreUnavailableError:
            message = "The server cannot reach its store: try again."
            return rejection_response(Rejection("unavailable", message, retry_ms=1_000))
        except web.HTTPException as error:
            if error.status < 400 or error.status == 426:
                raise
            if _is_hidden(request, config):
                return rejection_response(nothing_here())
            return (
                missing(request) if error.status == 404 and _wants_page(request, config) else http_error_response(error)
            )
        except ConnectionError:
            raise
        except Exception:
            metrics.faults += 1
            log.exception("a request failed", method=request.method, route=_route(request))
            return rejection_response(fault())
        finally:
            if isinstance(door, FrontDoor):
                door.end_request()

    return around


def _is_hidden(request: web.Request, config: Config) -> bool:
    """Return whether a stranger asks for something under /admin/, which is then as if it were not there."""
    return request.path.startswith(f"{config.base_path}{ADMIN}") and OPERATOR not in request


def _shown(request: web.Request, rejection: Rejection, config: Config) -> Rejection:
    return nothing_here() if _is_hidden(request, config) else rejection


def _wants_page(request: web.Request, config: Config) -> bool:
    """Return whether a person follows a link here, and not a program."""
    if request.path.startswith(f"{config.base_path}/api/"):
        return False
    return request.method in (hdrs.METH_GET, hdrs.METH_HEAD) and "text/html" in request.headers.get(hdrs.ACCEPT, "")


def repaired(request: web.Request, base_path: str = "") -> str | None:
    """Return the address of a page whose link a chat program mangled; None for a link that is whole.

    The ``#`` came as ``%23``, or the link was taken with the slash, bracket or full stop behind it.
    """
    whole = request.path
    path = whole.removeprefix(f"{base_path}/")
    if (path == whole and base_path) or f"/{path}".startswith(_FREE_PREFIXES):
        return None
    mended, separator, fragment = _LINK_END.sub("", path).partition("#")
    mended = _LINK_END.sub("", mended).lstrip("/\\")  # "//host" would be another server
    if mended == path.lstrip("/\\"):
        return None
    query = f"?{request.rel_url.raw_query_string}" if request.rel_url.raw_query_string else ""
    end = f"#{quote(fragment, safe='=,&')}" if separator else ""
    return f"{base_path}/{quote(mended, safe='/,')}{query}{end}"


def check(request: web.Request, limits: Limits, bans: Bans, base_path: str = "") -> None:
    """Raise a :class:`Rejection` for a banned address, a secret in the URL, or too many requests."""
    # Requests with the admin secret pass, so that the operator can lift a ban of their own address.
    path = request.path.removeprefix(base_path)
    if bans.holds(request[ADDRESS]) and not path.startswith(ADMIN):
        limits.bites.note("bans", request[ADDRESS])
        raise Rejection("forbidden", "This address is banned from the server.")
    if any(name in request.query for name in _SECRET_PARAMETERS):
        raise Rejection("bad_message", "Keep secrets out of the URL: send them in a header or in the hello.")
    if path not in _FREE_PATHS and not path.startswith(_FREE_PREFIXES):
        limits.take_for_networks(REQUESTS, request[ADDRESS], time.monotonic())
    elif path.startswith(STATIC):
        limits.take_for_networks(FILES, request[ADDRESS], time.monotonic())


def _check_visitor(request: web.Request, config: Config) -> None:
    """Note who has signed on. Raise ``forbidden`` for a visitor who has not, where the operator lets in no guests."""
    path = request.path.removeprefix(config.base_path)
    if path in _HEALTH or path.startswith(ADMIN):
        return
    identity = identity_of(request, config)
    if identity is not None:
        request[IDENTITY] = identity
        return
    if config.guests == "off":
        raise Rejection("forbidden", "Sign on first: this server lets in only people who signed on.")


def _route(request: web.Request) -> str:
    """Return the route of a request as it was declared: the path itself is what the client sent."""
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else "none"


_METHODS: Final = "GET, POST, PATCH, DELETE"
_REQUEST_HEADERS: Final = "Authorization, Content-Type"
_PREFLIGHT_S: Final = "600"
"""How long a browser may keep the answer to a preflight."""


class CrossOrigin:
    """Allows the listed origins to use the API (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol).

    A token travels in a header that a page sets itself, never in a cookie. So a page that may send requests has no more
    rights than any other program. ``base_path`` is empty or begins with a slash.
    """

    def __init__(self, origins: Collection[str], base_path: str) -> None:
        self._origins: Final = frozenset(origins)
        self._paths: Final = (f"{base_path}/api/", f"{base_path}/ws")

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer a browser that asks before it sends the request of a listed page (a preflight)."""
        is_preflight = request.method == hdrs.METH_OPTIONS and hdrs.ACCESS_CONTROL_REQUEST_METHOD in request.headers
        if not is_preflight or not self._allows(request):
            return await handler(request)
        return web.Response(
            status=204,
            headers={
                hdrs.ACCESS_CONTROL_ALLOW_METHODS: _METHODS,
                hdrs.ACCESS_CONTROL_ALLOW_HEADERS: _REQUEST_HEADERS,
                hdrs.ACCESS_CONTROL_MAX_AGE: _PREFLIGHT_S,
            },
        )

    async def add_headers(self, request: web.Request, response: web.StreamResponse) -> None:
        """Let a page of a listed origin read the response."""
        if not self._origins or not request.path.startswith(self._paths):
            return
        response.headers.add(hdrs.VARY, hdrs.ORIGIN)
        if self._allows(request):
            response.headers[hdrs.ACCESS_CONTROL_ALLOW_ORIGIN] = request.headers[hdrs.ORIGIN]
            response.headers[hdrs.ACCESS_CONTROL_EXPOSE_HEADERS] = hdrs.RETRY_AFTER

    def _allows(self, request: web.Request) -> bool:
        return request.path.startswith(self._paths) and request.headers.get(hdrs.ORIGIN) in self._origins
