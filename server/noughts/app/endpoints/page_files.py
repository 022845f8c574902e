"""The files of the page: read once, kept compressed, served under a path that holds the hash of the whole tree.

A browser may keep such a file for a year, because a changed tree has another path. Relative imports stay within the tree.
Scripts and style sheets lose their comments and needless white space when they are read. Names stay as they are written.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import rcssmin
import rjsmin
from aiohttp import hdrs, web

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors {ancestors}"
)
"""The Content-Security-Policy. ``{ancestors}`` stands for the sites that may show the page in a frame."""
HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Content-Security-Policy": POLICY.format(ancestors="'none'"),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
        "Cross-Origin-Opener-Policy": "same-origin",
    }
)
FOR_ANY_PAGE: Final[Mapping[str, str]] = MappingProxyType({hdrs.ACCESS_CONTROL_ALLOW_ORIGIN: "*"})
"""Lets a page of any site import the modules. They are public, and the API asks for the page's origin."""
FOR_A_YEAR: Final = "public, max-age=31536000, immutable"
_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".ts": "text/plain"}
_STRIPPED: Final[Mapping[str, Callable[[str], str]]] = MappingProxyType({".js": rjsmin.jsmin, ".css": rcssmin.cssmin})
_SERVED: Final = frozenset({".css", ".js", ".ts", ".svg", ".png", ".ico", ".woff2"})
_IMPORT: Final = re.compile(r'^(?:import|export)\b[^;"()]*"(\.{1,2}/[^"]+)";', re.M)
"""A static import of a module. A call of ``import()`` has a parenthesis before its text."""


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the static tree. ``packed`` is its body as gzip."""

    body: bytes
    packed: bytes
    kind: str


def page_directory() -> Path:
    """Return where the page is: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "page"
    return inside if inside.is_dir() else package.parents[1] / "client_web"


def response(request: web.Request, file: PageFile, headers: Mapping[str, str], status: int = 200) -> web.Response:
    """Return a file, compressed if the client accepts that."""
    kind = f"{file.kind}; charset=utf-8" if file.kind.startswith("text/") else file.kind
    headers = {**HEADERS, hdrs.CONTENT_TYPE: kind, hdrs.VARY: hdrs.ACCEPT_ENCODING, **headers}
    if "gzip" in request.headers.get(hdrs.ACCEPT_ENCODING, ""):
        return web.Response(status=status, body=file.packed, headers={**headers, hdrs.CONTENT_ENCODING: "gzip"})
    return web.Response(status=status, body=file.body, headers=headers)


def page_file(body: bytes, kind: str) -> PageFile:
    """Return a file, compressed."""
    return PageFile(body, gzip.compress(body, 9, mtime=0), kind)


class PageFiles:
    """The static tree by path, and the HTML that pages are made of by name. ``tree`` is the hash of the tree."""

    def __init__(self, directory: Path) -> None:
        self.files: dict[str, PageFile] = {}
        self._imports: dict[str, tuple[str, ...]] = {}
        digest = hashlib.sha256()
        for path in sorted(directory.rglob("*")):
            if path.is_file() and path.suffix in _SERVED:
                name = path.relative_to(directory).as_posix()
                kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
                source = path.read_bytes()
                if path.suffix == ".js":
                    targets = _IMPORT.findall(source.decode())
                    self._imports[name] = tuple(
                        _joined(path.relative_to(directory).parent, target) for target in targets
                    )
                self.files[name] = file = page_file(_stripped(source, path.suffix), kind)
                digest.update(b"%d %s %d " % (len(name), name.encode(), len(file.body)) + file.body)
        self.tree: Final = digest.hexdigest()[:16]
        self.html: Final = {path.stem: path.read_text("utf-8") for path in sorted((directory / "html").glob("*.html"))}
        if "shell" not in self.html:
            raise FileNotFoundError(f"the page is missing: there is no html/shell.html in {directory}")

    def response(self, request: web.Request, tree: str, name: str) -> web.Response:
        """Return a file of the tree. Raise 404.

        A page of another version, from another node or from before an update, gets this version's file, which no cache may
        keep under the other hash.
        """
        file = self.files.get(name)
        if file is None:
            raise web.HTTPNotFound
        cached = FOR_A_YEAR if tree == self.tree else "no-store"
        return response(request, file, {hdrs.CACHE_CONTROL: cached, **FOR_ANY_PAGE})

    def imports(self, module: str) -> tuple[str, ...]:
        """Return the paths of all modules that a module imports statically, directly or not, in the order of need."""
        paths: dict[str, None] = {}
        waiting = [module]
        for name in waiting:
            for path in self._imports[name]:
                if path not in paths and path in self.files and path != module:
                    paths[path] = None
                    waiting.append(path)
        return tuple(paths)


def _stripped(source: bytes, suffix: str) -> bytes:
    """Return a script or a style sheet without comments and needless white space, any other file as it is."""
    if suffix not in _STRIPPED:
        return source
    return _STRIPPED[suffix](source.decode()).encode()


def _joined(folder: Path, target: str) -> str:
    """Return the path of a relative import."""
    parts: list[str] = []
    for part in (*folder.parts, *target.split("/")):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
