"""The page and its files, read once, kept compressed, sent with strict headers."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aiohttp import hdrs, web

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
    """Where the page is: inside the installed package, or beside it in a checkout."""
    inside = Path(__file__).resolve().parent.parent / "page"
    return inside if inside.is_dir() else Path(__file__).resolve().parents[3] / "client_web"


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

    def answer(self, request: web.Request, name: str, status: int = 200) -> web.Response:
        """One file, compressed if the client can, not at all if it has it. Raises 404."""
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
