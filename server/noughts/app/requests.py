"""What every HTTP call has in common: who asks and from where, bodies, answers, and how a refusal looks."""

from __future__ import annotations

import ipaddress
import math
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeAlias, TypeVar

import msgspec
import structlog
from aiohttp import hdrs, web

from noughts.app.config import Config, is_loopback, within
from noughts.app.guests import Guests
from noughts.app.limits import CALLS, Limits
from noughts.app.telemetry import Metrics
from noughts.errors import Code, Rejection
from noughts.protocol.calls import ErrorAnswer, ErrorView
from noughts.protocol.codec import encode
from noughts.room.seat import Person
from noughts.store.contract import StoreUnavailableError

T = TypeVar("T")
Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]

MAX_BODY: Final = 16 * 1024
_FREE: Final = frozenset(("/healthz", "/readyz", "/favicon.ico"))
_FREE_BELOW: Final = ("/static/", "/operator/")
"""Calls that cost the caller nothing, since they cost us next to nothing: a page is many files, whoever watches the server
must not find it down because others of the same address are busy, and the operator, who has a secret, is always heard."""
_SECRET_PARAMETERS: Final = ("token", "access_token", "invite")
_STATUS: Final[dict[Code, int]] = {
    "bad_message": 400,
    "illegal_move": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "unknown_room": 404,
    "not_found": 404,
    "not_allowed": 405,
    "conflict": 409,
    "seat_taken": 409,
    "stale": 409,
    "too_large": 413,
    "unsupported_media": 415,
    "rate_limited": 429,
    "too_many_rooms": 429,
    "internal": 500,
    "unavailable": 503,
}
_CODE_OF_STATUS: Final[dict[int, Code]] = {
    400: "bad_message",
    403: "forbidden",
    404: "not_found",
    405: "not_allowed",
    413: "too_large",
    415: "unsupported_media",
}
_SENTENCE: Final[dict[int, str]] = {
    400: "The request is malformed.",
    403: "That is not allowed.",
    404: "There is nothing at this address.",
    405: "This address takes other methods: see the Allow header.",
    413: "The body is too large.",
    415: "Send JSON, with Content-Type: application/json.",
}
ADDRESS: Final = web.RequestKey("address", str)

log = structlog.get_logger()


def json_answer(value: object, status: int = 200) -> web.Response:
    """An answer as JSON; answers are not for caches."""
    headers = {hdrs.CACHE_CONTROL: "no-store", "X-Content-Type-Options": "nosniff"}
    return web.Response(body=encode(value), status=status, content_type="application/json", headers=headers)


def refusal(refused: Rejection) -> web.Response:
    """A refusal as the contract's error."""
    answer = json_answer(
        ErrorAnswer(ErrorView(refused.code, refused.message, refused.ply)), _STATUS.get(refused.code, 400)
    )
    if refused.retry_ms is not None or refused.code in ("rate_limited", "too_many_rooms", "unavailable"):
        answer.headers[hdrs.RETRY_AFTER] = str(max(1, math.ceil((refused.retry_ms or 1_000) / 1000)))
    if refused.code == "unauthorized":
        answer.headers[hdrs.WWW_AUTHENTICATE] = "Bearer"
    return answer


async def body_of(request: web.Request, kind: type[T]) -> T:
    """The JSON body as a type. Raises ``bad_message``, ``unsupported_media``, ``too_large``."""
    data = await request.read()
    if not data:
        data = b"{}"
    elif request.content_type != "application/json":
        raise Rejection("unsupported_media", _SENTENCE[415])
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as wrong:
        raise Rejection("bad_message", f"The body is malformed: {wrong}.") from None


def token_of(request: web.Request) -> str | None:
    """The bearer token, if there is one."""
    scheme, _, token = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


async def authorized_or_none(request: web.Request, guests: Guests) -> Person | None:
    """Whoever asks, where a token is welcome but not needed."""
    token = token_of(request)
    return None if token is None else await guests.person(token)


async def authorized(request: web.Request, guests: Guests) -> Person:
    """Whoever asks. Raises ``unauthorized``."""
    person = await authorized_or_none(request, guests)
    if person is None:
        raise Rejection("unauthorized", "This needs a player's token: get one with POST /api/players.")
    return person


