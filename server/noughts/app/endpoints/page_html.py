"""The HTML of every page: the shell, filled with a body, a head for link previews, and the variants as JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from noughts.app.endpoints.page_files import PageFiles
from noughts.protocol.codec import encode

PageName: TypeAlias = Literal["start", "room", "replay", "embed", "missing"]

_MODULES: Final[Mapping[PageName, str]] = MappingProxyType(
    {"start": "js/main.js", "room": "js/main.js", "replay": "js/main.js", "embed": "js/embed.js"}
)
"""The module that each page begins with. A page without one works without JavaScript."""
_FRAMED: Final[frozenset[PageName]] = frozenset(("start", "room", "replay"))
"""The pages with the header and the places for messages around them."""
_PLACEHOLDER: Final = re.compile(r"\{\{([a-z]+)\}\}")
PICTURE_SIZE: Final = (1200, 630)
"""Width and height in px of the picture in a link preview."""


class Head(NamedTuple):
    """What a chat program shows of a link. ``url`` and ``picture`` are absolute; ``alternative`` describes the picture."""

    title: str
    description: str
    url: str
    picture: str
    alternative: str


class Html:
    """Makes pages for one base path. ``data`` is what the page's JavaScript reads from the HTML."""

    def __init__(self, files: PageFiles, base_path: str, data: object) -> None:
        self.base: Final = f"{base_path}/"
        self.static: Final = f"{base_path}/static/{files.tree}/"
        text = encode(data).decode().replace("<", "\\u003c")
        block = f'<script type="application/json" id="page-data">{text}</script>'
        self._pages = {name: self._page(files, name, block) for name in get_args(PageName)}

    def _page(self, files: PageFiles, name: PageName, block: str) -> str:
        """Return the HTML of a page. Only the placeholders that differ from request to request remain."""
        module = _MODULES.get(name)
        scripts = ""
        if module is not None:
            lines = [f'<link rel="modulepreload" href="{self.static}{path}">' for path in files.imports(module)]
            scripts = "\n".join([*lines, f'<script type="module" src="{self.static}{module}"></script>', block])
        values = {"scripts": scripts, "static": self.static, "base": self.base}
        body = files.html["frame"].replace("{{main}}", files.html[name]) if name in _FRAMED else files.html[name]
        page = files.html["shell"].replace("{{body}}", body)
        return _PLACEHOLDER.sub(lambda placeholder: values.get(placeholder[1], placeholder[0]), page)

    def render(self, name: PageName, head: Head) -> bytes:
        """Return a page."""
        values = {"title": escape(head.title), "description": escape(head.description), "preview": _preview(head)}
        return _PLACEHOLDER.sub(lambda placeholder: values[placeholder[1]], self._pages[name]).encode()


def _preview(head: Head) -> str:
    """Return the tags that chat programs read, in the vocabulary of Open Graph (ogp.me)."""
    width, height = PICTURE_SIZE
    tags = {
        "og:type": "website",
        "og:site_name": "Noughts",
        "og:title": head.title,
        "og:description": head.description,
        "og:url": head.url,
        "og:image": head.picture,
        "og:image:type": "image/png",
        "og:image:width": str(width),
        "og:image:height": str(height),
        "og:image:alt": head.alternative,
    }
    lines = [f'<meta property="{name}" content="{escape(content)}">' for name, content in tags.items()]
    return "\n".join([*lines, '<meta name="twitter:card" content="summary_large_image">'])
