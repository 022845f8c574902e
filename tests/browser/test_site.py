"""The operator's own words, in every place where the page shows them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.conftest import StartServer
from tests.support.axe import violations
from tests.support.browser import OpenWindow, box
from tests.support.player import guest
from tests.support.responses import raw_response

pytestmark = pytest.mark.asyncio(loop_scope="session")

NAME = "Club <b id=hit>& Co"
ACCENT = "#1b7f6b"
LEGAL = "https://club.example.org/legal?a=1&b=2"


async def test_the_name_the_welcome_and_the_links(
    open_window: OpenWindow, start_server: StartServer, tmp_path: Path
) -> None:
    """Show them as text on each page, in two languages, in previews and in the installed app. Load nothing external."""
    welcome = tmp_path / "welcome.txt"
    welcome.write_text("Welcome <b id=hit>!\nRules: https://club.example.org/rules.")
    server = start_server(
        site_name=NAME,
        welcome=str(welcome),
        legal_url=LEGAL,
        contact="mailto:games@club.example.org",
        accent=ACCENT,
        limits="off",
    )
    site = {
        "name": NAME,
        "welcome": welcome.read_text(),
        "legal_url": LEGAL,
        "contact": "mailto:games@club.example.org",
    }
    ann = await guest(server.url)
    assert (await ann.get("/api/variants"))["features"]["site"] == site
    room = (await ann.post("/api/rooms", {"variant": "classic", "opponent": "engine"}))["room"]["id"]
    manifest = json.loads((await raw_response(server, "GET", "/manifest.webmanifest"))[2])
    assert (manifest["name"], manifest["short_name"]) == (NAME, NAME)
    window = await open_window(origin=server.url, locale="de")
    page = window.page
    for path in ("/", f"/r/{room}", "/learn", "/puzzle", "/docs", "/nothing", "/replay/classic/b2,a1"):
        await page.goto(server.url + path)
        await expect(page.locator(".brand-name")).to_have_text(NAME)
        for tag in ("site_name", "title"):
            content = await page.locator(f"meta[property='og:{tag}']").get_attribute("content")
            assert str(content).endswith(NAME), path
        links = page.locator(".page-foot a")
        assert await links.evaluate_all("all => all.map((a) => [a.textContent, a.getAttribute('href')])") == [
            ["Impressum", LEGAL],
            ["Kontakt", "mailto:games@club.example.org"],
        ]
        assert await page.locator("#hit").count() == 0
    await page.goto(f"{server.url}/embed/r/{room}")
    links = page.locator(".page-foot a")
    await expect(links).to_have_text(["Impressum", "Kontakt"])
    assert await links.evaluate_all("all => all.map((a) => a.target)") == ["_blank"] * 2
    assert await page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    await window.open()
    assert await page.title() == NAME
    lines = page.locator(".welcome p")
    await expect(lines).to_have_text(["Welcome <b id=hit>!", "Rules: https://club.example.org/rules."])
    assert await lines.locator("a").get_attribute("href") == "https://club.example.org/rules"
    await page.set_viewport_size({"width": 1440, "height": 900})
    await page.evaluate("scrollTo(0, document.body.scrollHeight)")
    board, text = await box(page.locator(".board")), await box(page.locator(".welcome"))
    assert board["y"] + board["height"] <= text["y"]  # the board does not stay under the text
    button = page.locator(".start-buttons .primary")
    assert await button.evaluate("(button) => getComputedStyle(button).backgroundColor") == "rgb(27, 127, 107)"
    assert await violations(page, "site") == []
    assert window.foreign_urls == []
    assert window.faults == []


async def test_without_links_no_page_has_a_foot(open_window: OpenWindow) -> None:
    window = await open_window()
    await window.open()
    await expect(window.page.locator(".brand-name")).to_have_text("Noughts")
    assert await window.page.locator(".page-foot, .welcome").count() == 0
