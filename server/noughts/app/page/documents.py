"""The documentation as HTML, drawn from its Markdown. A server imports this module with the first request for it."""

from __future__ import annotations

import base64
import posixpath
import re
import unicodedata
from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

INDEX: Final = "README.md"
"""The page that links to all others."""
_SUFFIX: Final = ".md"


class Document(NamedTuple):
    """A page of the documentation: its title, its content as HTML, and links to all pages as HTML."""

    title: str
    content: str
    navigation: str


def documents_directory() -> Path:
    """Return where the documentation is: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "docs"
    return inside if inside.is_dir() else package.parents[1] / "docs"


class Documents:
    """All pages of the documentation by name, such as ``how-to/host``. The name of the first page is empty."""

    def __init__(self, directory: Path, root: str) -> None:
        """``root`` is the path of the first page in links. Raise OSError if a page cannot be read."""
        self._directory = directory
        self._root = root
        self._markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
        self._files = {
            path.relative_to(directory).as_posix(): path.read_text("utf-8") for path in directory.rglob(f"*{_SUFFIX}")
        }
        self._drawn: dict[str, Document] = {}

    def page(self, name: str) -> Document | None:
        """Return a page by its name, with or without ``.md``; None for an unknown name. Each page is drawn once."""
        file = name if name.endswith(_SUFFIX) else f"{name}{_SUFFIX}" if name else INDEX
        if file not in self._files:
            file = f"{name}/{INDEX}"
        if file not in self._files:
            return None
        if file not in self._drawn:
            self._drawn[file] = self._draw(file)
        return self._drawn[file]

    def _draw(self, file: str) -> Document:
        tokens = self._markdown.parse(self._files[file])
        titles = list(headings(tokens))
        for token in tokens:
            for part in token.children or ():
                if part.type == "link_open":
                    part.attrs["href"] = self._link(file, str(part.attrs["href"]))
                elif part.type == "image":
                    part.attrs["src"] = self._picture(file, str(part.attrs["src"]))
        html = self._markdown.renderer.render(tokens, self._markdown.options, {})
        # Wide tables and long lines scroll inside their frames. The keyboard scrolls what has the focus.
        html = html.replace("<table>", '<div class="wide" tabindex="0"><table>').replace("</table>", "</table></div>")
        html = html.replace("<pre>", '<pre tabindex="0">')
        return Document(titles[0] if titles else file, html, self._navigation(file))

    def _navigation(self, current: str) -> str:
        """Return links to the pages that the first page lists, under its headings."""
        parts: list[str] = []
        for token in self._markdown.parse(self._files[INDEX]):
            if token.type == "heading_open" and token.tag == "h2":
                parts.append("<h2>{}</h2>")
            elif token.type == "inline" and parts and parts[-1] == "<h2>{}</h2>":
                parts[-1] = parts[-1].format(escape(token.content))
            elif token.type in ("bullet_list_open", "bullet_list_close"):
                parts.append("<ul>" if token.nesting == 1 else "</ul>")
            elif token.type == "inline":
                parts += self._links(token.children or (), current)
        return "".join(parts)

    def _links(self, parts: Sequence[Token], current: str) -> Iterator[str]:
        for link, text in pairwise(parts):
            if link.type == "link_open":
                target = str(link.attrs["href"])
                here = ' aria-current="page"' if target == current else ""
                yield f'<li><a href="{escape(self._link(INDEX, target))}"{here}>{escape(text.content)}</a></li>'

    def _picture(self, file: str, source: str) -> str:
        """Return a picture of a page as a ``data:`` URL, so that a page is one answer."""
        path = (self._directory / file).parent / source
        return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"

    def _link(self, file: str, target: str) -> str:
        """Return a link of a page as one of this server. Links to other sites and within the page stay."""
        path, mark, fragment = target.partition("#")
        if not path.endswith(_SUFFIX) or "://" in path:
            return target
        name = posixpath.normpath(posixpath.join(posixpath.dirname(file), path)).removesuffix(_SUFFIX)
        if name.endswith("README"):
            name = name.removesuffix("README").rstrip("/")
        return f"{self._root}/{name}{mark}{fragment}" if name else f"{self._root}{mark}{fragment}"


def headings(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the text of each heading, and give it the id to which links lead."""
    used: dict[str, int] = {}
    for token, content in pairwise(tokens):
        if token.type == "heading_open":
            text = "".join([part.content for part in content.children or ()])
            mark = anchor(text)
            count = used[mark] = used.get(mark, -1) + 1
            token.attrs["id"] = f"{mark}_{count}" if count else mark
            yield text


def anchor(text: str) -> str:
    """Return the id of a heading: small letters, digits and hyphens, as the links of the documentation write it."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())
