"""Check the documentation as the server shows it: every page, every link, and what no page can reach."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from noughts.app.page.documents import Documents, anchor, documents_directory

DIRECTORY = documents_directory()
NAMES = [path.relative_to(DIRECTORY).with_suffix("").as_posix() for path in sorted(DIRECTORY.rglob("*.md"))]
HREF = re.compile(r'href="([^"]+)"')


@pytest.fixture(scope="module")
def documents() -> Documents:
    """Return the documentation of this checkout."""
    return Documents(DIRECTORY, "/games/docs")


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_to_a_page_and_a_heading(documents: Documents, name: str) -> None:
    page = documents.page(name)
    assert page is not None
    for href in HREF.findall(page.content + page.navigation):
        if href.startswith("/"):
            target, _, fragment = href.partition("#")
            assert target.startswith("/games/docs"), href
            linked = documents.page(target.removeprefix("/games/docs").strip("/"))
        elif href.startswith("#"):
            linked, fragment = page, href[1:]
        else:
            assert href.startswith("https://"), f"{href} leads out of the documentation"
            continue
        assert linked is not None, href
        assert not fragment or f'id="{fragment}"' in linked.content, href


def test_the_first_page_has_no_name_and_links_to_the_others(documents: Documents) -> None:
    first = documents.page("")
    assert first is documents.page("README")
    assert first is not None
    assert first.title == "Noughts"
    assert '<a href="/games/docs/how-to/host">' in first.navigation
    assert documents.page("how-to/host") is documents.page("how-to/host.md")


def test_the_navigation_marks_the_present_page(documents: Documents) -> None:
    page = documents.page("how-to/host")
    assert page is not None
    assert re.findall(r'<a href="([^"]+)" aria-current="page">', page.navigation) == ["/games/docs/how-to/host"]


def test_a_list_of_decisions_is_the_page_of_its_folder(documents: Documents) -> None:
    assert documents.page("decisions") is documents.page("decisions/README")


@pytest.mark.parametrize(
    "name", ["nothing", "../README", "/etc/passwd", "how-to", "how-to/../how-to/host", ".", "game.gif"]
)
def test_other_names_lead_nowhere(documents: Documents, name: str) -> None:
    assert documents.page(name) is None


def test_markup_in_a_page_stays_text(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# <b>\n\n<script>alert(1)</script> [x](javascript:alert(1)) `{{title}}`\n")
    page = Documents(tmp_path, "/docs").page("")
    assert page is not None
    assert "<script>" not in page.content
    assert "javascript:" not in page.content.replace("[x](javascript:", "")


def test_headings_get_the_ids_that_links_use() -> None:
    assert anchor("Your games, `noughts play`: 3 × 3!") == "your-games-noughts-play-3-3"
