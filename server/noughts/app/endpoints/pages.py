"""The page and its files, read once, kept compressed, sent with strict headers."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aiohttp import hdrs, web

from noughts.app.rooms.registry import RoomRegistry
from noughts.errors import Rejection

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
_SERVED: Final = frozenset({".html", ".css", ".js", ".svg", ".png", ".ico", ".webmanifest", ".woff2"})


@dataclass(frozen=True, slots=True)
class File:
    """A file of the page."""

    body: bytes
    packed: bytes
    kind: str
    tag: str


def page_directory() -> Path:
    """Return where the page is: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "page"
    return inside if inside.is_dir() else package.parents[1] / "client_web"


class Pages:
    """All files of the page, by path."""

    def __init__(self, directory: Path) -> None:
        self.files: dict[str, File] = {}
        for path in sorted(directory.rglob("*")):
            if path.is_file() and path.suffix in _SERVED:
                body = path.read_bytes()
                kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
                tag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
                packed = gzip.compress(body, 9, mtime=0)
                self.files[path.relative_to(directory).as_posix()] = File(body, packed, kind, tag)
        if "index.html" not in self.files:
            raise FileNotFoundError(f"the page is missing: there is no index.html in {directory}")

    def response(self, request: web.Request, name: str, status: int = 200) -> web.Response:
        """Return one file, compressed if the client accepts that, or 304 if the client has it already. Raise 404."""
        file = self.files.get(name)
        if file is None:
            raise web.HTTPNotFound
        headers = {
            **HEADERS,
            hdrs.ETAG: file.tag,
            hdrs.CACHE_CONTROL: "no-cache",
            hdrs.VARY: hdrs.ACCEPT_ENCODING,
            hdrs.CONTENT_TYPE: f"{file.kind}; charset=utf-8" if file.kind.startswith("text/") else file.kind,
        }
        if status == 200 and request.headers.get(hdrs.IF_NONE_MATCH) == file.tag:
            return web.Response(status=304, headers=headers)
        if "gzip" in request.headers.get(hdrs.ACCEPT_ENCODING, ""):
            return web.Response(status=status, body=file.packed, headers={**headers, hdrs.CONTENT_ENCODING: "gzip"})
        return web.Response(status=status, body=file.body, headers=headers)


class PageEndpoints:
    """The endpoints that answer with pages and their files."""

    def __init__(self, pages: Pages, registry: RoomRegistry) -> None:
        self._pages = pages
        self._registry = registry

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Register the endpoints that are not in the table of :mod:`noughts.protocol.endpoints`."""
        router.add_get("/", self._start)
        router.add_get("/static/{path:.+}", self._static)
        router.add_get("/favicon.ico", self._icon)
        router.add_get("/robots.txt", self._robots)

    async def room(self, request: web.Request) -> web.Response:
        try:
            await self._registry.open(request.match_info["id"])
        except Rejection as rejection:
            if rejection.code == "unknown_room":
                return self._pages.response(request, "index.html", 404)
        return self._pages.response(request, "index.html")

    async def _start(self, request: web.Request) -> web.Response:
        return self._pages.response(request, "index.html")

    async def _static(self, request: web.Request) -> web.Response:
        return self._pages.response(request, request.match_info["path"])

    async def _icon(self, request: web.Request) -> web.Response:
        return self._pages.response(request, "icon.svg")

    async def _robots(self, request: web.Request) -> web.Response:
        return web.Response(text="User-agent: *\nDisallow: /r/\nDisallow: /api/\n")
