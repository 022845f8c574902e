"""Text that looks like markup or code, in every place where a stranger's text reaches the page: it stays text."""

from __future__ import annotations

from contextlib import AsyncExitStack
from urllib.parse import quote

import pytest
from playwright.async_api import expect

from tests.conftest import StartServer
from tests.support.browser import OpenWindow, Window
from tests.support.player import Api, enter, guest
from tests.support.server import RunningServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

STRINGS = (
    "<img src onerror=hit=1>",
    "<svg onload=hit=1>",
    "<svg><script>hit=1",
    "<script>hit=1</script>",
    "<b id=hit>bold</b>",
    "<!--<b id=hit>-->",
    "--><b id=hit>",
    "]]><b id=hit>",
    "</title><b id=hit>",
    "</script><b id=hit>",
    "</p></div><b id=hit>",
    "<input id=hit autofocus>",
    "<form id=hit>",
    "<math><mi id=hit>",
    "<template><b id=hit>",
    "<iframe id=hit src=/>",
    "<base href=//x.example>",
    "<style>*{display:none}",
    "<link rel=stylesheet>",
    '" onfocus=hit=1 x="',
    "' onclick='hit=1",
    "`onload=hit=1`",
    "javascript:hit=1",
    "url(javascript:hit=1)",
    '"};hit=1;//',
    "${hit=1}",
    "{{hit=1}}",
    "&lt;b id=hit&gt;",
    "%3Cb%20id=hit%3E",
    r"\u003cb id=hit\u003e",
    "__proto__",
    "constructor",
    "%s %n {0} {name}",
)
"""Each fits into a name. What would run sets a variable ``hit``, and so does an element with this id."""
SOME = STRINGS[::3]


async def expect_only_text(window: Window) -> None:
    """Expect that nothing ran, and that no element or attribute came out of a text."""
    assert not await window.page.evaluate("() => 'hit' in window")
    selector = "[onerror], [onload], [onclick], [onfocus], #hit, base, iframe, math, [href^='javascript' i]"
    assert await window.page.locator(selector).count() == 0
    assert await window.page.locator("#page").is_visible()


async def rename(player: Api, name: str) -> None:
    """Give a guest another name."""
    status, answer = await player.call("PATCH", "/api/players/me", {"name": name}, {"Content-Type": "application/json"})
    assert status == 200, answer
    assert answer["player"]["name"] == name


async def test_names_and_chat_are_text(open_window: OpenWindow, server: RunningServer) -> None:
    """Show each string as a player's name beside the board, in the title, in the chat and in the list of people."""
    ann = await guest(server.url)
    answer = await ann.post("/api/rooms", {"variant": "classic", "opponent": "anyone", "mark": "X"})
    room = answer["room"]["id"]
    window = await open_window()
    await window.open(f"/r/{room}")
    async with enter(server, room, ann) as x:
        for string in STRINGS:
            await rename(ann, string)
            await x.ok("chat", text=string)
            await expect(window.page.locator(".room").get_by_text(string, exact=True).first).to_be_visible()
        await window.page.locator(".commands .chat").click()
        await expect(window.page.locator(".chat .line-text")).to_have_count(len(STRINGS))
        assert sorted(set(await window.page.locator(".chat .line-text").all_inner_texts())) == sorted(STRINGS)
        await expect_only_text(window)


async def test_names_in_the_lobby_are_text(open_window: OpenWindow, start_server: StartServer) -> None:
    """List open rooms of owners with such names on the start page."""
    server = start_server(limits="off")
    window = await open_window(origin=server.url)
    async with AsyncExitStack() as stack:
        for string in SOME:
            owner = await guest(server.url, string)
            answer = await owner.post("/api/rooms", {"variant": "classic", "opponent": "anyone"})
            await stack.enter_async_context(enter(server, answer["room"]["id"], owner))
        await window.open()
        for string in SOME:
            await expect(window.page.get_by_text(string).first).to_be_attached()
        await expect_only_text(window)


LINKS = ("/r/{}", "/{}", "/replay?classic={}#classic={}", "/replay#classic=b2&over={}", "/#{}")


async def test_links_are_text(open_window: OpenWindow) -> None:
    """Open the strings as paths, queries, games and ways in which a game ended, three in each link."""
    window = await open_window()
    for number in range(len(STRINGS) // 3):
        text = " ".join(STRINGS[number :: len(STRINGS) // 3])
        path = LINKS[number % len(LINKS)].replace("{}", quote(text, safe=""))
        await window.open(path)
        await expect(window.page.locator("body *").first).to_be_attached()
        assert not await window.page.evaluate("() => 'hit' in window"), path


async def test_ones_own_name_is_text(open_window: OpenWindow) -> None:
    """Type such strings as one's own name, which the page then shows in its header and confirms."""
    window = await (await open_window()).open()
    header = window.page.locator(".guest-button")
    await header.click()
    field = window.page.get_by_label("Name", exact=True)
    for string in SOME:
        await field.fill(string)
        await field.press("Enter")
        await expect(header).to_contain_text(string)
    await expect_only_text(window)