def address_of(request: web.Request) -> str:
    """The client's address, as the outermost trusted proxy saw it."""
    return request[ADDRESS]


def network_of(request: web.Request) -> str:
    """Who counts as one for the limits: an IPv4 address, or a whole /64 of IPv6, since whoever is given one may use every
    address of it."""
    return network(address_of(request))


def network(address: str) -> str:
    """The part of an address that limits go by."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return address if parsed.version == 4 else f"{ipaddress.IPv6Address(int(parsed) >> 64 << 64)}/64"


def plain(address: str) -> str:
    """An address as it is compared and shown: in one spelling, without a port, and an IPv4 in IPv6's clothes as the IPv4.
    What is no address stays as it is."""
    host = address.strip()
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        parsed = ipaddress.ip_address(host)
    except ValueError:
        return host[:64]
    return str(getattr(parsed, "ipv4_mapped", None) or parsed)


def client_address(request: web.Request, config: Config) -> str:
    """From the right of X-Forwarded-For the first address that is no trusted proxy's; the peer's where that is not
    trusted itself."""
    address = plain(request.remote or "unknown")
    if not within(address, config.trusted):
        return address
    chain = [plain(part) for value in request.headers.getall(hdrs.X_FORWARDED_FOR, []) for part in value.split(",")]
    for hop in reversed(chain):
        if not hop:
            continue
        address = hop
        if not within(hop, config.trusted):
            break
    return address


def _is_banned(address: str, banned: set[str]) -> bool:
    """Whether the operator named this address; an IPv4 may have been named as an IPv6."""
    if address in banned or not banned:
        return address in banned
    with suppress(ValueError):
        return str(ipaddress.IPv6Address(f"::ffff:{address}")) in banned
    return False


def is_operator(request: web.Request, config: Config) -> bool:
    """Whether details may be shown: the machine itself or a trusted address, not a stranger through a local proxy."""
    forwarded = hdrs.X_FORWARDED_FOR in request.headers
    address = address_of(request)
    if config.open_metrics:
        return True
    if forwarded and not within(request.remote or "", config.trusted):
        return False
    return is_loopback(address) or within(address, config.trusted)


def base_url(request: web.Request, config: Config) -> str:
    """What absolute links begin with."""
    if config.public_url:
        return config.public_url.rstrip("/")
    scheme = request.scheme
    if within(request.remote or "", config.trusted):
        scheme = request.headers.get(hdrs.X_FORWARDED_PROTO, scheme)
    return f"{'https' if scheme == 'https' else 'http'}://{request.host}"


def middleware(config: Config, limits: Limits, metrics: Metrics, banned: set[str]) -> Callable[..., object]:
    """Around every call: where it comes from, secrets kept out of addresses, limits, and refusals as JSON."""

    @web.middleware
    async def around(request: web.Request, handler: Handler) -> web.StreamResponse:
        request[ADDRESS] = client_address(request, config)
        try:
            # The operator, who is known by a secret, can always lift a ban.
            if _is_banned(request[ADDRESS], banned) and not request.path.startswith("/operator/"):
                raise Rejection("forbidden", "This address may not use the server.")
            if any(name in request.query for name in _SECRET_PARAMETERS):
                raise Rejection(
                    "bad_message", "A secret must not stand in an address: send it in a header or the hello."
                )
            if request.path not in _FREE and not request.path.startswith(_FREE_BELOW):
                limits.take(CALLS, network_of(request), time.monotonic())
            return await handler(request)
        except Rejection as refused:
            return refusal(refused)
        except StoreUnavailableError:
            return refusal(Rejection("unavailable", "The server cannot reach its store: try again.", retry_ms=1_000))
        except web.HTTPException as told:
            if told.status < 400 or told.status == 426:
                raise
            code = _CODE_OF_STATUS.get(told.status, "bad_message")
            answer = json_answer(
                ErrorAnswer(ErrorView(code, _SENTENCE.get(told.status, told.reason or "Refused."))), told.status
            )
            if hdrs.ALLOW in told.headers:
                answer.headers[hdrs.ALLOW] = told.headers[hdrs.ALLOW]
            return answer
        except ConnectionError:
            raise
        except Exception:
            metrics.faults.inc()
            log.exception("a call failed", method=request.method, path=request.path)
            return refusal(Rejection("internal", "Something went wrong on the server: try again."))

    return around
