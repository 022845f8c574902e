"""The files of the page: read once, kept compressed, served under a path that holds the hash of the whole tree.

A browser may keep such a file for a year, because a changed tree has another path. Relative imports stay within the tree.
Scripts and style sheets are sent without most of their comments. The modules that a page begins with are joined, and so are
its style sheets.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import mimetypes
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

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


def page_file(body: bytes, kind: str) -> PageFile:
    """Return a file, compressed."""
    return PageFile(body, gzip.compress(body, 9, mtime=0), kind)


class PageFiles:
    """The static tree by path, the HTML that pages are made of by name, and the page's languages by key.

    ``site`` is the name of the server, and ``accent`` the operator's colour of buttons. ``tree`` is the hash of the tree.
    ``joined`` lists the modules of each joined script by the name of its first module.
    """

    def __init__(self, directory: Path, site: str = "Noughts", accent: str = "") -> None:
        self._accent = accent
        self.html: Final = {path.stem: path.read_text("utf-8") for path in sorted((directory / "html").glob("*.html"))}
        if "shell" not in self.html:
            raise FileNotFoundError(f"the page is missing: there is no html/shell.html in {directory}")
        self.languages: Final[Mapping[str, Language]] = languages(directory / _CATALOGUES, site)
        self.joined: Final[Mapping[str, Sequence[str]]] = json.loads((directory / _JOINED).read_text("utf-8"))
        self._scripts = scripts_by_module(self.joined)
        self.files: Final[dict[str, PageFile]] = {}
        for path in sorted(directory.rglob("*")):
            if path.is_file() and path.suffix in _SERVED:
                name = path.relative_to(directory).as_posix()
                kind = _TYPES.get(path.suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
                self.files[name] = page_file(self._body(directory, name), kind)
        for key, language in self.languages.items():
            texts = {name: text for name, text in language.texts.items() if not name.startswith(_OF_HTML)}
            body = json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode()
            self.files[f"{_CATALOGUES}{key}.json"] = page_file(body, "application/json")
        for folder in sorted((directory / _CATALOGUES).glob("*/")):
            for key, language in languages(folder, site).items():
                body = json.dumps(language.texts, ensure_ascii=False, separators=(",", ":")).encode()
                self.files[f"{_CATALOGUES}{folder.name}/{key}.json"] = page_file(body, "application/json")
        digest = hashlib.sha256()
        for name, file in self.files.items():
            digest.update(b"%d %s %d " % (len(name), name.encode(), len(file.body)) + file.body)
        self.tree: Final = digest.hexdigest()[:16]

    def _body(self, directory: Path, name: str) -> bytes:
        """Return what is sent of a file."""
        path = directory / name
        if path.suffix not in (".js", ".css"):
            return path.read_bytes()
        module = name.removeprefix(SCRIPTS)
        if name.startswith(SCRIPTS) and "/" in module and self._scripts.get(module, module) == module:
            modules, folder = self.joined.get(module, (module,)), directory / SCRIPTS
            sources = {each: (folder / each).read_text("utf-8") for each in modules}
            text = joined(modules, sources, self._scripts)
        elif name == STYLE_SHEET:
            text = "".join(
                [(path.parent / sheet).read_text("utf-8") for sheet in imported_sheets(path.read_text("utf-8"))]
            )
            if self._accent:
                text += _ACCENT.format(accent=self._accent, text=text_on(self._accent))
        else:
            text = path.read_text("utf-8")
        text = without_comments(text)
        return (_SPACE.sub("", text) if path.suffix == ".css" else text).encode()


def imported_sheets(text: str) -> list[str]:
    """Return the names of the style sheets that a style sheet imports, in their order."""
    return [line.split('"')[1] for line in text.splitlines() if line.startswith("@import ")]
