"""The start page: its options, small and dark screens, and the lobby."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

from tests.support.browser import OpenWindow
from tests.support.ports import free_port
from tests.support.server import RunningServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

CHOICES = """() => [...document.querySelectorAll("a[href], button, input, summary, select, [role=gridcell]")]
  .filter((node) => node.checkVisibility() && !node.closest("[hidden]") && !node.disabled)
  .filter((node) => {
    const { top, height } = node.getBoundingClientRect();
    return height > 1 && top + height / 2 < innerHeight;
  })
  .map((node) => node.getAttribute("aria-label") || node.closest("label")?.textContent || node.textContent)"""
"""Return the names of all that can be tapped on the first screen."""


async def test_first_tap_falls_with_gravity(open_window: OpenWindow) -> None:
    """Play the lowest cell of the tapped column."""
    player = await (await open_window()).open()
    await player.choose("four-in-a-row")
    await player.cell("d2").click()
    await expect(player.cell("d6")).to_have_attribute("data-mark", "X")


async def test_start_page_fits_a_phone_without_scrolling(open_window: OpenWindow) -> None:
    """Show the board and its buttons at 320 by 568, and the pictures and options too at 390 by 844."""
    window = await (await open_window(320, 568)).open()
    await expect(window.page.locator(".start .cell.legal").first).to_be_visible()
    for width, height, selectors in (
        (320, 568, (".start .board", ".start-buttons")),
        (390, 844, (".start .board", ".start-buttons", ".variants", ".options > summary")),
    ):
        await window.page.set_viewport_size({"width": width, "height": height})
        assert not await window.scrolls_sideways()
        for selector in selectors:
            await expect(window.page.locator(selector)).to_be_in_viewport(ratio=1)


async def test_choice_is_remembered(open_window: OpenWindow) -> None:
    """Open with the variant, the level and the clock of the last visit."""
    window = await (await open_window()).open()
    await window.choose("gomoku")
    await window.page.get_by_text("Level: casual").click()
    await window.click("All")
    await window.page.get_by_role("radio", name="strongest", exact=True).check()
    await window.open()
    await expect(window.page.locator("[role=gridcell]")).to_have_count(225)
    await expect(window.page.locator(".options > summary")).to_contain_text("strongest")


async def test_first_tap_needs_four_requests(open_window: OpenWindow) -> None:
    """Load the page, its style sheet, its script and the language's texts. All else comes after the board."""
    player = await open_window(locale="de-AT")
    paths: list[str] = []
    player.page.on("request", lambda request: paths.append(urlsplit(request.url).path))
    await player.open()
    await expect(player.page.locator(".start .cell.legal").first).to_be_visible()
    names = [path.split("/", 3)[-1] for path in paths]
    later = {
        "icon.svg",
        "manifest.webmanifest",
        "js/start/lobby.js",
        "js/texts/server/de.json",
        "js/puzzle/daily.js",
        "daily",
        "js/room/page.js",
        "js/main/upgrade.js",
        "js/main/tabs.js",
        "js/browser/presses.js",
    }
    assert {name for name in names if name not in later} == {"", "css/page.css", "js/main/main.js", "js/texts/de.json"}
    assert len(paths) == len(set(paths))
    await expect(player.page.locator("html")).to_have_attribute("lang", "de")


async def test_palette_follows_the_system(open_window: OpenWindow) -> None:
    """Draw a light or a dark page as the system asks."""
    page = (await (await open_window(color_scheme="light")).open()).page
    backgrounds = []
    for scheme in ("light", "dark"):
        await page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        backgrounds.append(await page.evaluate("() => getComputedStyle(document.body).backgroundColor"))
    light, dark = ([int(part) for part in background[4:-1].split(",")] for background in backgrounds)
    assert min(light) > 200
    assert max(dark) < 60


