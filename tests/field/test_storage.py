"""A browser that blocks storage shows every page, and an entrant can play.

Seen in learning platforms: with cookies blocked, pupils joined and then saw "Connecting…" for ever.
"""

from __future__ import annotations

import json
import re

import pytest
from playwright.async_api import expect

from noughts.app.page.files import page_directory
from tests.support.browser import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

BLOCK = """([names, isAbsent]) => { for (const name of names)
  Object.defineProperty(name in Navigator.prototype ? Navigator.prototype : window, name,
    { get() { if (isAbsent) return undefined; throw new DOMException("blocked", "SecurityError"); } }); }"""
OTHERS = ("caches", "serviceWorker", "Notification", "PushManager", "BroadcastChannel", "wakeLock", "locks")
HTTPS_ONLY = ("isSecureContext", "caches", "serviceWorker", "clipboard", "wakeLock", "locks", "share")
SERVICES = {"throwing": (("localStorage", "sessionStorage", *OTHERS), False), "absent": (HTTPS_ONLY, True)}
FILL = """([keys, text]) => {
  for (const key of keys) for (const store of [localStorage, sessionStorage]) store.setItem(key, text);
}"""
NONSENSE = (
    "{",
    '{"variant":5,"clock":"x","level":{},"latest":[5],"friends":[5],"counted":[],"tallies":{},"at":9e15,"id":5,'
    '"token":"\u2713","player":{"id":"x","name":"y"},"secret":"\u2713","game":1,"ply":0,"path":5}',
    '{"variant":"chess","level":"best","mark":"Z","clock":"{\\"m","latest":[],"friends":[],"counted":[],"tallies":{"classic":{"beaten":5}}}',
)
"""What an older version, an extension or another program on the same address may have left under a key."""
KEYS = sorted(
    {key for path in page_directory().rglob("*.js") for key in re.findall(r'"(noughts\.[a-z]+\.?)"', path.read_text())}
)


@pytest.mark.parametrize("what", SERVICES)
async def test_every_page_works_while_services_of_the_browser_are_blocked(open_window: OpenWindow, what: str) -> None:
    """A host creates a tournament, sees its PIN and its wall, another player joins it, and two play on one screen."""
    host, player = await open_window(), await open_window()
    for window in (host, player):
        await window.page.add_init_script(f"({BLOCK})({json.dumps(SERVICES[what])})")
    for path in ("/join", "/puzzle", "/learn", "/replay#classic=b2,a1,c1,a2,a3", "/admin", "/docs", "/"):
        await host.open(path)
        await expect(host.page.locator("main h1").first).to_be_attached()
    await host.click("New tournament")
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
    await host.open()
    await host.click("Two on this screen")
    await host.play("b2", "a1")


async def test_nonsense_in_storage_stops_no_page(open_window: OpenWindow) -> None:
    window = await open_window()
    assert len(KEYS) > 10
    for text in NONSENSE:
        await window.open()
        await window.page.evaluate(FILL, [KEYS, text])
        for path in ("/puzzle", "/learn", "/join", "/admin", "/"):
            await window.open(path)
            await expect(window.page.locator("main h1").first).to_be_attached()
        await window.page.locator(".options summary").click()
        await expect(window.page.locator(".option-inputs")).to_be_visible()
        await expect(window.page.locator(".toast")).to_have_count(0)
        await window.cell("b2").click()
        await expect(window.page.locator(".room .board")).to_be_visible()
        await expect(window.cell("b2")).to_have_attribute("data-mark", "X")
        room = window.page.url.rpartition("/")[2]
        keys = [key + room for key in KEYS if key.endswith(".")]
        assert len(keys) == 4
        await window.page.evaluate(FILL, [keys, text])
        await window.page.evaluate(FILL, [["noughts.here"], json.dumps({room: text})])
        await window.page.reload()
        await expect(window.page.locator(".room .board")).to_be_visible()
        await expect(window.page.locator(".toast")).to_have_count(0)
