"""Fixtures of the browser tests: Chromium, and windows that must end without a fault."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio
from playwright.async_api import Browser, ViewportSize, async_playwright, expect

from tests.support.browser import TIMEOUT_MS, OpenWindow, Window
from tests.support.server import RunningServer
from tools.chromium import chromium

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Start the Chromium of this machine, once for all tests."""
    expect.set_options(timeout=TIMEOUT_MS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def open_window(browser: Browser, server: RunningServer) -> AsyncIterator[OpenWindow]:
    """Return a function that opens windows. Fail the test if one met a fault or sent a request to another server."""
    windows: list[Window] = []

    async def open_window(width: int = 1000, height: int = 900, origin: str = server.url, **options: Any) -> Window:
        context = await browser.new_context(viewport=ViewportSize(width=width, height=height), **options)
        context.set_default_timeout(TIMEOUT_MS)
        windows.append(Window(context, await context.new_page(), origin))
        return windows[-1]

    yield open_window
    for window in windows:
        await window.context.close()
    assert [window.faults for window in windows if window.faults] == []
    assert [window.foreign_urls for window in windows if window.foreign_urls] == []
