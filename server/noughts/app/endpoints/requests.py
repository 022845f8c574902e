"""What a handler reads from an HTTP request: the player, the client's address, the body, and the server's own URL."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Iterator
from itertools import islice
from typing import Final, TypeVar
from urllib.parse import urlsplit

import msgspec
from aiohttp import HttpVersion11, hdrs, web

from noughts.app.players.guests import Guests
from noughts.app.runtime.addresses import is_address, is_loopback, plain, within
from noughts.app.runtime.config import Config
from noughts.app.runtime.limits import BODY_S, MAX_BODY
from noughts.app.runtime.push_hosts import is_public
from noughts.errors import Rejection
from noughts.room.seat import Person

T = TypeVar("T")

ADDRESS: Final = web.RequestKey("address", str)
"""The client's address, as the outermost trusted proxy saw it."""
IDENTITY: Final = web.RequestKey("identity", str)
"""Whom the proxy's sign-on names. Only a request with the name header from a trusted address has it."""
OPERATOR: Final = web.RequestKey("operator", str)
"""By which door the operator came. Only a request with the admin secret or a session has it."""
MAX_HOPS: Final = 16
"""Parts of X-Forwarded-For that are read: a request comes through fewer proxies."""
JSON_WANTED: Final = "Send JSON, with Content-Type: application/json."
_AUTHORITY: Final = re.compile(r"(?:[A-Za-z0-9_.-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::([0-9]{1,5}))?")
_MAX_PORT: Final = 65_535
_PROXIED: Final = ("Via", "Forwarded", "X-Real-IP", "CF-Connecting-IP", "True-Client-IP")
"""Headers that only a proxy adds."""


