"""What a page shows before its modules run: the chosen appearance, and no text in a language that was not chosen."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Route, expect

from tests.support.browser import OpenWindow, Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

BACKGROUND = (
    "() => getComputedStyle(document.documentElement).colorScheme + getComputedStyle(document.body).backgroundColor"
)
BODY_IS_VISIBLE = "() => getComputedStyle(document.body).visibility === 'visible'"

SLOW_DOWN = """new MutationObserver((_, observer) => {
  if (!document.documentElement) return;
  observer.disconnect();
  document.documentElement.style.setProperty("--translation", "1000s");
}).observe(document, { childList: true });"""
"""Lengthen the time for which a page hides its texts, because a busy machine is slow."""


async def without_modules(window: Window, path: str) -> asyncio.Event:
    """Open a page whose modules wait for the event that is returned. Return when it has its style sheet."""
    arrival = asyncio.Event()

    async def hold(route: Route) -> None:
        await arrival.wait()
        await route.continue_()

    await window.page.add_init_script(SLOW_DOWN)
    await window.page.route("**/js/*/*.js", hold)
    await window.page.goto(window.origin + path, wait_until="commit")
    await window.page.locator("main").wait_for(state="attached")
    await window.page.wait_for_function("() => getComputedStyle(document.documentElement).getPropertyValue('--ground')")
    return arrival


async def store(window: Window, **values: str) -> None:
    """Keep choices of the player in the browser."""
    for name, value in values.items():
        await window.page.evaluate("([name, value]) => localStorage.setItem(name, value)", [f"noughts.{name}", value])


@pytest.mark.parametrize("path", ["/", "/embed/replay"])
async def test_first_paint_has_the_chosen_appearance(open_window: OpenWindow, path: str) -> None:
    """Colours other than the system's are there before any module runs."""
    window = await (await open_window(color_scheme="light")).open()
    plain = await window.page.evaluate(BACKGROUND)
    await store(window, theme="dark")
    arrival = await without_modules(window, path)
    assert await window.page.evaluate(BACKGROUND) == "darkrgb(17, 20, 27)" != plain
    arrival.set()


async def test_the_systems_wish_for_contrast_is_met(open_window: OpenWindow) -> None:
    """Draw the page in high contrast before any module runs. A set of colours that the player chose comes first."""
    window = await open_window(contrast="more")
    arrival = await without_modules(window, "/")
    assert (await window.page.evaluate(BACKGROUND)).endswith("rgb(255, 255, 255)")
    arrival.set()
    await expect(window.page.locator(".board")).to_be_visible()
    assert (await window.page.evaluate(BACKGROUND)).endswith("rgb(255, 255, 255)")
    await store(window, theme="light")
    await window.page.reload()
    assert await window.page.evaluate(BACKGROUND) == "lightrgb(247, 245, 240)"


async def test_no_text_shows_in_a_language_that_was_not_chosen(open_window: OpenWindow) -> None:
    """The HTML speaks the browser's language. It is hidden until it speaks the chosen one, or for a few seconds."""
    window = await (await open_window(locale="en")).open()
    await store(window, language="es")
    arrival = await without_modules(window, "/")
    assert not await window.page.evaluate(BODY_IS_VISIBLE)
    await window.page.evaluate("() => document.getAnimations().forEach((animation) => animation.finish())")
    assert await window.page.evaluate(BODY_IS_VISIBLE)
    arrival.set()
    await expect(window.page.locator("main").get_by_text("Invitar a un amigo")).to_be_visible()


async def test_the_browsers_language_is_there_at_once(open_window: OpenWindow) -> None:
    """Hide nothing when the chosen language is that of the HTML."""
    window = await (await open_window(locale="de")).open()
    await store(window, language="de")
    arrival = await without_modules(window, "/")
    assert await window.page.evaluate(BODY_IS_VISIBLE)
    await expect(window.page.get_by_role("button", name="Freund einladen", include_hidden=True)).to_be_visible()
    arrival.set()
