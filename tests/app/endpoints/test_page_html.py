"""The HTML of pages: the data block, the modules, and text that is never markup."""

from __future__ import annotations

import json
import re
from typing import get_args

import pytest

from noughts.app.endpoints.page_files import PageFiles, page_directory
from noughts.app.endpoints.page_html import Head, Html, PageName

FILES = PageFiles(page_directory())
HEAD = Head("Title", "Description", "https://x.example/", "https://x.example/preview.png", "A picture")


@pytest.mark.parametrize("name", get_args(PageName))
def test_every_placeholder_is_filled(name: PageName) -> None:
    page = Html(FILES, "/games", {}).render(name, HEAD).decode()
    assert "{{" not in page
    assert "<title>Title</title>" in page
    assert f'href="/games/static/{FILES.tree}/icon.svg"' in page


@pytest.mark.parametrize("name", get_args(PageName))
def test_text_is_never_markup(name: PageName) -> None:
    """A name may look like markup, like a placeholder, or like the end of an attribute."""
    evil = "</title><script>alert(1)</script>{{base}}\"'&"
    page = Html(FILES, "", {}).render(name, Head(evil, evil, evil, evil, evil)).decode()
    assert "<script>alert" not in page
    assert page.count("{{base}}") == page.count("&lt;script&gt;alert(1)&lt;/script&gt;{{base}}&quot;&#x27;&amp;") > 5


def test_the_data_block_holds_no_markup() -> None:
    data = {"text": "</script><script>alert(1)</script>"}
    page = Html(FILES, "", data).render("start", HEAD).decode()
    block = re.search(r'<script type="application/json" id="page-data">(.*?)</script>', page)
    assert block is not None
    assert json.loads(block[1]) == data


@pytest.mark.parametrize("name", ["start", "room", "replay", "embed"])
def test_modules_are_preloaded_in_time(name: PageName) -> None:
    """Each module that the first one imports is named once, and exists."""
    page = Html(FILES, "", {}).render(name, HEAD).decode()
    preloaded = re.findall(r'rel="modulepreload" href="/static/[0-9a-f]+/([^"]+)"', page)
    assert len(preloaded) == len(set(preloaded)) > 5
    assert set(preloaded) <= set(FILES.files)


def test_first_paint_needs_no_module() -> None:
    """Bring header, board and buttons in the HTML, in the words of the catalogue, and out of reach until modules run."""
    page = Html(FILES, "", {}).render("start", HEAD).decode()
    drawn = page[page.index('<div class="start" inert>') : page.index("</main>")]
    buttons = re.findall(r"<button[^>]*>([^<]+)</button>", drawn)
    catalogue = FILES.files["js/en.js"].body.decode()
    assert "board-picture" in drawn
    assert len(buttons) == 3
    assert [text for text in buttons if f'"{text}"' not in catalogue] == []
    room = Html(FILES, "", {}).render("room", HEAD).decode()
    assert '<div class="room" inert>' in room
    assert "board-placeholder" in room


def test_a_page_says_what_to_do_without_javascript() -> None:
    for name in ("start", "room", "replay", "embed"):
        assert "<noscript>" in Html(FILES, "", {}).render(name, HEAD).decode()
