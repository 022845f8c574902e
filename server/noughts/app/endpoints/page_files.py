"""The files of the page: read once, kept compressed, served under a path that holds the hash of the whole tree.

A browser may keep such a file for a year, because a changed tree has another path. Relative imports stay within the tree.
Scripts and style sheets lose their comments and needless white space when they are read. Names stay as they are written.
The tree also holds bundles, which the page loads instead of many small files.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import mimetypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import rcssmin
import rjsmin
from aiohttp import hdrs, web

from noughts.app.endpoints import page_bundles
from noughts.app.endpoints.page_texts import Language, languages

_POLICY: Final = (
    "default-src 'none'; script-src {scripts}; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors {ancestors}"
)


def policy(script: str = "", ancestors: str = "'none'") -> str:
    """Return a Content-Security-Policy.

    ``script`` is the text of the one script that the HTML may hold: its hash is in the policy. ``ancestors`` are the sites
    that may show the page in a frame.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _POLICY.format(scripts=f"'self' 'sha256-{digest}'" if script else "'self'", ancestors=ancestors)


HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Content-Security-Policy": policy(),
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
_SCRIPTS: Final = "js/"
_STYLES: Final = "css/"
_STYLE_SHEET: Final = "page.css"
"""The style sheet that imports the others."""


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
    """The static tree by path, the HTML that pages are made of by name, and the page's languages by key.

    ``tree`` is the hash of the tree.
    """

    def __init__(self, directory: Path) -> None:
        self.files: Final[dict[str, PageFile]] = {}
        sources: dict[str, bytes] = {}
        for path in sorted(directory.rglob("*")):
            if path.is_file() and path.suffix in _SERVED:
                sources[path.relative_to(directory).as_posix()] = path.read_bytes()
        scripts = _texts(sources, _SCRIPTS, ".js")
        self.languages: Final[Mapping[str, Language]] = languages(scripts)
        catalogues = [f"{key}.js" for key in self.languages]
        bundles = page_bundles.script_bundles(scripts, catalogues) | _style_bundles(_texts(sources, _STYLES, ".css"))
        for name, text in bundles.items():
            sources[page_bundles.FOLDER + name] = text.encode()
        for name, source in sources.items():
            suffix = Path(name).suffix
            kind = _TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
            self.files[name] = page_file(_stripped(source, suffix), kind)
        digest = hashlib.sha256()
        for name, file in self.files.items():
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


def _texts(sources: Mapping[str, bytes], folder: str, suffix: str) -> dict[str, str]:
    """Return the files of one kind in a folder, by their names in it."""
    return {
        name.removeprefix(folder): source.decode()
        for name, source in sources.items()
        if name.startswith(folder) and name.endswith(suffix)
    }


def _style_bundles(styles: Mapping[str, str]) -> dict[str, str]:
    """Return the bundle of the style sheets by name, or none where there is no page."""
    return {_STYLE_SHEET: page_bundles.style_bundle(styles[_STYLE_SHEET], styles)} if _STYLE_SHEET in styles else {}


def _stripped(source: bytes, suffix: str) -> bytes:
    """Return a script or a style sheet without comments and needless white space, any other file as it is."""
    if suffix not in _STRIPPED:
        return source
    return _STRIPPED[suffix](source.decode()).encode()
