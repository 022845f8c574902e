"""A browser that blocks storage shows every page, and an entrant can play.

Seen in learning platforms: with cookies blocked, pupils joined and then saw "Connecting…" for ever.
"""

from __future__ import annotations

import json

import pytest
from playwright.async_api import expect

from tests.support.browser import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

BLOCK = """(names) => { for (const name of names)
  Object.defineProperty(name === "serviceWorker" ? Navigator.prototype : window, name,
    { get() { throw new DOMException("blocked", "SecurityError"); } }); }"""
SERVICES = [("localStorage", "sessionStorage"), ("caches", "serviceWorker"), ("Notification",)]


@pytest.mark.parametrize("names", SERVICES, ids=["storage", "workers", "notifications"])
async def test_every_page_works_while_services_of_the_browser_are_blocked(
    open_window: OpenWindow, names: tuple[str, ...]
) -> None:
    """A host creates a tournament, sees its PIN and its wall, and another player joins it."""
    host, player = await open_window(), await open_window()
    for window in (host, player):
        await window.page.add_init_script(f"({BLOCK})({json.dumps(names)})")
        for path in ("/", "/join", "/puzzle", "/learn", "/replay#classic=b2,a1,c1,a2,a3", "/admin"):
            await window.open(path)
            await expect(window.page.locator("main h1").first).to_be_attached()
    await host.open()
    await host.click("Tournament")
    await host.click("Create")
    digits = host.page.locator(".tournament .pin")
    await expect(digits).to_be_visible()
    pin = (await digits.inner_text()).replace(" ", "")
    tournament = host.page.url
    await player.open("/join")
    await player.page.get_by_label("PIN").fill(pin)
    await player.page.get_by_label("Your name", exact=True).fill("Ann")
    await player.click("Join")
    await expect(player.page).to_have_url(tournament)
    await expect(player.page.get_by_role("button", name="Leave", exact=False).first).to_be_visible()
    await host.page.goto(f"{tournament}/wall#p={pin}")
    await expect(host.page.locator(".wall-pin")).to_contain_text(pin[:3])
