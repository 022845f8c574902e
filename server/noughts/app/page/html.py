"""The HTML of every page: the shell, filled with a body, a head for link previews, and the variants as JSON.

The server draws each page ahead in each language, so its first paint needs no script.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from noughts.app.page.files import SCRIPTS, STYLE_SHEET, PageFiles, policy
from noughts.app.page.languages import DEFAULT, Language
from noughts.protocol.bodies import SiteView
from noughts.protocol.codec import encode

PageName: TypeAlias = Literal[
    "start", "room", "replay", "puzzle", "learn", "tournament", "join", "embed", "document", "missing"
]

_MAIN: Final = "main/main.js"
_FIRST: Final[Mapping[PageName, str]] = MappingProxyType(
    {
        **dict.fromkeys(("start", "room", "replay", "puzzle", "learn", "tournament", "join"), _MAIN),
        "embed": "room/embed.js",
    }
)
"""The module that each page begins with. A page without one works without JavaScript."""
_NEXT: Final[Mapping[PageName, Sequence[str]]] = MappingProxyType(
    {
        "room": ("room/page.js",),
        "replay": ("room/page.js", "review/replay_page.js", "review/review.js"),
        "puzzle": ("puzzle/puzzle_page.js",),
        "learn": ("learn/learn_page.js",),
        "tournament": ("room/page.js", "tournament/page.js"),
        "join": ("tournament/join.js",),
    }
)
"""The modules that the first one imports at once."""
_FRAMED: Final[frozenset[PageName]] = frozenset(("start", "room", "replay", "puzzle", "learn", "tournament", "join"))
"""The pages with the header and the places for messages around them."""
_SHEETS: Final[Mapping[PageName, Sequence[str]]] = MappingProxyType(
    {
        "embed": ("css/embed.css",),
        "learn": ("css/learn.css",),
        "tournament": ("css/tournament.css",),
        "join": ("css/tournament.css",),
    }
)
"""Style sheets that only some pages need."""
_TEXTS_OF: Final[Mapping[PageName, Sequence[str]]] = MappingProxyType(
    {
        "learn": ("learn/",),
        "tournament": ("tournament/",),
        "join": ("tournament/",),
        "replay": ("server/",),
        "puzzle": ("server/",),
    }
)
"""Folders of catalogues that only some pages need."""
_TEXTS_IN: Final = "texts/"
_FIRST_PAINT: Final = "js/first_paint.js"
_WORDS: Final[Mapping[str, str]] = MappingProxyType({"name": "variant.", "rules": "rules."})
"""The words about a variant, and the beginnings of their keys in a catalogue."""
_PLACEHOLDER: Final = re.compile(r"\{\{([a-z]+)\}\}")
_TEXT: Final = re.compile(r"\{\{text ([\w.]+)\}\}")
"""A text by its key in the catalogues."""
PICTURE_SIZE: Final = (1200, 630)
"""Width and height in px of the picture in a link preview."""


class Head(NamedTuple):
    """What a chat program shows of a link. The name of the server follows ``title``, or stands alone if that is empty.

    ``url`` and ``picture`` are absolute; ``alternative`` describes the picture.
    """

    title: str
    description: str
    url: str
    picture: str
    alternative: str


class Html:
    """Makes pages for one base path. ``data`` is what the page's JavaScript reads from the HTML.

    The HTML of each page holds one script, which applies the player's choices from the first paint. ``policy`` is the
    Content-Security-Policy that allows it.
    """

    def __init__(self, files: PageFiles, base_path: str, data: object, site: SiteView) -> None:
        self._site = site
        self.base: Final = f"{base_path}/"
        self.static: Final = f"{base_path}/static/{files.tree}/"
        self._modules: Final = f"{self.static}{SCRIPTS}"
        self.scripts: Final = (files.files[_FIRST_PAINT].body.decode(),)
        self.policy: Final = policy(self.scripts)
        self._pages = {
            (name, key): self._page(files, name, language, _block(data, language))
            for name in get_args(PageName)
            for key, language in files.languages.items()
        }

    def _page(self, files: PageFiles, name: PageName, language: Language, block: str) -> str:
        """Return the HTML of a page. Only the placeholders that differ from request to request remain."""
        (first_paint,) = self.scripts
        values = {
            "early": f"<script>{first_paint}</script>",
            "scripts": "",
            "static": self.static,
            "sheets": "\n".join(
                [
                    f'<link rel="stylesheet" href="{self.static}{sheet}">'
                    for sheet in (STYLE_SHEET, *_SHEETS.get(name, ()))
                ]
            ),
            "base": self.base,
            "language": language.key,
            "direction": language.direction,
            "foot": self._foot(language, framed=name == "embed"),
        }
        if name in _FIRST:
            values["scripts"] = "\n".join(
                [
                    f'<script type="module" src="{self._modules}{_FIRST[name]}"></script>',
                    *[f'<link rel="modulepreload" href="{self._modules}{path}">' for path in _NEXT.get(name, ())],
                    *[
                        f'<link rel="preload" as="fetch" crossorigin href="{self._modules}{_TEXTS_IN}{path}">'
                        for path in [f"{folder}{language.key}.json" for folder in ("", *_TEXTS_OF.get(name, ()))]
                    ],
                    block,
                ]
            )
        body = files.html["frame"].replace("{{main}}", files.html[name]) if name in _FRAMED else files.html[name]
        page = files.html["shell"].replace("{{body}}", body)
        page = _TEXT.sub(lambda placeholder: escape(language.text(placeholder[1])), page)
        return _PLACEHOLDER.sub(lambda placeholder: values.get(placeholder[1], placeholder[0]), page)

    def _foot(self, language: Language, *, framed: bool) -> str:
        """Return the operator's links, which stand at the foot of every page; nothing without links.

        In a frame of another site they open a page of their own.
        """
        target = ' target="_blank"' if framed else ""
        links = [
            f'<a href="{_literal(url)}" data-text="{key}"{target} rel="noopener">{escape(language.text(key))}</a>'
            for key, url in (("foot.legal", self._site.legal_url), ("foot.contact", self._site.contact))
            if url is not None
        ]
        return f'<footer class="page-foot">{" ".join(links)}</footer>' if links else ""

    def render(
        self, name: PageName, head: Head, language: str = DEFAULT, parts: Mapping[str, str] = MappingProxyType({})
    ) -> bytes:
        """Return a page in a language. ``parts`` is the HTML for further placeholders of the page."""
        values = {
            "title": escape(_title(head, self._site.name)),
            "description": escape(head.description),
            "preview": _preview(head, self._site.name),
            **parts,
        }
        return _PLACEHOLDER.sub(
            lambda placeholder: values.get(placeholder[1], ""), self._pages[name, language]
        ).encode()


def _block(data: object, language: Language) -> str:
    """Return what the page's JavaScript reads. Leave out the words about variants that the language has in its catalogue."""
    content = json.loads(encode(data))
    for variant in content.get("variants", ()):
        for word, prefix in _WORDS.items():
            if f"{prefix}{variant['key']}" in language.texts:
                del variant[word]
    text = encode(content).decode().replace("<", "\\u003c")
    return f'<script type="application/json" id="page-data">{text}</script>'


def _literal(text: str) -> str:
    """Return a text as HTML that holds no placeholder."""
    return escape(text).replace("{", "&#123;")


def _title(head: Head, site: str) -> str:
    return f"{head.title} – {site}" if head.title else site


def _preview(head: Head, site: str) -> str:
    """Return the tags that chat programs read, in the vocabulary of Open Graph (ogp.me)."""
    width, height = PICTURE_SIZE
    tags = {
        "og:type": "website",
        "og:site_name": site,
        "og:title": _title(head, site),
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
