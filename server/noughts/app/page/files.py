"""The files of the page: read once, made and compressed when first asked for, served under the hash of the whole tree.

A browser may keep such a file for a year, because a changed tree has another path. Relative imports stay within the tree.
Scripts and style sheets are sent without most of their comments. The modules that a page begins with are joined, and so are
its style sheets. All that is read at the start: an upgrade beneath a running server changes nothing of what it serves.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import mimetypes
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Final

from noughts import __version__
from noughts.app.page.joined import joined, scripts_by_module, without_comments
from noughts.app.page.languages import Language, languages
from noughts.app.runtime.site_values import text_on

SCRIPTS: Final = "js/"
STYLE_SHEET: Final = "css/page.css"
"""It imports the other style sheets, and is sent with them."""
_JOINED: Final = "js/joined.json"
_OF_HTML: Final = ("noscript", "missing.")
"""Beginnings of the keys that only the HTML needs, so the catalogues for scripts leave them out."""
_CATALOGUES: Final = "js/texts/"
_ACCENT: Final = (
    "@media not (prefers-contrast: more) {{ @media not (forced-colors: active) {{\n"
    ':root:not([data-theme="contrast"]) {{ --accent: {accent}; --on-accent: {text}; }}\n}} }}\n'
)
"""The operator's colour. A player who asked for high contrast gets the page's own colours."""
_POLICY: Final = (
    "default-src 'none'; script-src {scripts}; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors {ancestors}"
)


def policy(scripts: Sequence[str] = (), ancestors: str = "'none'") -> str:
    """Return a Content-Security-Policy.

    ``scripts`` are the texts of the scripts that the HTML may hold: their hashes are in the policy. ``ancestors`` are the
    sites that may show the page in a frame.
    """
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    sources = " ".join(["'self'", *[f"'sha256-{digest}'" for digest in digests]])
    return _POLICY.format(scripts=sources, ancestors=ancestors)


HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Content-Security-Policy": policy(),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
        "Cross-Origin-Opener-Policy": "same-origin",
    }
)
_SPACE: Final = re.compile(r"(?<=[;{]) | (?=[{}])")
"""A space that means nothing in a style sheet, none of whose texts has a brace or a semicolon."""
_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".ts": "text/plain"}
_SERVED: Final = frozenset({".css", ".js", ".ts", ".svg", ".png", ".ico", ".woff2"})


class PageFile:
    """A file of the static tree. ``make`` returns its body, which is made at the first request for it and then kept."""

    def __init__(self, kind: str, make: Callable[[], bytes]) -> None:
        self.kind: Final = kind
        self._make: Final = make

    @cached_property
    def body(self) -> bytes:
        return self._make()

    @cached_property
    def packed(self) -> bytes:
        """The body as gzip."""
        return gzip.compress(self.body, 9, mtime=0)


def page_directory() -> Path:
    """Return where the page is: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "page"
    return inside if inside.is_dir() else package.parents[1] / "client_web"


def page_file(body: bytes, kind: str) -> PageFile:
    """Return a file with this body."""
    return PageFile(kind, lambda: body)


class PageFiles:
    """The static tree by path, the HTML that pages are made of by name, and the page's languages by key.

    ``site`` is the name of the server, and ``accent`` the operator's colour of buttons. ``tree`` is the hash of the tree.
    ``joined`` lists the modules of each joined script by the name of its first module.
    """

    def __init__(self, directory: Path, site: str = "Noughts", accent: str = "") -> None:
        self.html: Final = {path.stem: path.read_text("utf-8") for path in sorted((directory / "html").glob("*.html"))}
        if "shell" not in self.html:
            raise FileNotFoundError(f"the page is missing: there is no html/shell.html in {directory}")
        self.languages: Final[Mapping[str, Language]] = languages(directory / _CATALOGUES, site)
        sources = {
            path.relative_to(directory).as_posix(): path.read_bytes()
            for path in sorted(directory.rglob("*"))
            if path.is_file() and path.suffix in _SERVED
        }
        order = (directory / _JOINED).read_bytes()
        self.joined: Final[Mapping[str, Sequence[str]]] = json.loads(order)
        made = _Sources(sources, self.joined, accent)
        self.files: Final[dict[str, PageFile]] = {name: made.file(name) for name in sources}
        catalogues = {f"{_CATALOGUES}{key}.json": _texts_of_scripts(each) for key, each in self.languages.items()}
        for folder in sorted((directory / _CATALOGUES).glob("*/")):
            for key, language in languages(folder, site).items():
                catalogues[f"{_CATALOGUES}{folder.name}/{key}.json"] = language.texts
        digest = hashlib.sha256(f"{__version__} {accent} {len(order)} ".encode() + order)
        bodies = {
            name: json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode()
            for name, texts in catalogues.items()
        }
        for name, body in bodies.items():
            self.files[name] = page_file(body, "application/json")
        for name, source in (*sources.items(), *bodies.items()):
            digest.update(f"{len(name)} {name} {len(source)} ".encode() + source)
        self.tree: Final = digest.hexdigest()[:16]


class _Sources:
    """The files as they were read, by path, and how one is made of them."""

    def __init__(self, sources: Mapping[str, bytes], order: Mapping[str, Sequence[str]], accent: str) -> None:
        self._sources = sources
        self._order = order
        self._scripts = scripts_by_module(order)
        self._accent = accent

    def file(self, name: str) -> PageFile:
        kind = _TYPES.get(PurePosixPath(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        return PageFile(kind, partial(self._body, name))

    def _body(self, name: str) -> bytes:
        """Return what is sent of a file."""
        if not name.endswith((".js", ".css")):
            return self._sources[name]
        module = name.removeprefix(SCRIPTS)
        if name.startswith(SCRIPTS) and "/" in module and self._scripts.get(module, module) == module:
            modules = self._order.get(module, (module,))
            text = joined(modules, {each: self._text(SCRIPTS + each) for each in modules}, self._scripts)
        elif name == STYLE_SHEET:
            folder = STYLE_SHEET.rpartition("/")[0]
            text = "".join([self._text(f"{folder}/{sheet}") for sheet in imported_sheets(self._text(name))])
            if self._accent:
                text += _ACCENT.format(accent=self._accent, text=text_on(self._accent))
        else:
            text = self._text(name)
        text = without_comments(text)
        return (_SPACE.sub("", text) if name.endswith(".css") else text).encode()

    def _text(self, name: str) -> str:
        return self._sources[name].decode()


def _texts_of_scripts(language: Language) -> Mapping[str, str]:
    return {name: text for name, text in language.texts.items() if not name.startswith(_OF_HTML)}


def imported_sheets(text: str) -> list[str]:
    """Return the names of the style sheets that a style sheet imports, in their order."""
    return [line.split('"')[1] for line in text.splitlines() if line.startswith("@import ")]
