"""The one way to register a URL: a row with its handler."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from aiohttp import hdrs, web

from noughts.protocol.endpoint import Endpoint
from noughts.protocol.endpoints import ENDPOINTS

Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Row(NamedTuple):
    """A method and a path with their handler. With ``head``, a GET answers HEAD too."""

    method: str
    path: str
    handler: Handler
    head: bool = False


_BY_NAME: Final[Mapping[str, Endpoint]] = MappingProxyType({endpoint.name: endpoint for endpoint in ENDPOINTS})


def row(name: str, handler: Handler) -> Row:
    """Return the row of an endpoint of the contract. A GET answers HEAD where the answer is the same for everybody."""
    endpoint = _BY_NAME[name]
    path = endpoint.path.replace("{page}", "{page:.+}")  # the name of a page has slashes
    return Row(endpoint.method, path, handler, head=endpoint.token != "needed" and name != "connect")


def add_rows(router: web.UrlDispatcher, rows: Iterable[Row]) -> None:
    """Register rows."""
    for method, path, handler, head in rows:
        if method == hdrs.METH_GET:
            router.add_get(path, handler, allow_head=head)
        else:
            router.add_route(method, path, handler)
