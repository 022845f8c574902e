"""The HTML of pages: the data block, the modules, and text that is never markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import escape
from typing import Final, get_args

import pytest

from noughts.app.page.files import PageFiles, page_directory
from noughts.app.page.html import Head, Html, PageName
from noughts.protocol.bodies import SiteView

FILES = PageFiles(page_directory())
SITE = SiteView("Club", None, None, None)
HEAD = Head("Title", "Description", "https://x.example/", "https://x.example/preview.png", "A picture")


@pytest.mark.parametrize("name", get_args(PageName))
def test_every_placeholder_is_filled(name: PageName) -> None:
    page = Html(FILES, "/games", {}, SITE).render(name, HEAD).decode()
    assert "{{" not in page
    assert "<title>Title – Club</title>" in page
    assert f'href="/games/static/{FILES.tree}/icon.svg"' in page


@pytest.mark.parametrize("name", get_args(PageName))
def test_text_is_never_markup(name: PageName) -> None:
    """A name may look like markup, like a placeholder, or like the end of an attribute."""
    evil = "</title><script>alert(1)</script>{{base}}\"'&"
    page = Html(FILES, "", {}, SITE).render(name, Head(evil, evil, evil, evil, evil)).decode()
    assert "<script>alert" not in page
    assert page.count("{{base}}") == page.count("&lt;script&gt;alert(1)&lt;/script&gt;{{base}}&quot;&#x27;&amp;") > 5


def test_the_data_block_holds_no_markup() -> None:
    data = {"text": "</script><script>alert(1)</script>"}
    page = Html(FILES, "", data, SITE).render("start", HEAD).decode()
    block = re.search(r'<script type="application/json" id="page-data">(.*?)</script>', page)
    assert block is not None
    assert json.loads(block[1]) == data


LOADED: Final = {"start": 1, "room": 2, "replay": 4, "learn": 2, "embed": 1}
"""Scripts that each page loads before it can be used."""


@pytest.mark.parametrize("name", LOADED)
def test_a_page_loads_few_files(name: PageName) -> None:
    """Each costs a round trip. All of them exist, and those that come next are named ahead."""
    page = Html(FILES, "", {}, SITE).render(name, HEAD, "de").decode()
    styles = re.findall(r'rel="stylesheet" href="/static/[0-9a-f]+/([^"]+)"', page)
    scripts = re.findall(r'(?:rel="modulepreload" href|type="module" src)="/static/[0-9a-f]+/([^"]+)"', page)
    texts = re.findall(r'rel="preload" as="fetch" crossorigin href="/static/[0-9a-f]+/([^"]+)"', page)
    more = {"learn": "learn", "replay": "server"}.get(name)
    assert styles == ["css/page.css", f"css/{name}.css"][: 1 + (name in ("learn", "embed"))]
    assert texts == ["js/texts/de.json", f"js/texts/{more}/de.json"][: 1 + (more is not None)]
    assert len(set(scripts)) == LOADED[name]
    assert {*styles, *texts, *scripts} <= set(FILES.files)


@pytest.mark.parametrize("name", get_args(PageName))
def test_the_policy_names_the_scripts_in_the_html(name: PageName) -> None:
    """The first paint's script is in each page. The data block does not run."""
    html = Html(FILES, "/games", {}, SITE)
    page = html.render(name, HEAD).decode()
    scripts = re.findall(r"(?s)<script>(.*?)</script>", page)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert len(scripts) == 1
    assert all(f" 'sha256-{digest}'" in html.policy.partition("script-src")[2].partition(";")[0] for digest in hashes)
    assert page.find("<script>") < page.index('rel="stylesheet"')


@pytest.mark.parametrize("key", FILES.languages)
def test_first_paint_needs_no_module(key: str) -> None:
    """Bring header, board and buttons in the visitor's language, out of reach until modules run."""
    language = FILES.languages[key]
    html = Html(FILES, "", {}, SITE)
    page = html.render("start", HEAD, key).decode()
    assert f'<html lang="{key}" dir="{language.direction}">' in page
    drawn = page[page.index('<div class="start" inert>') : page.index("</main>")]
    buttons = re.findall(r"<button[^>]*>([^<]+)</button>", drawn)
    assert "board-picture" in drawn
    assert buttons == [language.text(f"start.{name}") for name in ("friend", "quick", "pass_and_play")]
    assert escape(language.text("start.line.X")) in drawn
    assert escape(language.text("noscript")) in page
    room = html.render("room", HEAD, key).decode()
    assert '<div class="room" inert>' in room
    assert "board-placeholder" in room
    assert language.text("replay.loading") in html.render("replay", HEAD, key).decode()
    assert language.text("missing.why") in html.render("missing", HEAD, key).decode()


def test_a_page_says_what_to_do_without_javascript() -> None:
    for name in ("start", "room", "replay", "embed"):
        assert "<noscript>" in Html(FILES, "", {}, SITE).render(name, HEAD).decode()
