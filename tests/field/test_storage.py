"""A browser that blocks storage shows every page, and an entrant can play.

Seen in learning platforms: with cookies blocked, pupils joined and then saw "Connecting…" for ever.
"""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.support.browser import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

BLOCKED = """for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, { get() { throw new DOMException("blocked", "SecurityError"); } });"""


async def test_a_host_without_storage_sees_the_pin(open_window: OpenWindow) -> None:
    window = await open_window()
    await window.page.add_init_script(BLOCKED)
    for path in ("/", "/join", "/puzzle", "/learn", "/replay#classic=b2,a1,c1,a2,a3"):
        await window.open(path)
        await expect(window.page.locator("main h1").first).to_be_attached()
    await window.open()
    await window.click("Tournament")
    await window.click("Create")
    await expect(window.page.locator(".tournament .pin")).to_be_visible()
