"""The example page of the documentation plays on the server from another site."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser, expect

from tests.conftest import StartServer
from tests.project.reading import ROOT
from tests.support.other_site import other_site
from tests.support.server import RunningServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

GUIDE = ROOT / "docs" / "how-to" / "use-the-javascript-client.md"
EXAMPLE_SERVER = "https://games.example.org"


def example_page(server: RunningServer) -> str:
    """Return the page of the guide, with the server's URL in place of the example's."""
    (block,) = re.findall(r"^```html\n(.*?)^```$", GUIDE.read_text(), re.M | re.S)
    assert EXAMPLE_SERVER in block
    return str(block.replace(EXAMPLE_SERVER, server.url))


async def test_example_page_plays_a_game(browser: Browser, start_server: StartServer) -> None:
    """Play the first legal cell until the game is over. Be the same guest again after a reload."""
    async with other_site() as site, await browser.new_page() as page:
        site.html = example_page(start_server(origins=site.origin))
        await page.goto(site.origin)
        status = page.locator("#status")
        await expect(status).to_have_text("X to move")
        while await status.text_content() == "X to move":
            name = await page.locator("#board:not([inert]) button:enabled").first.get_attribute("aria-label")
            cell = page.get_by_role("button", name=name or "")
            await cell.click()
            await expect(cell).to_have_text("X")
            await expect(status).to_have_text(re.compile("^(X to move|Winner: .*)$"))
        token = await page.evaluate("localStorage.getItem('token')")
        await page.reload()
        await expect(status).to_have_text("X to move")
        assert await page.evaluate("localStorage.getItem('token')") == token


async def test_page_of_an_unlisted_origin_cannot_play(browser: Browser, server: RunningServer) -> None:
    """The modules load, and the first request fails with a sentence."""
    async with other_site() as site, await browser.new_page() as page:
        site.html = example_page(server)
        async with page.expect_event("pageerror") as error:
            await page.goto(site.origin)
        assert "does not list this page's origin" in str(await error.value)
