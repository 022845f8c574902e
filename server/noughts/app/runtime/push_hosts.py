"""The hosts that may receive posts: the push services of the browsers, or those that the operator lists.

The endpoint of a subscription is a URL from a client. So the server posts only to hosts on a list, and to addresses that are
not private.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final, NamedTuple

from yarl import URL

from noughts.app.runtime.setting_values import SettingError
from noughts.errors import Rejection

MAX_ENDPOINT_BYTES: Final = 2_048
HTTPS_PORT: Final = 443
BROWSERS: Final = "fcm.googleapis.com,*.push.services.mozilla.com,*.push.apple.com,*.notify.windows.com"
"""The push services of Chromium, Firefox, Safari and Edge."""
_LABELS: Final = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\Z")
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_PRIVATE: Final = tuple(map(ipaddress.IPv6Network, ("::/96", "::ffff:0:0:0/96", "64:ff9b:1::/48", "fec0::/10")))
"""Private networks that ``ipaddress`` takes for public: IPv4 in two older forms, a network's own NAT64, and site-local."""


class PushHost(NamedTuple):
    """One entry of the list. ``subdomains``: one or more labels before ``name``. ``private``: also private addresses."""

    name: str
    port: int = HTTPS_PORT
    subdomains: bool = False
    private: bool = False

    def __str__(self) -> str:
        host = f"*.{self.name}" if self.subdomains else self.name
        return f"{f'[{host}]' if ':' in host else host}:{self.port}" if self.private else host

    def matches(self, host: str, port: int) -> bool:
        """Return whether a host and port are those of this entry."""
        if port != self.port or not self.subdomains:
            return port == self.port and host == self.name
        return host.endswith(f".{self.name}") and bool(_LABELS.match(host.removesuffix(f".{self.name}")))


class Endpoint(NamedTuple):
    """The checked endpoint of a subscription. ``origin`` is that of its push service."""

    url: str
    host: str
    origin: str
    private: bool


def push_host_list(text: str) -> tuple[PushHost, ...]:
    """Return the entries of a list with commas: ``host``, ``*.host`` or ``host:port``. Raise :class:`SettingError`."""
    return tuple(_push_host(entry.strip()) for entry in text.split(",") if entry.strip())


def _push_host(text: str) -> PushHost:
    subdomains = text.startswith("*.")
    problem = SettingError(f"must be hosts such as push.example.org, *.example.org or localhost:8443, not {text!r}")
    try:
        url = URL(f"https://{text.removeprefix('*.')}")
        host, port = url.host, url.explicit_port
    except ValueError:
        raise problem from None
    rest = url.path != "/" or url.query_string or url.fragment or "@" in text
    if not host or "*" in host or rest or not text.isascii() or (subdomains and port is not None):
        raise problem
    return PushHost(host.lower(), port or HTTPS_PORT, subdomains, private=port is not None)


def checked_endpoint(text: str, hosts: tuple[PushHost, ...]) -> Endpoint:
    """Return an endpoint whose host is on the list. Raise ``bad_message``.

    An address instead of a name must be public, or its entry must have a port. The addresses of a name are checked later,
    when it is resolved.
    """
    if len(text.encode("utf-8", "replace")) > MAX_ENDPOINT_BYTES:
        raise _rejection(f"has more than {MAX_ENDPOINT_BYTES} bytes")
    if not text.isascii() or not text.isprintable() or set(text) & set(" \\<>\"'`"):
        raise _rejection("has a character that a URL may not have")
    try:
        url = URL(text)
        host, port = (url.host or "").lower(), url.port
    except ValueError:
        raise _rejection("is not a URL") from None
    if url.scheme != "https" or not host or port is None:
        raise _rejection("must begin with https://")
    if "@" in text.partition("//")[2].partition("/")[0]:
        raise _rejection("must not have a user or a password")
    entries = [entry for entry in hosts if entry.matches(host, port)]
    private = any(entry.private for entry in entries)
    if not entries or not (private or is_public(host, name=True)):
        raise _rejection("is not at a push service that this server knows (NOUGHTS_PUSH_HOSTS)")
    return Endpoint(endpoint_url(text), host, str(url.origin()), private)


def endpoint_url(text: str) -> str:
    """Return the spelling of an endpoint that is stored: without a fragment, and with one way to write each character.

    Text that is not a URL is returned unchanged.
    """
    try:
        return str(URL(text).with_fragment(None))
    except ValueError:
        return text


def is_public(address: str, *, name: bool = False) -> bool:
    """Return whether an address is one of the internet, and no host of a private network. ``name`` is for other text."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return name
    if isinstance(parsed, ipaddress.IPv6Address):
        inside = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
        if parsed in _NAT64:
            inside = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
        if inside is not None and not is_public(str(inside)):
            return False
        if parsed.ipv4_mapped:
            return True
        if any(parsed in network for network in _PRIVATE):
            return False
    return parsed.is_global and not parsed.is_multicast


def _rejection(problem: str) -> Rejection:
    return Rejection("bad_message", f"The endpoint {problem}: send the endpoint of the browser's push subscription.")