async def test_guest_account_is_created_when_you_save_a_name(open_window: OpenWindow) -> None:
    """Create no guest account before the visitor needs one."""
    player = await open_window()
    page = player.page
    await player.open()
    await expect(page.locator(".start .cell.legal").first).to_be_visible()
    assert await page.evaluate("() => localStorage.getItem('noughts.guest')") is None
    await page.locator(".guest-button").click()
    await page.get_by_label("Name", exact=True).fill("Zoë")
    await player.click("Save name")
    await expect(page.locator(".guest-button")).to_have_text("Zoë")


async def test_disabled_features_are_hidden_and_links_are_public(
    open_window: OpenWindow, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Hide the lobby and the names if they are off, and begin links with the public URL."""
    port = free_port()
    public_url = f"http://games.example.org:{port}"  # it is also what the server prints when it is ready
    settings = {"NOUGHTS_LOBBY": "off", "NOUGHTS_FREE_NAMES": "off", "NOUGHTS_PUBLIC_URL": public_url}
    server = RunningServer(tmp_path, settings)
    server.port = port
    request.addfinalizer(server.start().kill)
    player = await (await open_window(origin=f"http://127.0.0.1:{port}")).open()
    page = player.page
    await expect(page.get_by_role("button", name="Find an opponent")).to_be_disabled()
    await expect(page.locator(".lobby")).to_have_count(0)
    await page.locator(".guest-button").click()
    await expect(page.get_by_label("Name", exact=True)).to_be_hidden()
    await player.click("Close")
    await player.start("friend")
    assert (await player.invite_link()).startswith(public_url + "/r/")
    await expect(page.get_by_text("on this computer only")).to_be_hidden()


async def test_a_phone_shows_at_most_22_choices(open_window: OpenWindow) -> None:
    """Count what can be tapped on the first screen, each once. The other games and the options are one tap away."""
    player = await (await open_window(390, 844, has_touch=True)).open()
    page = player.page
    await expect(page.locator(".daily-puzzle")).to_be_attached()
    choices: list[str] = await page.evaluate(CHOICES)
    assert len(choices) <= 22, choices
    assert len(set(choices)) == len(choices), choices
    await expect(page.locator(".lobby")).to_be_hidden()
    await player.click("4 more")
    await expect(page.locator(".start .option input:visible")).to_have_count(9)
    await page.get_by_text("Level: casual").click()
    await page.get_by_role("radio", name="perfect", exact=True).check()
    await player.choose("gomoku")
    await expect(page.get_by_role("radio", name="strongest", exact=True)).to_be_checked()
    await expect(page.locator(".option-inputs > *")).to_have_text([re.compile("^Your mark"), re.compile("^Clock")])


async def test_nobody_plays_for_an_engine(open_window: OpenWindow) -> None:
    """Watch a game of two engines. Both have one name, and no cell can be played."""
    player = await open_window()
    await player.start("engines")
    await expect(player.page.locator(".seat-name")).to_have_text(["Otto", "Otto"])
    await expect(player.page.locator(".cell[data-mark]").first).to_be_visible()
    await expect(player.page.locator(".cell.legal")).to_have_count(0)


async def test_engine_is_offered_to_a_player_who_waits(open_window: OpenWindow) -> None:
    """Offer the engine while no opponent has come."""
    player = await open_window()
    await player.start("quick", "misere")
    await player.expect_phase("waiting")
    await player.click("Choose…")
    await player.click("Play Otto")
    await player.expect_phase("playing")


async def test_quick_play_pairs_players_and_the_lobby_shows_it(open_window: OpenWindow) -> None:
    """Pair two players, and show their room in the lobby before and during the game."""
    first, second, third = await open_window(), await open_window(), await open_window()
    await third.open()
    await first.start("quick")
    await first.expect_phase("waiting")
    await expect(third.page.get_by_role("link", name="Join").first).to_be_visible()
    await second.start("quick")
    await first.expect_phase("playing")
    await second.expect_phase("playing")
    await third.page.get_by_role("link", name="Watch").first.click()
    await third.expect_phase("playing")
    await expect(third.page.locator(".cell.legal")).to_have_count(0)
