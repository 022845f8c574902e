"""Fixtures of the browser tests: Chromium, and windows that must end without a fault."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, ViewportSize, async_playwright, expect

from tests.support.browser import TIMEOUT_MS, Friends, OpenWindow, Rival, Window
from tests.support.layout_shifts import observe_shifts
from tests.support.player import Socket, enter, guest
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
    """Return a function that opens windows. Fail the test if one met a fault or sent a request to another server.

    Pages have no service worker, because it loads each page a second time. Tests of it pass ``service_workers="allow"``.
    """
    windows: list[Window] = []

    async def open_window(width: int = 1000, height: int = 900, origin: str = server.url, **options: Any) -> Window:
        size = ViewportSize(width=width, height=height)
        context = await browser.new_context(viewport=size, **{"service_workers": "block", **options})
        context.set_default_timeout(TIMEOUT_MS)
        windows.append(Window(context, await context.new_page(), origin))
        return windows[-1]

    yield open_window
    for window in windows:
        await window.context.close()
    assert [window.faults for window in windows if window.faults] == []
    assert [window.foreign_urls for window in windows if window.foreign_urls] == []


@pytest.fixture
def pass_and_play(open_window: OpenWindow) -> OpenWindow:
    """Return a function that opens a window with a game for two on one screen. Its first argument is the variant."""

    async def begin(variant: str = "classic", *size: int, **options: Any) -> Window:
        window = await open_window(*size, **options)
        await window.start("pass_and_play", variant)
        await window.expect_phase("playing")
        return window

    return begin


@pytest.fixture
def friends(open_window: OpenWindow) -> Friends:
    """Return a function that opens the windows of X, who owns the room, and of O. Their game is on."""

    async def begin(*size: int, **options: Any) -> tuple[Window, Window]:
        owner, friend = await open_window(*size, **options), await open_window(*size, **options)
        for window in (owner, friend):
            await observe_shifts(window)
        await owner.start("friend")
        await friend.open(await owner.invite_link())
        await friend.click("Play as O")
        for window in (owner, friend):
            await window.expect_phase("playing")
        await owner.begin()
        return owner, friend

    return begin


@pytest_asyncio.fixture(loop_scope="session")
async def rival(open_window: OpenWindow, server: RunningServer) -> AsyncIterator[Rival]:
    """Return a function that opens the window of X, who owns the room, and the socket of O. A page of O would be slower."""
    async with AsyncExitStack() as sockets:

        async def begin(*size: int, **options: Any) -> tuple[Window, Socket]:
            owner = await open_window(*size, **options)
            await observe_shifts(owner)
            await owner.start("friend")
            room, _, invite = (await owner.invite_link()).rpartition("/")[2].partition("#i=")
            socket = await sockets.enter_async_context(enter(server, room, await guest(server.url, "Ben")))
            await socket.ok("sit", mark="O", invite=invite)
            await owner.expect_phase("playing")
            await owner.begin()
            return owner, socket

        yield begin
