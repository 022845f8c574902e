"""Chromium, and windows that fail their test if anything went wrong in them."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

from tests.browser.driver import NewWindow, Window
from tests.player import WAIT_S

ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert path, "no chromium found: apt-get install chromium"
    expect.set_options(timeout=WAIT_S * 1000)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def window(browser: Browser, server: Any) -> AsyncIterator[NewWindow]:
    """Opens windows; afterwards none may have met a fault, a breach of the CSP or another host."""
    windows: list[Window] = []

    async def new_window(width: int = 1000, height: int = 900, origin: str = server.url, **options: Any) -> Window:
        context = await browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(WAIT_S * 1000)
        windows.append(Window(context, await context.new_page(), origin))
        return windows[-1]

    yield new_window
    for opened in windows:
        await opened.context.close()
    assert [window.faults for window in windows if window.faults] == []
    assert [window.strangers for window in windows if window.strangers] == []
