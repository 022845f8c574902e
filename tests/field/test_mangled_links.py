"""Links as chat and mail programs hand them on: with `%23` for `#`, a bracket or a full stop at the end.

Seen in video conferences and shared documents: a link in brackets, or at the end of a sentence, opened an empty page.
"""

from __future__ import annotations

import re
from urllib.parse import quote

import aiohttp
import pytest
from playwright.async_api import expect
from yarl import URL

from tests.support.browser import OpenWindow
from tests.support.server import RunningServer
from tests.support.tournament_client import new_cup

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/t/abc%23p=123456", "/t/abc#p=123456"),
        ("/t/abc%23p%3D123456.", "/t/abc#p=123456"),
        ("/r/abc%23i=s-_x)", "/r/abc#i=s-_x"),
        ("/t/abc/wall/", "/t/abc/wall"),
        ("/join/?x=1", "/join?x=1"),
        ("/r/abc).", "/r/abc"),
        ("/replay/classic/b2,a1.", "/replay/classic/b2,a1"),
        ("//evil.example/", "/evil.example"),
        ("/%5Cevil.example/", "/evil.example"),
    ],
)
async def test_a_mangled_link_leads_to_the_page(server: RunningServer, path: str, location: str) -> None:
    async with aiohttp.ClientSession() as session:
        url = URL(server.url + path, encoded=True)
        async with session.get(url, headers={"Accept": "text/html"}, allow_redirects=False) as answer:
            assert (answer.status, answer.headers.get("Location")) == (302, location)


@pytest.mark.parametrize("path", ["/", "/t/abc", "/r/abc", "/t/abc/wall", "/replay/classic/b2,a1", "/learn", "/docs"])
async def test_a_whole_link_is_not_redirected(server: RunningServer, path: str) -> None:
    async with (
        aiohttp.ClientSession() as session,
        session.get(server.url + path, headers={"Accept": "text/html"}, allow_redirects=False) as answer,
    ):
        assert answer.status in (200, 404)


async def test_a_mangled_link_to_a_tournament_lets_the_reader_join_or_says_why_not(
    open_window: OpenWindow, server: RunningServer
) -> None:
    cup = await new_cup(server)
    window = await open_window()
    join = window.page.get_by_role("button", name="Join")
    for end in (quote("#", safe="") + f"p={cup.pin}", f"#p%3D{cup.pin})", f"/#p={cup.pin}."):
        await window.open("/robots.txt")
        await window.page.evaluate("sessionStorage.clear()")
        await window.open(f"/t/{cup.id}{end}")
        await expect(join).to_be_visible()
        await expect(window.page).to_have_url(re.compile(f"/t/{cup.id}$"))
    await window.open("/robots.txt")
    await window.open(f"/t/{cup.id}#p={cup.pin[:5]}")
    await expect(join).to_be_visible()  # the good PIN is still known
    await window.open("/robots.txt")
    await window.page.evaluate("sessionStorage.clear()")
    await window.open(f"/t/{cup.id}#p={cup.pin[:5]}")
    await expect(window.page.locator(".toast")).to_contain_text("The PIN in this link is not whole")
    await window.open("/t/no%20thing")
    await expect(window.page.locator("h1")).to_have_text("This tournament does not exist")