async def body_of(request: web.Request, kind: type[T], most: int = MAX_BODY) -> T:
    """Return the JSON body, of at most ``most`` bytes. Raise ``bad_message``, ``unsupported_media`` or ``too_large``."""
    data = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for chunk in request.content.iter_any():
                data += chunk
                if len(data) > most:
                    raise Rejection("too_large", f"The body has more than {most} bytes.")
    except TimeoutError:
        request.protocol.close()
        raise Rejection("bad_message", f"The body did not arrive within {BODY_S:.0f} s: send it again.") from None
    if data and request.content_type != "application/json":
        raise Rejection("unsupported_media", JSON_WANTED)
    try:
        return msgspec.json.decode(data or b"{}", type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Rejection("bad_message", f"The body is malformed: {error}.") from None


def token_of(request: web.Request) -> str | None:
    """Return the bearer token; None without one."""
    scheme, _, token = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


async def player_or_none(request: web.Request, guests: Guests) -> Person | None:
    """Return the player of a request; None without a valid token."""
    token = token_of(request)
    return None if token is None else await guests.person(token, request.get(IDENTITY))


async def player_of(request: web.Request, guests: Guests) -> Person:
    """Return the player of a request. Raise ``unauthorized``."""
    person = await player_or_none(request, guests)
    if person is None:
        raise Rejection("unauthorized", "This needs a player's token: get one with POST /api/players.")
    return person


def nothing_here() -> Rejection:
    """Return the rejection of everything under /admin/ for a stranger."""
    return Rejection("not_found", "There is nothing at this address.")


def client_address(request: web.Request, config: Config) -> str:
    """Return the first address from the right of X-Forwarded-For that is not a trusted proxy's.

    If the peer itself is not a trusted proxy, return the peer's address. What a client wrote further left is not parsed.
    A text that is no address ends the way: return the address of the proxy that wrote it. So it has no limits of its own.
    """
    address = plain(request.remote or "unknown")
    if not within(address, config.trusted):
        return address
    for part in islice(_hops(request), MAX_HOPS):
        hop = plain(part)
        if not hop:
            continue
        if not is_address(hop):
            break
        address = hop
        if not within(hop, config.trusted):
            break
    return address


def is_unnamed_proxy(request: web.Request, config: Config) -> bool:
    """Return whether the peer looks like a proxy that the operator forgot to name in ``trusted``.

    A peer on the internet does not: any client can send the header, and the log must not advise to trust a stranger.
    """
    peer = plain(request.remote or "unknown")
    return hdrs.X_FORWARDED_FOR in request.headers and not within(peer, config.trusted) and not is_public(peer)


def _hops(request: web.Request) -> Iterator[str]:
    """Yield the parts of X-Forwarded-For from the right."""
    for value in reversed(request.headers.getall(hdrs.X_FORWARDED_FOR, [])):
        yield from reversed(value.rsplit(",", MAX_HOPS))


def is_the_machine_itself(request: web.Request, config: Config) -> bool:
    """Return whether a request is made by a program of this machine, and not passed on by a proxy."""
    headers = request.headers
    if any(name in headers for name in _PROXIED) or hdrs.X_FORWARDED_FOR in headers:
        return False
    host = plain(headers.get(hdrs.HOST, ""))
    return is_loopback(request[ADDRESS]) and (host == "localhost" or is_loopback(host))


def is_trusted(request: web.Request, config: Config) -> bool:
    """Return whether the client may see details: it is the machine itself, or has a trusted address.

    A request that a local proxy passes on is not from the machine itself. Nor is one whose Host is a name of another
    machine: a page can make the operator's browser send that (DNS rebinding).
    """
    if config.open_metrics:
        return True
    headers = request.headers
    if any(name in headers for name in _PROXIED):
        return False
    if hdrs.X_FORWARDED_FOR in headers and not within(request.remote or "", config.trusted):
        return False
    if not all(is_address(hop) for hop in map(plain, islice(_hops(request), MAX_HOPS)) if hop):
        return False  # a proxy that does not know the visitor's address: it may be anybody's
    address = request[ADDRESS]
    if within(address, config.trusted):
        return True
    host = plain(headers.get(hdrs.HOST, ""))
    return is_loopback(address) and (host == "localhost" or is_loopback(host))


def check_shape(request: web.Request) -> None:
    """Raise a :class:`Rejection` for a request whose Host is malformed, or whose body is not plain JSON.

    A POST needs the content type even without a body. A page of another origin cannot send it without asking first.
    """
    hosts = request.headers.getall(hdrs.HOST, [])
    if len(hosts) > 1 or (not hosts and request.version >= HttpVersion11):
        raise Rejection("bad_message", "Send one Host header.")
    authority = _AUTHORITY.fullmatch(hosts[0]) if hosts else None
    if hosts and (authority is None or int(authority[1] or 0) > _MAX_PORT):
        raise Rejection("bad_message", "The Host header is malformed: send a name or an address, and a port if needed.")
    if request.headers.get(hdrs.CONTENT_ENCODING, "identity").strip().lower() != "identity":
        raise Rejection("unsupported_media", "Send the body as it is, without a Content-Encoding.")
    if request.headers.get(hdrs.TRANSFER_ENCODING, "chunked").strip().lower() != "chunked":
        raise Rejection("unsupported_media", "Send the body as it is, or chunked.")
    if (
        request.method == "POST"
        and request.content_type != "application/json"
        and request.match_info.http_exception is None
    ):
        raise Rejection("unsupported_media", JSON_WANTED)


def client_has(request: web.Request, tag: str) -> bool:
    """Return whether the client has a representation with this entity tag (RFC 9110, section 13.1.2)."""
    tags = [part.strip() for value in request.headers.getall(hdrs.IF_NONE_MATCH, []) for part in value.split(",")]
    return tags == ["*"] or tag.removeprefix("W/") in [part.removeprefix("W/") for part in tags]


def identity_of(request: web.Request, config: Config) -> str | None:
    """Return whom the proxy's sign-on names, in NFC; None without the header, and for one of an untrusted address.

    Raise ``bad_message`` for a header that comes twice or is empty.
    """
    if not config.name_header or not within(plain(request.remote or ""), config.trusted):
        return None
    values = request.headers.getall(config.name_header, [])
    if not values:
        return None
    if len(values) > 1 or not values[0].strip():
        raise Rejection("bad_message", f"The proxy must send {config.name_header} once, with a name.")
    return unicodedata.normalize("NFC", values[0])


def base_url(request: web.Request, config: Config) -> str:
    """Return the server's own URL, for links: scheme, host and base path, without a slash at the end."""
    public = public_base(config)
    if public is not None:
        return public
    scheme = request.scheme
    if within(request.remote or "", config.trusted):
        # Proxies behind each other make a list. The first part is the scheme of the visitor, and that of a handshake is wss.
        scheme = request.headers.get(hdrs.X_FORWARDED_PROTO, scheme).partition(",")[0].strip().lower()
    return f"{'https' if scheme in ('https', 'wss') else 'http'}://{request.host}{config.base_path}"


def public_base(config: Config) -> str | None:
    """Return the URL that the operator chose for links; None without one. A URL without a path gets the base path."""
    url = config.public_url.rstrip("/")
    if not url:
        return None
    return url if urlsplit(url).path else url + config.base_path


def own_base(config: Config) -> str:
    """Return the server's URL for messages that answer no request: the operator's, else that of its address."""
    return public_base(config) or f"http://{config.host}:{config.port}{config.base_path}"
