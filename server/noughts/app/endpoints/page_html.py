"""The HTML of every page: the shell, filled with a body, a head for link previews, and the variants as JSON.

The server draws each page ahead in each language, so its first paint needs no script.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from noughts.app.endpoints import page_bundles
from noughts.app.endpoints.page_files import PageFiles, policy
from noughts.app.endpoints.page_texts import DEFAULT, Language
from noughts.protocol.codec import encode

PageName: TypeAlias = Literal["start", "room", "replay", "embed", "missing"]

_MODULES: Final[Mapping[PageName, str]] = MappingProxyType(
    {"start": page_bundles.MAIN, "room": page_bundles.MAIN, "replay": page_bundles.MAIN, "embed": page_bundles.EMBED}
)
"""The module that each page begins with. A page without one works without JavaScript."""
_NEXT: Final[Mapping[PageName, str]] = MappingProxyType({"replay": "replay_page.js"})
"""The module that the first one imports at once."""
_FRAMED: Final[frozenset[PageName]] = frozenset(("start", "room", "replay"))
"""The pages with the header and the places for messages around them."""
_FIRST_PAINT: Final = "js/first_paint.js"
_PLACEHOLDER: Final = re.compile(r"\{\{([a-z]+)\}\}")
_TEXT: Final = re.compile(r"\{\{text ([\w.]+)(?: (\w+)=([\w.]+))?\}\}")
"""A text by its key in the catalogues. Another text may fill in a placeholder of it."""
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
    """Makes pages for one base path. ``data`` is what the page's JavaScript reads from the HTML.

    ``script`` is part of the HTML of every page: the player's choices apply from the first paint. ``policy`` is the
    Content-Security-Policy that allows it.
    """

    def __init__(self, files: PageFiles, base_path: str, data: object) -> None:
        self.base: Final = f"{base_path}/"
        self.static: Final = f"{base_path}/static/{files.tree}/"
        text = encode(data).decode().replace("<", "\\u003c")
        block = f'<script type="application/json" id="page-data">{text}</script>'
        self.script: Final = files.files[_FIRST_PAINT].body.decode()
        self.policy: Final = policy(self.script)
        self._pages = {
            (name, key): self._page(files, name, language, block)
            for name in get_args(PageName)
            for key, language in files.languages.items()
        }

    def _page(self, files: PageFiles, name: PageName, language: Language, block: str) -> str:
        """Return the HTML of a page. Only the placeholders that differ from request to request remain."""
        bundles = f"{self.static}{page_bundles.FOLDER}"
        module = _MODULES.get(name)
        scripts = ""
        if module is not None:
            preloaded = [f"{language.key}.js"] if language.key != DEFAULT else []
            preloaded += [_NEXT[name]] if name in _NEXT else []
            lines = [f'<link rel="modulepreload" href="{bundles}{path}">' for path in preloaded]
            scripts = "\n".join([f'<script type="module" src="{bundles}{module}"></script>', *lines, block])
        values = {
            "early": f"<script>{self.script}</script>",
            "scripts": scripts,
            "static": self.static,
            "base": self.base,
        }
        values |= {"language": language.key, "direction": language.direction}
        body = files.html["frame"].replace("{{main}}", files.html[name]) if name in _FRAMED else files.html[name]
        page = files.html["shell"].replace("{{body}}", body)
        page = _TEXT.sub(lambda placeholder: _text(language, placeholder), page)
        return _PLACEHOLDER.sub(lambda placeholder: values.get(placeholder[1], placeholder[0]), page)

    def render(self, name: PageName, head: Head, language: str = DEFAULT) -> bytes:
        """Return a page in a language."""
        values = {"title": escape(head.title), "description": escape(head.description), "preview": _preview(head)}
        return _PLACEHOLDER.sub(lambda placeholder: values[placeholder[1]], self._pages[name, language]).encode()


def _text(language: Language, placeholder: re.Match[str]) -> str:
    key, name, value = placeholder.groups()
    return escape(language.text(key, **({name: language.text(value)} if name else {})))


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
