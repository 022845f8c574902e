"""Access for pages of other origins, which the operator lists (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol).

A token travels in a header that a page sets itself, never in a cookie. So a page that may send requests has no more rights
than any other program.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from aiohttp import hdrs, web

from noughts.app.endpoints.middleware import Handler

_METHODS: Final = "GET, POST, PATCH, DELETE"
_REQUEST_HEADERS: Final = "Authorization, Content-Type"
_PREFLIGHT_S: Final = "600"
"""How long a browser may keep the answer to a preflight."""


class CrossOrigin:
    """Allows the listed origins to use the API. ``base_path`` is empty or begins with a slash."""

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
